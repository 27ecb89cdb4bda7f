import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  GLSL3,
  Matrix4,
  Mesh,
  NoBlending,
  Plane,
  type Ray,
  Vector2,
  Vector3,
} from 'three';
import type { Bounds } from '#kernels/grid/camera.ts';
import { outlineOnBox } from '#kernels/grid/turned-grid.ts';
import { scale } from '#kernels/grid/vectors.ts';
import type { Layer, SceneState, SurfaceHit } from './layer.ts';
import { createShader } from './shader-material.ts';
import type { VolumeLayer } from './volume-layer.ts';

const vertexShader = /* glsl */ `
out vec3 place;
out vec3 normalView;
uniform mat4 worldToVolume;
void main() {
  place = (worldToVolume * vec4(position, 1.0)).xyz;
  normalView = normalMatrix * normal;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const fragmentShader = /* glsl */ `
precision highp sampler3D;
in vec3 place;
in vec3 normalView;
layout(location = 0) out vec4 colour;
layout(location = 1) out vec4 second;
uniform sampler3D voxels;
uniform vec2 byteWeights;
uniform vec2 greyWindow;
uniform float level;
void main() {
  float value = dot(texture(voxels, place).rg, byteWeights);
  if (value < level) discard;
  float grey = clamp((value - greyWindow.x) / (greyWindow.y - greyWindow.x), 0.0, 1.0);
  colour = vec4(vec3(grey), 1.0);
  vec3 n = normalize(normalView);
  second = vec4((n.z < 0.0 ? -n : n) * 0.5 + 0.5, 1.0);
}`;

/**
 * The section where the part is cut open: material of the scan in its grey values, as on a slice. One polygon on the plane
 * of the cut; it needs no closed surface.
 */
export class CapLayer implements Layer {
  readonly kind = 'cap';
  readonly opacity = 1;
  readonly object: Mesh<BufferGeometry, ReturnType<typeof capMaterial>>;
  readonly #volume: VolumeLayer;
  #clip: NonNullable<SceneState['clip']> | null = null;
  #level = 0;

  /** @param volume whose voxels are shown, whether or not it is to be seen itself */
  constructor(volume: VolumeLayer) {
    this.#volume = volume;
    this.object = new Mesh(new BufferGeometry(), capMaterial(volume));
    this.object.frustumCulled = false;
    this.object.visible = false;
  }

  get visible(): boolean {
    return this.object.visible;
  }

  bounds(): Bounds | null {
    return null;
  }

  apply({ clip, capLevel, volume }: SceneState): void {
    const { packed } = this.#volume;
    const isShown = clip?.enabled === true && clip.filled === true && capLevel !== null && packed !== null;
    this.object.visible = isShown;
    this.#clip = isShown ? clip : null;
    if (!isShown) return;
    const length = Math.hypot(...clip.normal) || 1;
    const point = scale(clip.normal, clip.offsetMm / length ** 2);
    const outline = outlineOnBox(packed.grid, point, { normal: clip.normal, up: [0, 0, 0] });
    const fan = outline
      .slice(2)
      .flatMap((corner, i) => [outline[0], outline[i + 1], corner].flatMap((p) => p ?? []));
    const normals = Array.from({ length: fan.length / 3 }, () => clip.normal).flat();
    this.object.geometry.setAttribute('position', new BufferAttribute(new Float32Array(fan), 3));
    this.object.geometry.setAttribute('normal', new BufferAttribute(new Float32Array(normals), 3));
    const { uniforms } = this.object.material;
    const toPlace = (grey: number) => (grey - packed.low) / (packed.high - packed.low);
    this.#level = toPlace(capLevel);
    uniforms['level'].value = this.#level;
    uniforms['greyWindow'].value.set(...volume.greyLimits.map(toPlace));
    uniforms['worldToVolume'].value.copy(this.#volume.toWorld).invert();
  }

  /** What the cut shows under a ray: the voxel there, where it is material. */
  pick(ray: Ray): SurfaceHit | null {
    const { packed } = this.#volume;
    if (!this.#clip || !packed) return null;
    const plane = new Plane(new Vector3(...this.#clip.normal), -this.#clip.offsetMm);
    const hit = ray.intersectPlane(plane, new Vector3());
    const place = hit?.clone().applyMatrix4(this.#volume.toWorld.clone().invert());
    if (!hit || !place) return null;
    const [nx, ny, nz] = packed.grid.dimensions;
    const [i, j, k] = [Math.floor(place.x * nx), Math.floor(place.y * ny), Math.floor(place.z * nz)];
    if (i < 0 || j < 0 || k < 0 || i >= nx || j >= ny || k >= nz) return null;
    const value = (packed.voxels[(k * ny + j) * nx + i] ?? 0) / 65535;
    if (value < this.#level) return null;
    const grey = packed.low + value * (packed.high - packed.low);
    return { pointWorld: hit.toArray(), value: null, placeId: null, grey };
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }
}

const capMaterial = (volume: VolumeLayer) =>
  createShader({
    glslVersion: GLSL3,
    vertexShader,
    fragmentShader,
    side: DoubleSide,
    blending: NoBlending,
    uniforms: {
      ...volume.voxelUniforms,
      worldToVolume: { value: new Matrix4() },
      greyWindow: { value: new Vector2(0, 1) },
      level: { value: 0.5 },
    },
  });
