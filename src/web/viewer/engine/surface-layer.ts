import { BufferAttribute, BufferGeometry, DoubleSide, Group, Mesh, type Ray, Vector3 } from 'three';
import type { MeshBVH } from 'three-mesh-bvh';
import { textureValue } from '#kernels/color/surface-texture.ts';
import { missingValue } from '#kernels/color/weighted-histogram.ts';
import type { Bounds } from '#kernels/grid/camera.ts';
import { type CutAway, isAnythingCut, isCutAway } from '#kernels/grid/cut-away.ts';
import { openTree } from '../data/surface-cutter.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import { setCuts } from './cut-shader.ts';
import type { Layer, PlaceMarks, SceneState, SurfaceHit } from './layer.ts';
import {
  lutTexture,
  pictureTexture,
  type SurfaceMaterial,
  setTranslucent,
  surfaceMaterial,
} from './surface-material.ts';

/** Of a surface without values. */
export const plainColour = [0.74, 0.76, 0.79] as const;

/** The surface of the part or of its defects, coloured by one of its scalars. */
export class SurfaceLayer implements Layer {
  readonly kind = 'surface';
  readonly object = new Group();
  readonly #material = surfaceMaterial(plainColour);
  readonly #maxTextureSize: number;
  #mesh: Mesh<BufferGeometry, SurfaceMaterial> | null = null;
  #bvh: MeshBVH | null = null;
  #surface: SurfaceData | null = null;
  #scalar: string | null = null;
  /** at the vertices, as they are on the graphics card */
  #values: Float32Array | undefined = undefined;
  #lut: Uint8Array | null = null;
  #places: PlaceMarks | null = null;
  #shown: Uint8Array | null = null;

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
    this.#values = undefined;
    this.#shown = null;
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
    this.#bvh = openTree(surface, geometry);
    this.#mesh = new Mesh(geometry, this.#material);
    this.#mesh.frustumCulled = false;
    this.#mesh.renderOrder = 1;
    this.object.add(this.#mesh);
  }

  bounds(): Bounds | null {
    return this.#surface?.bounds ?? null;
  }

  apply({ lut, range, surface, cuts, places }: SceneState): void {
    const { uniforms } = this.#material;
    if (lut !== this.#lut) {
      this.#lut = lut;
      uniforms['lut'].value.dispose();
      uniforms['lut'].value = lutTexture(lut);
    }
    uniforms['range'].value.set(...range);
    uniforms['brushed'].value = surface.brush !== null;
    if (surface.brush) uniforms['brush'].value.set(...surface.brush);
    uniforms['exact'].value = !surface.shaded;
    uniforms['opacity'].value = surface.opacity;
    setCuts(uniforms, cuts);
    if (!this.#mesh || !this.#surface) return;
    this.#showPlaces(this.#mesh.geometry, this.#surface, places);
    this.#mesh.visible = surface.visible && surface.opacity > 0;
    setTranslucent(this.#mesh, surface.opacity < 1);
    const values = surface.scalar === null ? undefined : this.#surface.scalars[surface.scalar];
    this.#scalar = surface.scalar;
    if (values !== this.#values) {
      this.#values = values;
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

  pick(ray: Ray, cuts: CutAway): SurfaceHit | null {
    const [bvh, surface] = [this.#bvh, this.#surface];
    if (!bvh || !surface || !this.visible) return null;
    let hit = null;
    if (isAnythingCut(cuts) || this.#shown) {
      hit = bvh
        .raycast(ray, DoubleSide)
        .filter(({ point: { x, y, z } }) => !isCutAway(cuts, x, y, z))
        .filter(({ faceIndex }) => this.#isShown(surface, faceIndex ?? 0))
        .sort((one, other) => one.distance - other.distance)[0];
    } else {
      hit = bvh.raycastFirst(ray, DoubleSide);
    }
    if (!hit || hit.faceIndex === undefined || hit.faceIndex === null) return null;
    const { x, y, z } = hit.point;
    return {
      pointWorld: [x, y, z],
      value: this.#valueAt(surface, hit.faceIndex, hit.point),
      placeId: this.#placeAt(surface, hit.faceIndex),
    };
  }

  dispose(): void {
    this.setSurface(null);
    disposeMaterial(this.#material);
  }

  #placeAt(surface: SurfaceData, face: number): number | null {
    return surface.scalars[this.#places?.attribute ?? '']?.[surface.indices[3 * face] ?? -1] ?? null;
  }

  #isShown(surface: SurfaceData, face: number): boolean {
    const id = this.#placeAt(surface, face);
    return this.#shown === null || id === null || this.#shown[id] === 1;
  }

  /** Tells the shader at each vertex whether its place is left out. */
  #showPlaces(geometry: BufferGeometry, { scalars }: SurfaceData, places: PlaceMarks | null): void {
    this.#places = places;
    const shown = places?.shown ?? null;
    if (shown === this.#shown) return;
    this.#shown = shown;
    const ids = scalars[places?.attribute ?? ''];
    if (shown && ids)
      geometry.setAttribute(
        'leftOut',
        new BufferAttribute(
          Uint8Array.from(ids, (id) => 1 - (shown[id] ?? 0)),
          1,
        ),
      );
    else geometry.deleteAttribute('leftOut');
  }

  #valueAt(surface: SurfaceData, face: number, point: Vector3): number | null {
    const values = this.#scalar === null ? undefined : surface.scalars[this.#scalar];
    if (!values) return null;
    const [a = 0, b = 0, c = 0] = surface.indices.subarray(3 * face, 3 * face + 3);
    if ([a, b, c].some((vertex) => values[vertex] === missingValue)) return null;
    const corner = (vertex: number) => new Vector3().fromArray(surface.positions, 3 * vertex);
    const [wa, wb, wc] = barycentric(point, corner(a), corner(b), corner(c));
    const mix = (each: ArrayLike<number>, size = 1, k = 0) =>
      (each[size * a + k] ?? 0) * wa + (each[size * b + k] ?? 0) * wb + (each[size * c + k] ?? 0) * wc;
    const { texture } = surface;
    if (texture && texture.name === this.#scalar)
      return textureValue(texture, mix(texture.coordinates, 2, 0), mix(texture.coordinates, 2, 1));
    return mix(values);
  }
}

export function geometryOf({ positions, normals, indices }: SurfaceData): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(normals, 3));
  geometry.setIndex(new BufferAttribute(indices, 1));
  return geometry;
}

export function disposeMaterial(material: SurfaceMaterial): void {
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
