import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  GLSL3,
  Matrix4,
  Mesh,
  NoBlending,
  type Ray,
  Vector2,
  Vector3,
} from 'three';
import { boundsOfPoints } from '#kernels/grid/bounds.ts';
import type { Bounds } from '#kernels/grid/camera.ts';
import { type CutAway, isOnSection, listFaces } from '#kernels/grid/cut-away.ts';
import { listCorners, outlineOnBox } from '#kernels/grid/turned-grid.ts';
import { scale } from '#kernels/grid/vectors.ts';
import { cutShader, cutUniforms, measureSlack, meetFace, setCuts } from './cut-shader.ts';
import type { Layer, SceneState, SurfaceHit } from './layer.ts';
import { createShader } from './shader-material.ts';
import type { VolumeLayer } from './volume-layer.ts';

const vertexShader = /* glsl */ `
in float own;
out vec3 place;
out vec3 pointWorld;
out vec3 normalView;
flat out int ownPlane;
uniform mat4 worldToVolume;
void main() {
  pointWorld = position;
  ownPlane = int(own);
  place = (worldToVolume * vec4(position, 1.0)).xyz;
  normalView = normalMatrix * normal;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const fragmentShader = /* glsl */ `
precision highp sampler3D;
in vec3 place;
in vec3 pointWorld;
in vec3 normalView;
flat in int ownPlane;
layout(location = 0) out vec4 colour;
layout(location = 1) out vec4 second;
uniform sampler3D voxels;
uniform vec2 byteWeights;
uniform vec2 greyWindow;
uniform float level;
uniform float slackMm;
${cutShader}
void main() {
  if (isOffSection(pointWorld, ownPlane, slackMm)) discard;
  float value = dot(texture(voxels, place).rg, byteWeights);
  if (value < level) discard;
  float grey = clamp((value - greyWindow.x) / (greyWindow.y - greyWindow.x), 0.0, 1.0);
  colour = vec4(vec3(grey), 1.0);
  vec3 n = normalize(normalView);
  second = vec4((n.z < 0.0 ? -n : n) * 0.5 + 0.5, 1.0);
}`;

/**
 * The sections where the part is cut open: material of the scan in its grey values, as on a slice. One polygon on each
 * plane of the cut; they need no closed surface.
 */
export class CapLayer implements Layer {
  readonly kind = 'cap';
  readonly opacity = 1;
  readonly object: Mesh<BufferGeometry, ReturnType<typeof capMaterial>>;
  readonly #volume: VolumeLayer;
  #cuts: CutAway | null = null;
  #level = 0;
  #slackMm = 0;

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

  apply({ cuts, section, volume }: SceneState): void {
    const { packed } = this.#volume;
    const isShown = section?.kind === 'grey' && packed !== null;
    this.object.visible = isShown;
    this.#cuts = isShown ? cuts : null;
    if (!isShown) return;
    const corners: number[] = [];
    const normals: number[] = [];
    const owns: number[] = [];
    for (const { normal, offsetMm, own } of listFaces(cuts)) {
      const outline = outlineOnBox(packed.grid, scale(normal, offsetMm), { normal, up: [0, 0, 0] });
      for (const [i, corner] of outline.slice(2).entries())
        for (const point of [outline[0], outline[i + 1], corner]) {
          corners.push(...(point ?? []));
          normals.push(...normal);
          owns.push(own);
        }
    }
    const { geometry } = this.object;
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(corners), 3));
    geometry.setAttribute('normal', new BufferAttribute(new Float32Array(normals), 3));
    geometry.setAttribute('own', new BufferAttribute(new Float32Array(owns), 1));
    const box = boundsOfPoints(listCorners(packed.grid));
    this.#slackMm = box ? measureSlack(box) : 0;
    const { uniforms } = this.object.material;
    setCuts(uniforms, cuts);
    uniforms.slackMm.value = this.#slackMm;
    const toPlace = (grey: number) => (grey - packed.low) / (packed.high - packed.low);
    this.#level = toPlace(section.level);
    uniforms['level'].value = this.#level;
    uniforms['greyWindow'].value.set(...volume.greyLimits.map(toPlace));
    uniforms['worldToVolume'].value.copy(this.#volume.toWorld).invert();
  }

  /** What the nearest section shows under a ray: the voxel there, where it is material. */
  pick(ray: Ray): SurfaceHit | null {
    const [{ packed }, cuts] = [this.#volume, this.#cuts];
    if (!cuts || !packed) return null;
    const toVolume = this.#volume.toWorld.clone().invert();
    const [nx, ny, nz] = packed.grid.dimensions;
    let nearest: { hit: SurfaceHit; distance: number } | null = null;
    for (const face of listFaces(cuts)) {
      const point = meetFace(ray, face);
      if (!point || !isOnSection(cuts, face.own, point, this.#slackMm)) continue;
      const distance = ray.origin.distanceTo(new Vector3(...point));
      if (nearest && nearest.distance <= distance) continue;
      const place = new Vector3(...point).applyMatrix4(toVolume);
      const [i, j, k] = [Math.floor(place.x * nx), Math.floor(place.y * ny), Math.floor(place.z * nz)];
      if (i < 0 || j < 0 || k < 0 || i >= nx || j >= ny || k >= nz) continue;
      const value = (packed.voxels[(k * ny + j) * nx + i] ?? 0) / 65535;
      if (value < this.#level) continue;
      const grey = packed.low + value * (packed.high - packed.low);
      nearest = { distance, hit: { pointWorld: point, value: null, placeId: null, grey } };
    }
    return nearest?.hit ?? null;
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
      ...cutUniforms(),
      slackMm: { value: 0 },
      worldToVolume: { value: new Matrix4() },
      greyWindow: { value: new Vector2(0, 1) },
      level: { value: 0.5 },
    },
  });
