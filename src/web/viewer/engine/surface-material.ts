import {
  type BufferGeometry,
  CustomBlending,
  DataTexture,
  DoubleSide,
  GLSL3,
  LinearFilter,
  LinearMipmapLinearFilter,
  type Mesh,
  NearestFilter,
  OneFactor,
  OneMinusSrcAlphaFactor,
  RedFormat,
  RGBAFormat,
  ShaderMaterial,
  UnsignedByteType,
  Vector2,
  Vector3,
  ZeroFactor,
} from 'three';
import { aboveIndex, belowIndex, colorMap } from '#kernels/color/maps.ts';
import { cutShader, cutUniforms } from './cut-shader.ts';
import { opaquePass, translucentPass } from './layer.ts';
import { createShader, type ShaderWith } from './shader-material.ts';

/** Colour of values outside the brushed range. */
const unbrushedColour = [0.8, 0.81, 0.83] as const;

const vertexShader = /* glsl */ `
out vec3 vNormalView;
#ifdef COLOURED
in float scalar;
out float vScalar;
out float vMeasured;
#endif
#ifdef TEXTURED
out vec2 vUv;
#endif
#ifdef PLACES
in float leftOut;
out float vLeftOut;
#endif
#ifdef CUT
out vec3 vPointWorld;
#endif
#ifdef TRANSLUCENT
out float vFar;
#endif
void main() {
  vNormalView = normalMatrix * normal;
  vec4 seen = modelViewMatrix * vec4(position, 1.0);
  gl_Position = projectionMatrix * seen;
#ifdef COLOURED
  // Sentinel of a vertex without a value; NaN would not survive every driver.
  bool missing = scalar < -3.0e38;
  vScalar = missing ? 0.0 : scalar;
  vMeasured = missing ? 0.0 : 1.0;
#endif
#ifdef TEXTURED
  vUv = uv;
#endif
#ifdef PLACES
  vLeftOut = leftOut;
#endif
#ifdef CUT
  vPointWorld = (modelMatrix * vec4(position, 1.0)).xyz;
#endif
#ifdef TRANSLUCENT
  // 0 at the near plane to 1 at the far plane, linear in mm.
  mat4 p = projectionMatrix;
  float nearest = p[3][2] / (p[2][2] - 1.0);
  float furthest = p[3][2] / (p[2][2] + 1.0);
  vFar = p[3][3] == 1.0 ? gl_Position.z * 0.5 + 0.5 : (-seen.z - nearest) / (furthest - nearest);
#endif
}`;

const fragmentShader = /* glsl */ `
in vec3 vNormalView;
#ifdef COLOURED
in float vScalar;
in float vMeasured;
#endif
#ifdef TEXTURED
in vec2 vUv;
#endif
#ifdef PLACES
in float vLeftOut;
#endif
#ifdef CUT
in vec3 vPointWorld;
#endif
#ifdef TRANSLUCENT
in float vFar;
#endif
layout(location = 0) out vec4 colour;
layout(location = 1) out vec4 second;
uniform sampler2D lut;
uniform vec2 range;
uniform sampler2D picture;
uniform vec2 pictureEnds;
uniform bool exact;
uniform vec3 plain;
uniform vec3 notMeasured;
uniform vec3 unbrushed;
uniform float opacity;
uniform float hatchPx;
uniform bool brushed;
uniform vec2 brush;
#ifdef CUT
${cutShader}
#endif
#ifdef COLOURED
vec3 findColour(float value) {
  float place = (value - range.x) / (range.y - range.x);
  int entry = place < 0.0 ? ${belowIndex} : place > 1.0 ? ${aboveIndex} : min(255, int(floor(place * 256.0)));
  vec3 base = texelFetch(lut, ivec2(entry, 0), 0).rgb;
  if (brushed && (value < brush.x || value > brush.y)) return unbrushed;
  if (place >= 0.0 && place <= 1.0) return base;
  // Beyond the limits: hatched, in one direction below and in the other above.
  float along = place < 0.0 ? gl_FragCoord.x + gl_FragCoord.y : gl_FragCoord.x - gl_FragCoord.y;
  if (mod(along, 8.0 * hatchPx) >= 2.0 * hatchPx) return base;
  return mix(base, place < 0.0 ? vec3(0.0) : vec3(1.0), 0.5);
}
#endif
void main() {
#ifdef PLACES
  if (vLeftOut > 0.5) discard;
#endif
#ifdef CUT
  if (isCutAway(vPointWorld)) discard;
#endif
  vec3 base = plain;
#ifdef TEXTURED
  base = findColour(mix(pictureEnds.x, pictureEnds.y, texture(picture, vUv).r));
#elif defined(COLOURED)
  base = vMeasured < 0.999 ? notMeasured : findColour(vScalar);
#endif
  float light = 1.0;
  float alpha = opacity;
  vec3 n = normalize(vNormalView);
  if (!gl_FrontFacing) n = -n;
  if (!exact) {
    float key = max(0.0, dot(n, vec3(0.267, 0.534, 0.802)));
    float facing = max(0.0, n.z);
#ifdef COLOURED
    light = 0.62 + 0.26 * key + 0.12 * facing;
#else
    light = 0.34 + 0.46 * key + 0.20 * facing;
#endif
#ifdef CUT
    // The inside of a clipped part.
    if (!gl_FrontFacing) light *= 0.72;
#endif
#ifdef TRANSLUCENT
    // A thin shell is denser at grazing angles.
    alpha = 1.0 - pow(1.0 - opacity, 1.0 / max(facing, 0.25));
#endif
  }
  colour = vec4(base * light * alpha, alpha);
  second = vec4(n * 0.5 + 0.5, 1.0);
#ifdef TRANSLUCENT
  // Distant fragments get a lower weight, as if some layers of this opacity were distributed over the depth of the
  // picture.
  float weight = clamp(pow(1.0 - opacity, 8.0 * (vFar - 0.5)), 1e-3, 1e3);
  colour.rgb *= weight;
  second = vec4(alpha * weight);
#endif
}`;

/**
 * The surface's material: raw bytes of a 256-entry map by scalar, without colour management or tone mapping, so that
 * with `exact` a pixel has exactly the colour shown in the legend.
 */
export function surfaceMaterial(plain: readonly [number, number, number]) {
  const material = createShader({
    glslVersion: GLSL3,
    vertexShader,
    fragmentShader,
    side: DoubleSide,
    toneMapped: false,
    blending: CustomBlending,
    blendSrc: OneFactor,
    blendDst: OneMinusSrcAlphaFactor,
    uniforms: {
      lut: { value: lutTexture(colorMap('gray')) },
      range: { value: new Vector2(0, 1) },
      coloured: { value: false },
      textured: { value: false },
      picture: { value: pictureTexture(new Uint8Array(1), 1, 1) },
      pictureEnds: { value: new Vector2(0, 1) },
      exact: { value: false },
      plain: { value: new Vector3(...plain) },
      notMeasured: { value: new Vector3(0.62, 0.62, 0.62) },
      unbrushed: { value: new Vector3(...unbrushedColour) },
      brushed: { value: false },
      brush: { value: new Vector2(0, 1) },
      ...cutUniforms(),
      opacity: { value: 1 },
      isTranslucent: { value: false },
      hatchPx: { value: 1 },
    },
  });
  material.onBeforeRender = (_renderer, _scene, _camera, geometry) =>
    chooseParts(material, geometry.hasAttribute('leftOut'));
  return material;
}

/**
 * Compiles only the parts of the shader in use: without a `discard`, hidden fragments are never shaded, and unused
 * varyings are not interpolated. Compiled programs are cached.
 */
function chooseParts(
  material: ShaderWith<'isCut' | 'coloured' | 'textured' | 'isTranslucent'>,
  hasPlaces: boolean,
): void {
  const { isCut, coloured, textured, isTranslucent } = material.uniforms;
  const isTextured = coloured.value && textured.value;
  const wanted = {
    CUT: isCut.value,
    COLOURED: coloured.value,
    TEXTURED: isTextured,
    TRANSLUCENT: isTranslucent.value,
    PLACES: hasPlaces,
  };
  const parts = Object.entries(wanted).filter(([, isWanted]) => isWanted);
  const defines = Object.fromEntries(parts.map(([name]) => [name, '']));
  if (Object.keys(material.defines).join() === Object.keys(defines).join()) return;
  material.defines = defines;
  material.needsUpdate = true;
}

export type SurfaceMaterial = ReturnType<typeof surfaceMaterial>;

/** Whether objects with this material hide others behind them, or are summed with all other translucent ones. */
export function setTranslucent(mesh: Mesh<BufferGeometry, SurfaceMaterial>, isTranslucent: boolean): void {
  const { material } = mesh;
  mesh.layers.set(isTranslucent ? translucentPass : opaquePass);
  material.transparent = isTranslucent;
  material.depthWrite = !isTranslucent;
  material.uniforms.isTranslucent.value = isTranslucent;
  // Colours and weights are summed, transmission is multiplied.
  material.blendDst = isTranslucent ? OneFactor : OneMinusSrcAlphaFactor;
  material.blendSrcAlpha = isTranslucent ? ZeroFactor : null;
  material.blendDstAlpha = isTranslucent ? OneMinusSrcAlphaFactor : null;
}

/** @param rgb a colour map with entries for values beyond its limits */
export function lutTexture(rgb: Uint8Array): DataTexture {
  const size = rgb.length / 3;
  const rgba = new Uint8Array(4 * size);
  for (let i = 0; i < size; i++) rgba.set([...rgb.subarray(3 * i, 3 * i + 3), 255], 4 * i);
  const texture = new DataTexture(rgba, size, 1, RGBAFormat);
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

/** One byte per pixel, rows from the top; with mipmaps for distant surfaces. */
export function pictureTexture(bytes: Uint8Array<ArrayBuffer>, width: number, height: number): DataTexture {
  const texture = new DataTexture(bytes, width, height, RedFormat, UnsignedByteType);
  texture.unpackAlignment = 1;
  texture.magFilter = LinearFilter;
  texture.minFilter = LinearMipmapLinearFilter;
  texture.generateMipmaps = true;
  texture.anisotropy = 4;
  texture.needsUpdate = true;
  return texture;
}

/** Lines of one raw colour. */
export function lineMaterial(
  rgb: readonly [number, number, number],
  opacity: number,
  depthTest: boolean,
): ShaderMaterial {
  return new ShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: 'void main() { gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }',
    fragmentShader:
      'out vec4 colour; uniform vec3 rgb; uniform float opacity; void main() { colour = vec4(rgb * opacity, opacity); }',
    uniforms: { rgb: { value: new Vector3(...rgb) }, opacity: { value: opacity } },
    transparent: true,
    depthTest,
    depthWrite: false,
    blending: CustomBlending,
    blendSrc: OneFactor,
    blendDst: OneMinusSrcAlphaFactor,
  });
}
