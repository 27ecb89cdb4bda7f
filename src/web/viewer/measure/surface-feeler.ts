import { BufferGeometry, DoubleSide, Ray, Vector3 } from 'three';
import type { MeshBVH } from 'three-mesh-bvh';
import { findNeighbours, growPatch, type VertexNeighbours } from '#kernels/features/grow-patch.ts';
import type { Vector3 as Point } from '#kernels/grid/volume.ts';
import { openTree } from '../data/surface-cutter.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import type { ViewerModel } from '../state/viewer-model.ts';

/** Points of a patch that are fitted: more don't make it surer, as neighbours share their noise. */
const patchPoints = 300;

/** What a loaded surface is like around a place on it. */
export class SurfaceFeeler {
  readonly surface: SurfaceData;
  readonly #bvh: MeshBVH;
  #neighbours: VertexNeighbours | null = null;

  /** @param surface its arrays are shared, not copied */
  constructor(surface: SurfaceData) {
    this.surface = surface;
    this.#bvh = openTree(surface, new BufferGeometry());
  }

  /** The place of the surface that is nearest. */
  findPlace(place: Point): Point | null {
    return this.#findNearest(place)?.point.toArray() ?? null;
  }

  /** From the surface at a place through the material to where its normal's line leaves it; null where it does not. */
  findWall(place: Point): [Point, Point] | null {
    const nearest = this.#findNearest(place);
    if (!nearest) return null;
    const { normals, bounds } = this.surface;
    const inwards = new Vector3();
    for (const vertex of nearest.vertices) inwards.sub(new Vector3().fromArray(normals, 3 * vertex));
    inwards.normalize();
    const size = new Vector3(...bounds.max).distanceTo(new Vector3(...bounds.min));
    const origin = nearest.point.clone().addScaledVector(inwards, 1e-6 * size);
    const hit = this.#bvh.raycastFirst(new Ray(origin, inwards), DoubleSide);
    // A face that is met from outside is not the end of this wall.
    if (!hit?.face || hit.face.normal.dot(inwards) <= 0) return null;
    return [nearest.point.toArray(), hit.point.toArray()];
  }

  /** Points of the face around a place. */
  findPatch(place: Point, isPlane: boolean): Point[] {
    const nearest = this.#findNearest(place);
    if (!nearest) return [];
    this.#neighbours ??= findNeighbours(this.surface);
    return growPatch(this.surface, this.#neighbours, nearest.vertices[0] ?? 0, {
      isPlane,
      mostPoints: patchPoints,
    });
  }

  #findNearest(place: Point): { point: Vector3; vertices: number[] } | null {
    const hit = this.#bvh.closestPointToPoint(new Vector3(...place));
    if (!hit) return null;
    const vertices = [...this.surface.indices.subarray(3 * hit.faceIndex, 3 * hit.faceIndex + 3)];
    return { point: hit.point, vertices };
  }
}

/** Lets what is measured feel the part's surface that is loaded. */
export function feelSurface(model: ViewerModel): void {
  let last: SurfaceFeeler | null = null;
  model.measuring.feeler = () => {
    const surface = model.surface?.shows === 'part' ? model.surfaceData.get() : null;
    if (surface !== (last?.surface ?? null)) last = surface && new SurfaceFeeler(surface);
    return last;
  };
}
