import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  Group,
  Mesh,
  type Ray,
  type ShaderMaterial,
  Vector3,
} from 'three';
import { MeshBVH } from 'three-mesh-bvh';
import { textureValue } from '#kernels/color/surface-texture.ts';
import { missingValue } from '#kernels/color/weighted-histogram.ts';
import type { Bounds } from '#kernels/grid/camera.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import { type Layer, type SceneState, type SurfaceHit, translucentPass } from './layer.ts';
import { lutTexture, pictureTexture, surfaceMaterial } from './surface-material.ts';

/** Of a surface without values. */
const plainColour = [0.74, 0.76, 0.79] as const;

/** The surface of the part or of its defects, coloured by one of its scalars. */
export class SurfaceLayer implements Layer {
  readonly kind = 'surface';
  readonly object = new Group();
  readonly #material = surfaceMaterial(plainColour);
  readonly #maxTextureSize: number;
  #mesh: Mesh<BufferGeometry, ShaderMaterial> | null = null;
  #bvh: MeshBVH | null = null;
  #surface: SurfaceData | null = null;
  #scalar: string | null = null;
  #lut: Uint8Array | null = null;

  constructor(maxTextureSize: number) {
    this.#maxTextureSize = maxTextureSize;
  }

  get visible(): boolean {
    return this.#mesh?.visible ?? false;
  }

  get opacity(): number {
    return this.#material.uniforms['opacity'].value;
  }

  /** Shows another surface, or none. The layer keeps the arrays. */
  setSurface(surface: SurfaceData | null): void {
    if (this.#mesh) {
      this.object.remove(this.#mesh);
      this.#mesh.geometry.dispose();
    }
    this.#mesh = null;
    this.#bvh = null;
    this.#surface = surface;
    this.#scalar = null;
    if (!surface) return;
    const geometry = geometryOf(surface);
    const { texture } = surface;
    if (texture && Math.max(texture.width, texture.height) <= this.#maxTextureSize) {
      geometry.setAttribute('uv', new BufferAttribute(texture.coordinates, 2));
      const { uniforms } = this.#material;
      uniforms['picture'].value.dispose();
      uniforms['picture'].value = pictureTexture(texture.bytes, texture.width, texture.height);
      uniforms['pictureEnds'].value.set(texture.low, texture.high);
    }
    // The version is missing in the package's types; without it the tree would be taken for an older layout.
    const tree = { version: 1, roots: surface.bvhRoots, index: surface.indices, indirectBuffer: null };
    this.#bvh = MeshBVH.deserialize(tree, geometry, { setIndex: false });
    this.#mesh = new Mesh(geometry, this.#material);
    this.#mesh.frustumCulled = false;
    this.#mesh.renderOrder = 1;
    this.object.add(this.#mesh);
  }

  bounds(): Bounds | null {
    return this.#surface?.bounds ?? null;
  }

  apply({ lut, range, surface, clip }: SceneState): void {
    const { uniforms } = this.#material;
    if (lut !== this.#lut) {
      this.#lut = lut;
      uniforms['lut'].value.dispose();
      uniforms['lut'].value = lutTexture(lut);
    }
    uniforms['range'].value.set(...range);
    uniforms['exact'].value = !surface.shaded;
    uniforms['opacity'].value = surface.opacity;
    uniforms['clipped'].value = clip?.enabled ?? false;
    if (clip) uniforms['clipPlane'].value.set(...clip.normal, clip.offsetMm);
    if (!this.#mesh || !this.#surface) return;
    this.#mesh.visible = surface.visible && surface.opacity > 0;
    this.#material.transparent = surface.opacity < 1;
    this.#mesh.layers.set(surface.opacity < 1 ? translucentPass : 0);
    const values = surface.scalar === null ? undefined : this.#surface.scalars[surface.scalar];
    if (surface.scalar !== this.#scalar) {
      this.#scalar = surface.scalar;
      if (values) this.#mesh.geometry.setAttribute('scalar', new BufferAttribute(values, 1));
      else this.#mesh.geometry.deleteAttribute('scalar');
    }
    uniforms['coloured'].value = values !== undefined;
    uniforms['textured'].value =
      this.#scalar === this.#surface.texture?.name && this.#mesh.geometry.hasAttribute('uv');
  }

  prepare(scale: number): void {
    this.#material.uniforms['hatchPx'].value = scale;
  }

  pick(ray: Ray, clip: SceneState['clip']): SurfaceHit | null {
    const [bvh, surface] = [this.#bvh, this.#surface];
    if (!bvh || !surface || !this.visible) return null;
    let hit = null;
    if (clip?.enabled) {
      const [a, b, c] = clip.normal;
      hit = bvh
        .raycast(ray, DoubleSide)
        .filter(({ point }) => a * point.x + b * point.y + c * point.z <= clip.offsetMm)
        .sort((one, other) => one.distance - other.distance)[0];
    } else {
      hit = bvh.raycastFirst(ray, DoubleSide);
    }
    if (!hit || hit.faceIndex === undefined || hit.faceIndex === null) return null;
    const { x, y, z } = hit.point;
    return { pointWorld: [x, y, z], value: this.#valueAt(surface, hit.faceIndex, hit.point) };
  }

  dispose(): void {
    this.setSurface(null);
    disposeMaterial(this.#material);
  }

  #valueAt(surface: SurfaceData, face: number, point: Vector3): number | null {
    const values = this.#scalar === null ? undefined : surface.scalars[this.#scalar];
    if (!values) return null;
    const corners = [0, 1, 2].map((k) => surface.indices[3 * face + k]);
    const [a, b, c] = corners.map((vertex) => new Vector3().fromArray(surface.positions, 3 * vertex));
    const [va, vb, vc] = corners.map((vertex) => values[vertex]);
    if (va === missingValue || vb === missingValue || vc === missingValue) return null;
    const [wa, wb, wc] = barycentric(point, a, b, c);
    const { texture } = surface;
    if (texture && texture.name === this.#scalar) {
      const [u, v] = [0, 1].map((k) => {
        const [ua, ub, uc] = corners.map((vertex) => texture.coordinates[2 * vertex + k]);
        return ua * wa + ub * wb + uc * wc;
      });
      return textureValue(texture, u, v);
    }
    return va * wa + vb * wb + vc * wc;
  }
}

export function geometryOf({ positions, normals, indices }: SurfaceData): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(normals, 3));
  geometry.setIndex(new BufferAttribute(indices, 1));
  return geometry;
}

export function disposeMaterial(material: ShaderMaterial): void {
  material.uniforms['lut'].value.dispose();
  material.uniforms['picture'].value.dispose();
  material.dispose();
}

/** Weights of the corners of a triangle at a point in its plane. */
function barycentric(point: Vector3, a: Vector3, b: Vector3, c: Vector3): [number, number, number] {
  const [u, v, w] = [b.clone().sub(a), c.clone().sub(a), point.clone().sub(a)];
  const [uu, uv, vv, wu, wv] = [u.dot(u), u.dot(v), v.dot(v), w.dot(u), w.dot(v)];
  const determinant = uu * vv - uv * uv;
  if (!(determinant > 0)) return [1, 0, 0];
  const wb = (vv * wu - uv * wv) / determinant;
  const wc = (uu * wv - uv * wu) / determinant;
  return [1 - wb - wc, wb, wc];
}
