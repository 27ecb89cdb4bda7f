import {
  CustomBlending,
  DataTexture,
  DoubleSide,
  GLSL3,
  LinearFilter,
  LinearMipmapLinearFilter,
  NearestFilter,
  OneFactor,
  OneMinusSrcAlphaFactor,
  RedFormat,
  RGBAFormat,
  ShaderMaterial,
  UnsignedByteType,
  Vector2,
  Vector3,
  Vector4,
} from 'three';

const vertexShader = /* glsl */ `
in float scalar;
out vec2 vUv;
out float vScalar;
out float vMeasured;
out vec3 vNormalView;
out vec3 vPointWorld;
void main() {
  // The sentinel of a vertex without a value; NaN would not survive every driver.
  bool missing = scalar < -3.0e38;
  vScalar = missing ? 0.0 : scalar;
  vMeasured = missing ? 0.0 : 1.0;
  vNormalView = normalMatrix * normal;
  vPointWorld = (modelMatrix * vec4(position, 1.0)).xyz;
  vUv = uv;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const fragmentShader = /* glsl */ `
in float vScalar;
in float vMeasured;
in vec3 vNormalView;
in vec3 vPointWorld;
in vec2 vUv;
out vec4 colour;
uniform sampler2D lut;
uniform vec2 range;
uniform bool coloured;
uniform bool textured;
uniform sampler2D picture;
uniform vec2 pictureEnds;
uniform bool exact;
uniform vec3 plain;
uniform vec3 notMeasured;
uniform vec4 clipPlane;
uniform bool clipped;
uniform float opacity;
uniform float hatchPx;
void main() {
  if (clipped && dot(clipPlane.xyz, vPointWorld) > clipPlane.w) discard;
  vec3 base = plain;
  if (coloured) {
    // Read for every pixel, also where a branch leads elsewhere: its size on the screen follows from its neighbours'.
    float byte = texture(picture, vUv).r;
    if (!textured && vMeasured < 0.999) {
      base = notMeasured;
    } else {
      float value = textured ? mix(pictureEnds.x, pictureEnds.y, byte) : vScalar;
      float place = (value - range.x) / (range.y - range.x);
      base = texelFetch(lut, ivec2(int(clamp(floor(place * 256.0), 0.0, 255.0)), 0), 0).rgb;
      // Beyond the limits: hatched, to the one side below and to the other above.
      if (place < 0.0 || place > 1.0) {
        float along = place < 0.0 ? gl_FragCoord.x + gl_FragCoord.y : gl_FragCoord.x - gl_FragCoord.y;
        if (mod(along, 8.0 * hatchPx) < 2.0 * hatchPx) base = mix(base, place < 0.0 ? vec3(0.0) : vec3(1.0), 0.5);
      }
    }
  }
  float light = 1.0;
  if (!exact) {
    vec3 n = normalize(vNormalView);
    if (!gl_FrontFacing) n = -n;
    float key = max(0.0, dot(n, vec3(0.267, 0.534, 0.802)));
    float facing = max(0.0, n.z);
    light = coloured ? 0.62 + 0.26 * key + 0.12 * facing : 0.34 + 0.46 * key + 0.20 * facing;
    // The inside of a part that is cut open.
    if (clipped && !gl_FrontFacing) light *= 0.72;
  }
  colour = vec4(base * light * opacity, opacity);
}`;

/**
 * The surface's material: raw bytes of a 256-entry map by scalar, without colour management or tone mapping, so that
 * with `exact` a pixel has exactly the colour that the legend shows.
 */
export function surfaceMaterial(plain: readonly [number, number, number]): ShaderMaterial {
  return new ShaderMaterial({
    glslVersion: GLSL3,
    vertexShader,
    fragmentShader,
    side: DoubleSide,
    toneMapped: false,
    blending: CustomBlending,
    blendSrc: OneFactor,
    blendDst: OneMinusSrcAlphaFactor,
    uniforms: {
      lut: { value: lutTexture(new Uint8Array(768)) },
      range: { value: new Vector2(0, 1) },
      coloured: { value: false },
      textured: { value: false },
      picture: { value: pictureTexture(new Uint8Array(1), 1, 1) },
      pictureEnds: { value: new Vector2(0, 1) },
      exact: { value: false },
      plain: { value: new Vector3(...plain) },
      notMeasured: { value: new Vector3(0.62, 0.62, 0.62) },
      clipPlane: { value: new Vector4(0, 0, 1, 0) },
      clipped: { value: false },
      opacity: { value: 1 },
      hatchPx: { value: 1 },
    },
  });
}

/** @param rgb 256 · 3 bytes */
export function lutTexture(rgb: Uint8Array): DataTexture {
  const rgba = new Uint8Array(1024);
  for (let i = 0; i < 256; i++) rgba.set([rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2], 255], 4 * i);
  const texture = new DataTexture(rgba, 256, 1, RGBAFormat);
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

/** One byte a pixel, rows from the top; smaller copies of it for surfaces that are far away. */
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
  rgb: [number, number, number],
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
