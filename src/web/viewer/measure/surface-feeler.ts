import { BufferGeometry, DoubleSide, Ray, Vector3 } from 'three';
import type { MeshBVH } from 'three-mesh-bvh';
import type { FeatureKind } from '#kernels/features/feature.ts';
import { findNeighbours, growPatch, type VertexNeighbours } from '#kernels/features/grow-patch.ts';
import type { Vector3 as Point } from '#kernels/grid/volume.ts';
import { openTree } from '../data/surface-cutter.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import type { ViewerModel } from '../state/viewer-model.ts';

/** Number of points of a patch used in a fit: more do not improve it, because neighbours share their noise. */
const patchPoints = 300;

/** Queries the shape of a loaded surface around a point on it. */
export class SurfaceFeeler {
  readonly surface: SurfaceData;
  readonly #bvh: MeshBVH;
  #neighbours: VertexNeighbours | null = null;

  /** @param surface its arrays are shared, not copied */
  constructor(surface: SurfaceData) {
    this.surface = surface;
    this.#bvh = openTree(surface, new BufferGeometry());
  }

  /** The nearest point on the surface. */
  findPlace(place: Point): Point | null {
    return this.#findNearest(place)?.point.toArray() ?? null;
  }

  /**
   * The wall at a surface point: start, and where the line along the inward normal leaves the material; null if it does
   * not.
   */
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
    // A face hit from outside is not the end of this wall.
    if (!hit?.face || hit.face.normal.dot(inwards) <= 0) return null;
    return [nearest.point.toArray(), hit.point.toArray()];
  }

  /** Points of the face around a point. */
  findPatch(place: Point, kind: FeatureKind): Point[] {
    const nearest = this.#findNearest(place);
    if (!nearest) return [];
    this.#neighbours ??= findNeighbours(this.surface);
    return growPatch(this.surface, this.#neighbours, nearest.vertices[0] ?? 0, {
      kind,
      maxPoints: patchPoints,
    });
  }

  #findNearest(place: Point): { point: Vector3; vertices: number[] } | null {
    const hit = this.#bvh.closestPointToPoint(new Vector3(...place));
    if (!hit) return null;
    const vertices = [...this.surface.indices.subarray(3 * hit.faceIndex, 3 * hit.faceIndex + 3)];
    return { point: hit.point, vertices };
  }
}

/** Connects measuring to the loaded surface of the part. */
export function feelSurface(model: ViewerModel): void {
  let last: SurfaceFeeler | null = null;
  model.measuring.feeler = () => {
    const surface = model.surface?.shows === 'part' ? model.surfaceData.get() : null;
    if (surface !== (last?.surface ?? null)) last = surface && new SurfaceFeeler(surface);
    return last;
  };
}
