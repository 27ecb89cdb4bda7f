/** Shaders for slices of grey values on a graphics card; `PlaneCard` supplies their inputs. */

export const planeVertex = `#version 300 es
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(corner, 0.0, 1.0);
}`;

/**
 * Voxels are read one by one and interpolated here, in 32-bit floats: hardware filtering has only eight bits between
 * two voxels, and does not support integers. The lower limit of the window is subtracted first, in two parts, so that a
 * narrow window far from zero stays exact.
 *
 * @param sampler `usampler2DArray`, `isampler2DArray` or `sampler2DArray`
 */
export const writePlaneFragment = (sampler: string): string => `#version 300 es
precision highp float;
precision highp int;
precision highp ${sampler};
uniform ${sampler} voxels;
uniform ivec3 dimensions;
uniform int heightPx;
uniform vec2 low;
uniform float toByte;
uniform bool isOblique;
// along an axis: for each column and row of pixels the two neighbouring values and the weight
uniform highp sampler2D columns;
uniform highp sampler2D rows;
uniform int normal;
uniform int slice;
uniform float sliceWeight;
uniform bool isRounded;
// on any plane: the voxel position at the first pixel, and the steps from pixel to pixel
uniform vec3 origin;
uniform vec3 right;
uniform vec3 up;
out vec4 colour;

bool isNumber(float value) { return (floatBitsToUint(value) & 0x7fffffffu) <= 0x7f800000u; }

float read(ivec3 cell) {
  float value = float(texelFetch(voxels, cell, 0).r);
  if (!isNumber(value)) discard;
  return value;
}

float aboveLow(float value) { return (value - low.x) - low.y; }

float readPlane(int column, int row) {
  ivec3 cell = normal == 0 ? ivec3(slice, column, row)
    : normal == 1 ? ivec3(column, slice, row)
    : ivec3(column, row, slice);
  float value = read(cell);
  if (sliceWeight > 0.0) {
    ivec3 next = cell;
    next[normal] += 1;
    value += (read(next) - value) * sliceWeight;
    if (isRounded) value = floor(value + 0.5);
  }
  return aboveLow(value);
}

float readAlongAxis(ivec2 pixel) {
  vec4 across = texelFetch(columns, ivec2(pixel.x, 0), 0);
  vec4 down = texelFetch(rows, ivec2(heightPx - 1 - pixel.y, 0), 0);
  if (across.x < 0.0 || down.x < 0.0) discard;
  ivec2 left = ivec2(across.xy);
  ivec2 top = ivec2(down.xy);
  float a = readPlane(left.x, top.x);
  float c = readPlane(left.x, top.y);
  float upper = a + (readPlane(left.y, top.x) - a) * across.z;
  float lower = c + (readPlane(left.y, top.y) - c) * across.z;
  return upper + (lower - upper) * down.z;
}

float readOblique(ivec2 pixel) {
  vec3 place = origin + float(pixel.x) * right + float(pixel.y) * up;
  if (any(lessThan(place, vec3(-0.5))) || any(greaterThan(place, vec3(dimensions) - 0.5))) discard;
  vec3 below = floor(place);
  vec3 share = place - below;
  ivec3 first = max(ivec3(below), 0);
  // Values with weight 0 are not read, because they may be NaN.
  ivec3 reach = ivec3(greaterThan(share, vec3(0.0)));
  ivec3 last = min(ivec3(below) + reach, dimensions - 1);
  float y[4];
  for (int n = 0; n < 4; n++) {
    int j = (n & 1) == 0 ? first.y : last.y;
    int k = n < 2 ? first.z : last.z;
    float a = aboveLow(read(ivec3(first.x, j, k)));
    y[n] = a + (aboveLow(read(ivec3(last.x, j, k))) - a) * share.x;
  }
  float z0 = y[0] + (y[1] - y[0]) * share.y;
  float z1 = y[2] + (y[3] - y[2]) * share.y;
  return z0 + (z1 - z0) * share.z;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  float value = isOblique ? readOblique(pixel) : readAlongAxis(pixel);
  float grey = floor(clamp(value * toByte + 0.5, 0.0, 255.0)) / 255.0;
  colour = vec4(vec3(grey), 1.0);
}`;
