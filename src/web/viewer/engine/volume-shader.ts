import { maxCuts } from './cut-shader.ts';

/** Numbers of the styles in the shader. */
export const styleNumbers = { surface: 0, bone: 1, xray: 2, maximum: 3 } as const;

export const wholePictureVertex = /* glsl */ `
out vec2 place;
void main() { place = position.xy; gl_Position = vec4(position.xy, 0.0, 1.0); }`;

/**
 * One ray per pixel, in the volume's own space from 0 to 1; `s` runs along it from the near to the far plane of the
 * camera. It skips bricks that show nothing and ends at the opaque objects in front of it.
 */
export const volumeFragment = /* glsl */ `
precision highp sampler3D;
in vec2 place;
out vec4 colour;
uniform sampler3D voxels;
uniform sampler3D leaps;
uniform sampler2D curve;
uniform sampler2D before;
uniform vec2 byteWeights;
uniform mat4 clipToVolume;
uniform mat4 volumeToClip;
uniform mat3 volumeToWorld;
uniform mat3 gradientToView;
uniform vec3 dimensions;
uniform ivec3 bricks;
uniform vec4 cuts[${maxCuts}];
uniform int cutCount;
uniform vec4 holeSides[6];
uniform bool hasHole;
uniform int style;
uniform float stepMm;
uniform float voxelMm;
uniform float level;
uniform float contrast;
uniform float density;
uniform vec2 greyWindow;
uniform bool hasCutColour;
uniform vec3 cutColour;
uniform vec2 shift;
uniform float weight;

float valueAt(vec3 p) { return dot(texture(voxels, p).rg, byteWeights); }
// The ends of the table are at the centres of its outermost entries.
vec4 look(float value) { return texture(curve, vec2((value * 1023.0 + 0.5) / 1024.0, 0.5)); }
vec3 gradientAt(vec3 p, float voxelsAside) {
  vec3 e = voxelsAside / dimensions;
  return vec3(
    valueAt(p + vec3(e.x, 0.0, 0.0)) - valueAt(p - vec3(e.x, 0.0, 0.0)),
    valueAt(p + vec3(0.0, e.y, 0.0)) - valueAt(p - vec3(0.0, e.y, 0.0)),
    valueAt(p + vec3(0.0, 0.0, e.z)) - valueAt(p - vec3(0.0, 0.0, e.z))) / (2.0 * voxelsAside);
}
// The same lighting as for surfaces without values; the normal points away from the denser side.
float lightOf(vec3 gradient) {
  vec3 n = gradientToView * (gradient * dimensions);
  float size = length(n);
  if (size <= 0.0) return 0.8;
  n /= -size;
  if (n.z < 0.0) n = -n;
  return 0.34 + 0.46 * max(0.0, dot(n, vec3(0.267, 0.534, 0.802))) + 0.20 * n.z;
}
float depthAt(vec3 p) {
  vec4 clip = volumeToClip * vec4(p, 1.0);
  return clamp(clip.z / clip.w * 0.5 + 0.5, 0.0, 1.0);
}

void main() {
  colour = vec4(0.0);
  gl_FragDepth = 1.0;
  vec4 near = clipToVolume * vec4(place + shift, -1.0, 1.0);
  vec4 far = clipToVolume * vec4(place + shift, 1.0, 1.0);
  vec3 start = near.xyz / near.w;
  vec3 way = far.xyz / far.w - start;
  way += vec3(equal(way, vec3(0.0))) * 1e-9;
  float lengthMm = length(volumeToWorld * way);

  vec3 one = -start / way;
  vec3 other = (1.0 - start) / way;
  vec3 enters = min(one, other);
  vec3 leaves = max(one, other);
  float from = max(max(enters.x, enters.y), max(enters.z, 0.0));
  float to = min(min(leaves.x, leaves.y), min(leaves.z, 1.0));
  for (int i = 0; i < cutCount; i++) {
    float rises = dot(cuts[i].xyz, way);
    float at = (cuts[i].w - dot(cuts[i].xyz, start)) / (rises == 0.0 ? -1e-9 : rises);
    if (rises > 0.0) to = min(to, at); else from = max(from, at);
  }
  // Points inside all sides of the hole are removed.
  float holeFrom = hasHole ? 0.0 : 2.0;
  float holeTo = 1.0;
  for (int i = 0; hasHole && i < 6; i++) {
    float rises = dot(holeSides[i].xyz, way);
    float at = (holeSides[i].w - dot(holeSides[i].xyz, start)) / (rises == 0.0 ? -1e-9 : rises);
    if (rises > 0.0) holeFrom = max(holeFrom, at); else holeTo = min(holeTo, at);
  }
  if (holeFrom >= holeTo) holeFrom = 2.0;
  if (holeFrom <= from) {
    from = max(from, holeTo);
    holeFrom = 2.0;
  }
  float hidden = texture(before, place * 0.5 + 0.5).r;
  if (hidden < 1.0) {
    vec4 end = clipToVolume * vec4(place, hidden * 2.0 - 1.0, 1.0);
    // The determined surface coincides with that of the volume, and only one of them should be visible.
    float margin = style == 0 ? 2.0 * voxelMm / lengthMm : 0.0;
    to = min(to, dot(end.xyz / end.w - start, way) / dot(way, way) - margin);
  }
  if (from >= to) return;

  float ds = stepMm / lengthMm;
  // In translucent styles each pixel starts at a different offset, which avoids rings.
  float jitter = style == 1 || style == 2
    ? fract(52.9829189 * fract(dot(gl_FragCoord.xy + 61.0 * shift, vec2(0.06711056, 0.00583715))))
    : 0.0;
  float s = from + jitter * ds;
  // Where the ray leaves the clipped region.
  float opened = from;
  float perVoxel = stepMm / voxelMm;
  float best = 0.0;
  float bestAt = -1.0;
  float halfAt = -1.0;
  vec4 sum = vec4(0.0);
  vec3 brickWay = way * dimensions / 8.0;
  for (int i = 0; i < 2048; i++) {
    if (s > holeFrom) {
      if (s < holeTo) s = opened = holeTo;
      holeFrom = 2.0;
    }
    if (s > to) break;
    vec3 p = start + way * s;
    vec3 q = p * dimensions / 8.0;
    ivec3 brick = clamp(ivec3(floor(q)), ivec3(0), bricks - 1);
    vec2 leap = texelFetch(leaps, brick, 0).rg;
    float away = leap.r * 255.0;
    if (away > 0.5 || (style == 3 && leap.g <= best)) {
      away = max(away, 1.0);
      vec3 edge = mix(vec3(brick) - away + 1.0, vec3(brick) + away, vec3(greaterThan(way, vec3(0.0))));
      vec3 exits = (edge - q) / brickWay;
      s += max(1.0, ceil(min(exits.x, min(exits.y, exits.z)) / ds)) * ds;
      continue;
    }
    float value = valueAt(p);
    if (style == 0) {
      if (value >= level) {
        if (s <= opened) {
          // On a section, at a clipping plane or at the end of the scan: one colour, or grey values as on a slice.
          float grey = clamp((value - greyWindow.x) / (greyWindow.y - greyWindow.x), 0.0, 1.0);
          sum = vec4(hasCutColour ? cutColour : vec3(grey), 1.0);
          halfAt = s;
          break;
        }
        float outside = max(opened, s - ds);
        float inside = s;
        for (int k = 0; k < 6; k++) {
          float middle = 0.5 * (outside + inside);
          if (valueAt(start + way * middle) >= level) inside = middle; else outside = middle;
        }
        p = start + way * inside;
        vec3 gradient = gradientAt(p, 1.5);
        vec3 inwards = gradient / max(length(gradient), 1e-9);
        float within = max(level, valueAt(p + 2.5 * inwards / dimensions));
        sum = vec4(look(within).rgb * lightOf(gradient), 1.0);
        halfAt = inside;
        break;
      }
    } else if (style == 3) {
      if (value > best) {
        best = value;
        bestAt = s;
        if (best > 0.99999) break;
      }
    } else {
      vec4 c = look(value);
      if (style == 2) {
        sum += vec4(c.rgb * c.a, c.a) * stepMm;
      } else if (c.a > 0.0) {
        float a = 1.0 - pow(1.0 - c.a, perVoxel);
        vec3 gradient = gradientAt(p, 1.0);
        float light = mix(0.85, lightOf(gradient), clamp(2.0 * length(gradient) / contrast, 0.0, 1.0));
        sum += (1.0 - sum.a) * vec4(c.rgb * light * a, a);
        if (halfAt < 0.0 && sum.a > 0.5) halfAt = s;
        if (sum.a > 0.98) break;
      }
    }
    s += ds;
  }
  if (style == 2) {
    float a = 1.0 - exp(-density * sum.a);
    sum = sum.a > 0.0 ? vec4(sum.rgb / sum.a * a, a) : vec4(0.0);
  }
  if (style == 3 && bestAt >= 0.0) {
    vec4 c = look(best);
    sum = vec4(c.rgb * c.a, c.a);
  }
  colour = sum * weight;
  if (halfAt >= 0.0) gl_FragDepth = depthAt(start + way * halfAt);
}`;
