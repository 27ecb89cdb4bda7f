/** Full-screen passes; the names of the uniforms state their inputs. */

/** Distances from the eye, from depth. */
const distances = /* glsl */ `
uniform sampler2D depth;
uniform vec2 reach;
uniform bool isPerspective;
// Height of a pixel in mm: at the camera's target in parallel projection, at 1 mm from the eye in perspective.
uniform float pixelMm;
float distanceAt(float z) {
  return isPerspective
    ? reach.x * reach.y / (reach.y - z * (reach.y - reach.x))
    : mix(reach.x, reach.y, z);
}
float pixelAt(float away) { return isPerspective ? pixelMm * away : pixelMm; }`;

/**
 * Ambient occlusion: the share of ambient light blocked by nearby geometry, from twelve samples on a spiral, rotated
 * per pixel, that rise above the surface. After M. McGuire et al. (2011), “The Alchemy screen-space ambient obscurance
 * algorithm”, https://doi.org/10.1145/2018323.2018327
 */
export const occlusionFragment = /* glsl */ `
out vec4 colour;
uniform sampler2D normals;
uniform float radiusMm;
${distances}
void main() {
  ivec2 size = textureSize(depth, 0);
  ivec2 pixel = min(ivec2(gl_FragCoord.xy) * 2, size - 1);
  float z = texelFetch(depth, pixel, 0).r;
  colour = vec4(1.0);
  if (z >= 1.0) return;
  vec3 normal = normalize(texelFetch(normals, pixel, 0).rgb * 2.0 - 1.0);
  float away = distanceAt(z);
  float mm = pixelAt(away);
  float radiusPx = clamp(radiusMm / mm, 3.0, 0.12 * float(size.y));
  float reachMm = radiusPx * mm;
  float turn = 6.2831853 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  float hidden = 0.0;
  for (int i = 0; i < 12; i++) {
    float share = (float(i) + 0.5) / 12.0;
    float angle = turn + share * 43.9822971;
    ivec2 at = clamp(pixel + ivec2(radiusPx * share * vec2(cos(angle), sin(angle))), ivec2(0), size - 1);
    vec2 aside = vec2(at - pixel) * mm;
    vec3 v = vec3(aside, away - distanceAt(texelFetch(depth, at, 0).r));
    float square = dot(v, v);
    float near = max(0.0, 1.0 - square / (reachMm * reachMm));
    hidden += near * max(0.0, dot(v, normal) - 0.04 * reachMm) * inversesqrt(square + 1e-12);
  }
  colour = vec4(vec3(clamp(1.0 - 2.2 * hidden / 12.0, 0.0, 1.0)), 1.0);
}`;

/** Averages over samples at a similar distance, which keeps edges sharp. */
export const blurFragment = /* glsl */ `
out vec4 colour;
uniform sampler2D occlusion;
${distances}
void main() {
  ivec2 size = textureSize(occlusion, 0);
  ivec2 whole = textureSize(depth, 0) - 1;
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  float away = distanceAt(texelFetch(depth, min(2 * pixel, whole), 0).r);
  float within = 8.0 * pixelAt(away);
  float sum = 0.0;
  float weights = 0.0;
  for (int y = -2; y <= 2; y++) {
    for (int x = -2; x <= 2; x++) {
      ivec2 at = clamp(pixel + ivec2(x, y), ivec2(0), size - 1);
      float off = abs(distanceAt(texelFetch(depth, min(2 * at, whole), 0).r) - away);
      float weight = max(0.0, 1.0 - off / within);
      sum += weight * texelFetch(occlusion, at, 0).r;
      weights += weight;
    }
  }
  colour = vec4(vec3(weights > 0.0 ? sum / weights : 1.0), 1.0);
}`;

/**
 * Combines opaque objects with edges and occlusion, and the volume over them; outputs the depth of both for later
 * passes. A silhouette is drawn where both sides of a point together are further away; a feature edge where the surface
 * normal turns by more than about 40° across the point.
 */
export const composeFragment = /* glsl */ `
in vec2 place;
out vec4 colour;
uniform sampler2D opaque;
uniform sampler2D normals;
uniform sampler2D occlusion;
uniform sampler2D volume;
uniform sampler2D volumeDepth;
uniform vec4 ground;
uniform bool hasEdges;
// Whether the page behind the picture is dark.
uniform bool isOnDark;
uniform bool hasOcclusion;
uniform bool hasVolume;
uniform int widthPx;
${distances}
float lineAt(ivec2 pixel, float z) {
  ivec2 most = textureSize(depth, 0) - 1;
  float away = distanceAt(z);
  float mm = pixelAt(away) * float(widthPx);
  float silhouette = 0.0;
  float crease = 0.0;
  for (int axis = 0; axis < 2; axis++) {
    ivec2 off = axis == 0 ? ivec2(widthPx, 0) : ivec2(0, widthPx);
    ivec2 a = clamp(pixel - off, ivec2(0), most);
    ivec2 b = clamp(pixel + off, ivec2(0), most);
    float fall = distanceAt(texelFetch(depth, a, 0).r) + distanceAt(texelFetch(depth, b, 0).r) - 2.0 * away;
    silhouette = max(silhouette, smoothstep(6.0, 14.0, fall / mm));
    vec4 na = texelFetch(normals, a, 0);
    vec4 nb = texelFetch(normals, b, 0);
    if (na.a > 0.9 && nb.a > 0.9 && abs(fall) < 6.0 * mm) {
      float along = dot(normalize(na.rgb * 2.0 - 1.0), normalize(nb.rgb * 2.0 - 1.0));
      crease = max(crease, smoothstep(0.2, 0.5, 1.0 - along));
    }
  }
  return max(0.62 * silhouette, 0.4 * crease);
}
void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  vec4 things = texelFetch(opaque, pixel, 0);
  float z = texelFetch(depth, pixel, 0).r;
  if (z < 1.0) {
    if (hasOcclusion) things.rgb *= texture(occlusion, place * 0.5 + 0.5).r;
    if (hasEdges) {
      // On a dark page a dark line would not separate a dark object, such as a pore, from the background.
      float dim = 1.0 - smoothstep(0.15, 0.45, dot(things.rgb, vec3(0.2126, 0.7152, 0.0722)));
      things.rgb = mix(things.rgb, vec3(isOnDark ? 0.75 * dim * things.a : 0.0), lineAt(pixel, z));
    }
  }
  colour = things + ground * (1.0 - things.a);
  gl_FragDepth = z;
  if (!hasVolume) return;
  vec4 over = texture(volume, place * 0.5 + 0.5);
  colour = over + colour * (1.0 - over.a);
  gl_FragDepth = min(z, texture(volumeDepth, place * 0.5 + 0.5).r);
}`;

/**
 * Initial values for summing translucent objects: no colour, full transmission, and the depth of the opaque objects.
 */
export const emptySumFragment = /* glsl */ `
in vec2 place;
layout(location = 0) out vec4 sum;
layout(location = 1) out vec4 weights;
uniform sampler2D depth;
uniform sampler2D volumeDepth;
uniform bool hasVolume;
void main() {
  sum = vec4(0.0, 0.0, 0.0, 1.0);
  weights = vec4(0.0);
  float z = texelFetch(depth, ivec2(gl_FragCoord.xy), 0).r;
  gl_FragDepth = hasVolume ? min(z, texture(volumeDepth, place * 0.5 + 0.5).r) : z;
}`;

/** The weighted mean of the translucent objects, with their combined opacity. */
export const resolveFragment = /* glsl */ `
out vec4 colour;
uniform sampler2D sum;
uniform sampler2D weights;
void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  vec4 added = texelFetch(sum, pixel, 0);
  float dense = 1.0 - added.a;
  colour = vec4(added.rgb / max(texelFetch(weights, pixel, 0).r, 1e-4) * dense, dense);
}`;
