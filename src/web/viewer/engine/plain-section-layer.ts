import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  GLSL3,
  Mesh,
  NoBlending,
  Vector3 as Point3,
  type Ray,
  Vector2,
} from 'three';
import { sectionColour } from '#kernels/color/scene-ground.ts';
import type { Bounds } from '#kernels/grid/camera.ts';
import { type CutAway, type CutFace, isOnSection, listFaces } from '#kernels/grid/cut-away.ts';
import { frameLie } from '#kernels/grid/turned-grid.ts';
import { add, dot, scale } from '#kernels/grid/vectors.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { SurfaceCutter } from '../data/surface-cutter.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import { cutShader, cutUniforms, measureSlack, meetFace, setCuts } from './cut-shader.ts';
import { fillSection, isWithin, listLoops } from './fill-section.ts';
import type { Layer, SceneState, SurfaceHit } from './layer.ts';
import { createShader } from './shader-material.ts';

interface Filled {
  key: string;
  loops: ReturnType<typeof listLoops>;
  corners: Float32Array;
}

/** The section where the surface is cut open, filled with one colour between the lines along which it is cut. */
export class PlainSectionLayer implements Layer {
  readonly kind = 'cap';
  readonly opacity = 1;
  readonly object: Mesh<BufferGeometry, ReturnType<typeof sectionMaterial>>;
  #cutter: SurfaceCutter | null = null;
  #filled = new Map<string, Filled>();
  #cuts: CutAway | null = null;
  #drawn = '';
  #slackMm = 0;

  constructor() {
    this.object = new Mesh(new BufferGeometry(), sectionMaterial());
    this.object.frustumCulled = false;
    this.object.visible = false;
  }

  get visible(): boolean {
    return this.object.visible;
  }

  /** Cuts another surface, or none. The layer keeps the arrays. */
  setSurface(surface: SurfaceData | null): void {
    this.#cutter = surface && new SurfaceCutter(surface);
    this.#filled.clear();
    this.#drawn = '';
  }

  bounds(): Bounds | null {
    return null;
  }

  apply({ cuts, section, surface }: SceneState): void {
    const isShown = section?.kind === 'plain' && surface.visible && this.#cutter !== null;
    this.object.visible = isShown;
    this.#cuts = isShown ? cuts : null;
    if (!isShown || !this.#cutter) return;
    this.#slackMm = measureSlack(this.#cutter.surface.bounds);
    const { uniforms } = this.object.material;
    setCuts(uniforms, cuts);
    uniforms.slackMm.value = this.#slackMm;
    const faces = listFaces(cuts);
    const filled = faces.map((face) => this.#fill(face));
    this.#filled = new Map(filled.map((each) => [each.key, each]));
    const drawn = filled.map(({ key }, i) => `${key} ${faces[i]?.own}`).join();
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const count = filled.reduce((sum, { corners }) => sum + corners.length, 0);
    const positions = new Float32Array(count);
    const normals = new Float32Array(count);
    const owns = new Float32Array(count / 3);
    let at = 0;
    for (const [i, { corners }] of filled.entries()) {
      const face = faces[i];
      if (!face) continue;
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

  /** The place of the section under a ray: nothing is measured there. */
  pick(ray: Ray): SurfaceHit | null {
    const cuts = this.#cuts;
    if (!cuts) return null;
    let nearest: { distance: number; point: Vector3 } | null = null;
    for (const face of listFaces(cuts)) {
      const point = meetFace(ray, face);
      if (!point || !isOnSection(cuts, face.own, point, this.#slackMm)) continue;
      const distance = ray.origin.distanceTo(new Point3(...point));
      const { right, up } = frameLie({ normal: face.normal, up: [0, 0, 0] });
      const place = new Vector2(dot(right, point), dot(up, point));
      if (nearest && nearest.distance <= distance) continue;
      if (isWithin(this.#filled.get(nameFace(face))?.loops ?? [], place)) nearest = { distance, point };
    }
    return nearest && { pointWorld: nearest.point, value: null, placeId: null, grey: null };
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }

  #fill(face: CutFace): Filled {
    const key = nameFace(face);
    const known = this.#filled.get(key);
    if (known || !this.#cutter) return known ?? { key, loops: [], corners: new Float32Array() };
    const { right, up } = frameLie({ normal: face.normal, up: [0, 0, 0] });
    const rows = [...right, 0, ...up, 0, ...face.normal, -face.offsetMm];
    const loops = listLoops(this.#cutter.cut(rows));
    const places = fillSection(loops);
    const corners = new Float32Array((places.length / 2) * 3);
    const off = scale(face.normal, face.offsetMm);
    for (let i = 0; 2 * i < places.length; i++) {
      const [u = 0, v = 0] = [places[2 * i], places[2 * i + 1]];
      corners.set(add(off, add(scale(right, u), scale(up, v))), 3 * i);
    }
    return { key, loops, corners };
  }
}

const nameFace = ({ normal, offsetMm }: CutFace): string => [...normal, offsetMm].join();

const sectionMaterial = () =>
  createShader({
    glslVersion: GLSL3,
    vertexShader: /* glsl */ `
in float own;
out vec3 pointWorld;
out vec3 normalView;
flat out int ownPlane;
void main() {
  pointWorld = position;
  normalView = normalMatrix * normal;
  ownPlane = int(own);
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`,
    fragmentShader: /* glsl */ `
in vec3 pointWorld;
in vec3 normalView;
flat in int ownPlane;
layout(location = 0) out vec4 colour;
layout(location = 1) out vec4 second;
uniform float slackMm;
${cutShader}
void main() {
  if (isOffSection(pointWorld, ownPlane, slackMm)) discard;
  colour = vec4(${sectionColour.join()}, 1.0);
  vec3 n = normalize(normalView);
  second = vec4((n.z < 0.0 ? -n : n) * 0.5 + 0.5, 1.0);
}`,
    side: DoubleSide,
    blending: NoBlending,
    uniforms: { ...cutUniforms(), slackMm: { value: 0 } },
  });
