import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  GLSL3,
  type IUniform,
  Mesh,
  NoBlending,
  Vector3 as Point3,
  type Ray,
} from 'three';
import type { Bounds } from '#kernels/grid/camera.ts';
import { type CutAway, type CutFace, isOnSection, listFaces } from '#kernels/grid/cut-away.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { cutShader, cutUniforms, measureSlack, meetFace, setCuts } from './cut-shader.ts';
import type { Layer, SceneState, SurfaceHit } from './layer.ts';
import { createShader } from './shader-material.ts';

/** The part of the shader specific to a layer: GLSL that sets `colour` or discards, and its declarations. */
interface SectionShader<Name extends string> {
  declarations: string;
  fragment: string;
  uniforms: Record<Name, IUniform>;
}

/** Sections of the clipped part: polygons on the clipping planes, each visible where the other planes keep it. */
export abstract class SectionLayer<Name extends string> implements Layer {
  readonly kind = 'cap';
  readonly opacity = 1;
  readonly object: Mesh<BufferGeometry, ReturnType<typeof createMaterial<Name>>>;
  #cuts: CutAway | null = null;
  #slackMm = 0;

  constructor(shader: SectionShader<Name>) {
    this.object = new Mesh(new BufferGeometry(), createMaterial(shader));
    this.object.frustumCulled = false;
    this.object.visible = false;
  }

  abstract apply(state: SceneState): void;
  /** What a face shows at one of its points; null for nothing. */
  protected abstract hitAt(face: CutFace, point: Vector3): SurfaceHit | null;

  get visible(): boolean {
    return this.object.visible;
  }

  bounds(): Bounds | null {
    return null;
  }

  /** @param box bounds of the clipped object; null hides the sections */
  protected setCuts(cuts: CutAway, box: Bounds | null): void {
    this.object.visible = box !== null;
    this.#cuts = box && cuts;
    if (!box) return;
    this.#slackMm = measureSlack(box);
    const { uniforms } = this.object.material;
    setCuts(uniforms, cuts);
    uniforms.slackMm.value = this.#slackMm;
  }

  /** @param filled the triangles of each face, xyz */
  protected setCorners(filled: readonly { face: CutFace; corners: ArrayLike<number> }[]): void {
    const count = filled.reduce((sum, { corners }) => sum + corners.length, 0);
    const positions = new Float32Array(count);
    const normals = new Float32Array(count);
    const owns = new Float32Array(count / 3);
    let at = 0;
    for (const { face, corners } of filled) {
      positions.set(corners, at);
      for (let k = at; k < at + corners.length; k += 3) normals.set(face.normal, k);
      owns.fill(face.own, at / 3, (at + corners.length) / 3);
      at += corners.length;
    }
    const { geometry } = this.object;
    geometry.setAttribute('position', new BufferAttribute(positions, 3));
    geometry.setAttribute('normal', new BufferAttribute(normals, 3));
    geometry.setAttribute('own', new BufferAttribute(owns, 1));
  }

  /** The nearest section hit by a ray. */
  pick(ray: Ray): SurfaceHit | null {
    const cuts = this.#cuts;
    if (!cuts) return null;
    let nearest: { hit: SurfaceHit; distance: number } | null = null;
    for (const face of listFaces(cuts)) {
      const point = meetFace(ray, face);
      if (!point || !isOnSection(cuts, face.own, point, this.#slackMm)) continue;
      const distance = ray.origin.distanceTo(new Point3(...point));
      if (nearest && nearest.distance <= distance) continue;
      const hit = this.hitAt(face, point);
      if (hit) nearest = { hit, distance };
    }
    return nearest?.hit ?? null;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }
}

const createMaterial = <Name extends string>({ declarations, fragment, uniforms }: SectionShader<Name>) =>
  createShader({
    glslVersion: GLSL3,
    vertexShader: /* glsl */ `
in float own;
out vec3 pointWorld;
out vec3 normalView;
flat out int ownPlane;
void main() {
  pointWorld = position;
  ownPlane = int(own);
  normalView = normalMatrix * normal;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`,
    fragmentShader: /* glsl */ `
precision highp sampler3D;
in vec3 pointWorld;
in vec3 normalView;
flat in int ownPlane;
layout(location = 0) out vec4 colour;
layout(location = 1) out vec4 second;
uniform float slackMm;
${declarations}
${cutShader}
void main() {
  if (isOffSection(pointWorld, ownPlane, slackMm)) discard;
  ${fragment}
  vec3 n = normalize(normalView);
  second = vec4((n.z < 0.0 ? -n : n) * 0.5 + 0.5, 1.0);
}`,
    side: DoubleSide,
    blending: NoBlending,
    uniforms: { ...uniforms, ...cutUniforms(), slackMm: { value: 0 } },
  });
