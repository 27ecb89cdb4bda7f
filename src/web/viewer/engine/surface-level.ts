import { BufferAttribute, BufferGeometry, DoubleSide, Mesh, type Ray, Vector3 } from 'three';
import type { MeshBVH } from 'three-mesh-bvh';
import { textureValue } from '#kernels/color/surface-texture.ts';
import { missingValue } from '#kernels/color/weighted-histogram.ts';
import { type CutAway, isAnythingCut, isCutAway } from '#kernels/grid/cut-away.ts';
import { listFewer } from '#kernels/places/list-fewer.ts';
import type { PlaceMarks } from '#kernels/places/place-marks.ts';
import { openTree } from '../data/surface-cutter.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import type { SurfaceHit } from './layer.ts';
import type { SurfaceMaterial } from './surface-material.ts';

/** A surface at one level of detail: its arrays on the graphics card, and ray casting. */
export class SurfaceLevel {
  readonly surface: SurfaceData;
  readonly mesh: Mesh<BufferGeometry, SurfaceMaterial>;
  readonly #bvh: MeshBVH;
  #scalar: string | null = null;
  /** values at the vertices, as on the graphics card */
  #values: Float32Array | undefined = undefined;
  #places: PlaceMarks | null = null;
  #shown: Uint8Array | null = null;
  readonly #whole: BufferGeometry;
  /** the same attributes, with an index of fewer triangles */
  readonly #fewer = new BufferGeometry();
  #listed: { shown: Uint8Array | null; most: number } | null = null;

  /** @param surface its arrays are referenced, not copied */
  constructor(surface: SurfaceData, material: SurfaceMaterial) {
    this.surface = surface;
    const geometry = readGeometry(surface);
    this.#whole = geometry;
    this.#bvh = openTree(surface, geometry);
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 1;
  }

  get triangles(): number {
    return this.surface.indices.length / 3;
  }

  get isColoured(): boolean {
    return this.#values !== undefined;
  }

  /** Sets which of its scalars and which of its places are shown. */
  apply(scalar: string | null, places: PlaceMarks | null): void {
    this.#showPlaces(places);
    this.#scalar = scalar;
    const values = scalar === null ? undefined : this.surface.scalars[scalar];
    if (values === this.#values) return;
    this.#values = values;
    if (values) this.#whole.setAttribute('scalar', new BufferAttribute(values, 1));
    else this.#whole.deleteAttribute('scalar');
  }

  /**
   * Limits drawing to the largest of many bodies that represent places; null = all of them. Picking always tests all.
   */
  drawFewer(most: number | null): void {
    const fewer = most === null ? null : this.#listFewer(most);
    this.mesh.geometry = fewer ?? this.#whole;
  }

  pick(ray: Ray, cuts: CutAway): SurfaceHit | null {
    let hit = null;
    if (isAnythingCut(cuts) || this.#shown) {
      hit = this.#bvh
        .raycast(ray, DoubleSide)
        .filter(({ point: { x, y, z } }) => !isCutAway(cuts, x, y, z))
        .filter(({ faceIndex }) => this.#isShown(faceIndex ?? 0))
        .sort((one, other) => one.distance - other.distance)[0];
    } else {
      hit = this.#bvh.raycastFirst(ray, DoubleSide);
    }
    if (!hit || hit.faceIndex === undefined || hit.faceIndex === null) return null;
    const { x, y, z } = hit.point;
    return {
      pointWorld: [x, y, z],
      value: this.#valueAt(hit.faceIndex, hit.point),
      placeId: this.#placeAt(hit.faceIndex),
    };
  }

  dispose(): void {
    this.#whole.dispose();
    this.#fewer.dispose();
  }

  /** @returns null if there are no more than the limit */
  #listFewer(most: number): BufferGeometry | null {
    const { indices, scalars } = this.surface;
    const ids = scalars[this.#places?.attribute ?? ''];
    const { standIn } = scalars;
    // Each is an octahedron.
    if (!ids || !standIn || indices.length <= 24 * most) return null;
    const list = (shown: Uint8Array | null) => listFewer({ indices, ids, standIn, shown }, most);
    if (this.#listed?.shown !== this.#shown || this.#listed.most !== most) {
      this.#listed = { shown: this.#shown, most };
      const listed = list(this.#shown);
      // A single index buffer with room for any selection, so that only its content is written to the graphics card.
      const known = this.#fewer.getIndex() ?? new BufferAttribute(new Uint32Array(list(null).length), 1);
      known.array.set(listed);
      known.needsUpdate = true;
      this.#fewer.setIndex(known);
      this.#fewer.setDrawRange(0, listed.length);
    }
    this.#fewer.attributes = this.#whole.attributes;
    return this.#fewer;
  }

  #placeAt(face: number): number | null {
    const { scalars, indices } = this.surface;
    return scalars[this.#places?.attribute ?? '']?.[indices[3 * face] ?? -1] ?? null;
  }

  #isShown(face: number): boolean {
    const id = this.#placeAt(face);
    return this.#shown === null || id === null || this.#shown[id] === 1;
  }

  /** Passes to the shader, for each vertex, whether its place is hidden. */
  #showPlaces(places: PlaceMarks | null): void {
    this.#places = places;
    const shown = places?.shown ?? null;
    if (shown === this.#shown) return;
    this.#shown = shown;
    const ids = this.surface.scalars[places?.attribute ?? ''];
    if (shown && ids)
      this.#whole.setAttribute(
        'leftOut',
        new BufferAttribute(
          Uint8Array.from(ids, (id) => 1 - (shown[id] ?? 0)),
          1,
        ),
      );
    else this.#whole.deleteAttribute('leftOut');
  }

  #valueAt(face: number, point: Vector3): number | null {
    const { scalars, indices, positions, texture } = this.surface;
    const values = this.#scalar === null ? undefined : scalars[this.#scalar];
    if (!values) return null;
    const [a = 0, b = 0, c = 0] = indices.subarray(3 * face, 3 * face + 3);
    if ([a, b, c].some((vertex) => values[vertex] === missingValue)) return null;
    const corner = (vertex: number) => new Vector3().fromArray(positions, 3 * vertex);
    const [wa, wb, wc] = barycentric(point, corner(a), corner(b), corner(c));
    const mix = (each: ArrayLike<number>, size = 1, k = 0) =>
      (each[size * a + k] ?? 0) * wa + (each[size * b + k] ?? 0) * wb + (each[size * c + k] ?? 0) * wc;
    if (texture && texture.name === this.#scalar)
      return textureValue(texture, mix(texture.coordinates, 2, 0), mix(texture.coordinates, 2, 1));
    return mix(values);
  }
}

export function readGeometry({ positions, normals, indices }: SurfaceData): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(normals, 3));
  geometry.setIndex(new BufferAttribute(indices, 1));
  return geometry;
}

/** Barycentric weights of a point in the plane of a triangle. */
function barycentric(point: Vector3, a: Vector3, b: Vector3, c: Vector3): [number, number, number] {
  const [u, v, w] = [b.clone().sub(a), c.clone().sub(a), point.clone().sub(a)];
  const [uu, uv, vv, wu, wv] = [u.dot(u), u.dot(v), v.dot(v), w.dot(u), w.dot(v)];
  const determinant = uu * vv - uv * uv;
  if (!(determinant > 0)) return [1, 0, 0];
  const wb = (vv * wu - uv * wv) / determinant;
  const wc = (uu * wv - uv * wu) / determinant;
  return [1 - wb - wc, wb, wc];
}
