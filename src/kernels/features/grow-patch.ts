/**
 * The part of a surface around a place that belongs to one feature: grown from vertex to vertex for as long as the normals
 * change little, without its rim, where meshes round edges off.
 */
import { dot } from '../grid/vectors.ts';
import type { Vector3 } from '../grid/volume.ts';

export interface PatchSurface {
  /** 3 · vertices, mm */
  positions: ArrayLike<number>;
  /** 3 · vertices, unit vectors */
  normals: ArrayLike<number>;
  /** 3 · triangles */
  indices: ArrayLike<number>;
}

/** Neighbours of each vertex: those of vertex i stand at starts[i] … starts[i+1]−1, some of them twice. */
export interface VertexNeighbours {
  starts: Uint32Array;
  neighbours: Uint32Array;
}

/** O(triangles); 28 bytes a triangle. */
export function findNeighbours({ positions, indices }: PatchSurface): VertexNeighbours {
  const count = positions.length / 3;
  const starts = new Uint32Array(count + 1);
  for (let i = 0; i < indices.length; i++) starts[indices[i] + 1] += 2;
  for (let i = 0; i < count; i++) starts[i + 1] += starts[i];
  const neighbours = new Uint32Array(starts[count]);
  const filled = starts.slice(0, count);
  for (let i = 0; i < indices.length; i += 3)
    for (let k = 0; k < 3; k++) {
      const vertex = indices[i + k];
      neighbours[filled[vertex]++] = indices[i + ((k + 1) % 3)];
      neighbours[filled[vertex]++] = indices[i + ((k + 2) % 3)];
    }
  return { starts, neighbours };
}

export interface PatchOptions {
  /** a plane's normals are alike everywhere; of what is curved only those of neighbours */
  isPlane: boolean;
  /** thinned evenly to so many */
  mostPoints: number;
}

const planeAngle = Math.cos((12 * Math.PI) / 180);
/** Between neighbours of what is curved: the wider one where the narrower ends at once, as on small radii and under noise. */
const curveAngles = [8, 18].map((degrees) => Math.cos((degrees * Math.PI) / 180));
/** A patch of fewer vertices ended at once. */
const fewestVertices = 60;
/** Rings of vertices along the rim that are left out. */
const rimRings = 2;

/** @returns points of the patch, in mm; few or none where the surface is too rough around the vertex */
export function growPatch(
  surface: PatchSurface,
  around: VertexNeighbours,
  seed: number,
  { isPlane, mostPoints }: PatchOptions,
): Vector3[] {
  const angles = isPlane ? [planeAngle] : curveAngles;
  let kept: number[] = [];
  for (const angle of angles) {
    kept = growRegion(surface, around, seed, isPlane, angle);
    if (kept.length >= fewestVertices) break;
  }
  const { positions } = surface;
  const every = Math.max(1, kept.length / mostPoints);
  return Array.from({ length: Math.min(kept.length, mostPoints) }, (_, i): Vector3 => {
    const vertex = kept[Math.floor(i * every)];
    return [positions[3 * vertex], positions[3 * vertex + 1], positions[3 * vertex + 2]];
  });
}

/** Vertices without the rim, the nearest first. */
function growRegion(
  { normals }: PatchSurface,
  { starts, neighbours }: VertexNeighbours,
  seed: number,
  isPlane: boolean,
  leastCosine: number,
): number[] {
  const normalAt = (vertex: number): Vector3 => [
    normals[3 * vertex],
    normals[3 * vertex + 1],
    normals[3 * vertex + 2],
  ];
  const seedNormal = normalAt(seed);
  const inside = new Set([seed]);
  const rim = new Set<number>();
  const queue = [seed];
  for (const vertex of queue) {
    const own = isPlane ? seedNormal : normalAt(vertex);
    for (let at = starts[vertex]; at < starts[vertex + 1]; at++) {
      const next = neighbours[at];
      if (inside.has(next)) continue;
      if (dot(own, normalAt(next)) < leastCosine) {
        rim.add(vertex);
        continue;
      }
      inside.add(next);
      queue.push(next);
    }
  }
  let ring = [...rim];
  for (let i = 0; i < rimRings && ring.length > 0; i++) {
    const inner = new Set<number>();
    for (const vertex of ring) inside.delete(vertex);
    for (const vertex of ring)
      for (let at = starts[vertex]; at < starts[vertex + 1]; at++)
        if (inside.has(neighbours[at])) inner.add(neighbours[at]);
    ring = [...inner];
  }
  return queue.filter((vertex) => inside.has(vertex));
}
