/**
 * Extracts the part of a surface around a vertex that belongs to one feature: grows from vertex to vertex while the
 * normals change little, and drops the rim, where meshes round edges off. If an edge is so blunt that the region
 * extends over it into the next face, points far off the feature are removed.
 */
import { dot } from '../grid/vectors.ts';
import type { Vector3 } from '../grid/volume.ts';
import { KernelError } from '../kernel-error.ts';
import { computeMedian } from '../select-nth.ts';
import type { FeatureKind, Fit } from './feature.ts';
import { fitFeature, measureOffset } from './fit-feature.ts';

export interface PatchSurface {
  /** 3 · vertices, mm */
  positions: ArrayLike<number>;
  /** 3 · vertices, unit vectors */
  normals: ArrayLike<number>;
  /** 3 · triangles */
  indices: ArrayLike<number>;
}

/** Neighbours of each vertex: those of vertex i are at starts[i] … starts[i+1]−1, some of them twice. */
export interface VertexNeighbours {
  starts: Uint32Array;
  neighbours: Uint32Array;
}

/** O(triangles); 28 bytes per triangle. */
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
  /** for planes, all normals are compared with the first one; for curved features, only those of neighbours */
  kind: FeatureKind;
  /** maximum number of points, thinned evenly */
  maxPoints: number;
}

const planeAngle = Math.cos((12 * Math.PI) / 180);
/**
 * Maximum angle between neighbouring normals on curved features: the wider one if the narrower stops at once, as on
 * small radii and under noise.
 */
const curveAngles = [8, 18].map((degrees) => Math.cos((degrees * Math.PI) / 180));
/** A patch with fewer vertices counts as stopped at once. */
const minVertices = 60;
/** Rings of vertices removed along the rim. */
const rimRings = 2;
/** If the form error exceeds this share of the size, the points are of several faces. */
const maxFormErrorShare = 0.05;
/** Points further off than this many robust deviations, and than this share of the size, belong to another face. */
const farDeviations = 6;
const minDeviationShare = 1e-4;
/** Number of nearest vertices that determine the feature. */
const decidingVertices = 150;
const maxRounds = 8;
/** Ratio of the standard deviation to the median absolute deviation of a normal distribution. */
const deviationOfMedian = 1.4826;

/** @returns points of the patch, in mm; few or none where the surface is too rough around the vertex */
export function growPatch(
  surface: PatchSurface,
  around: VertexNeighbours,
  seed: number,
  { kind, maxPoints }: PatchOptions,
): Vector3[] {
  const isPlane = kind === 'plane';
  const angles = isPlane ? [planeAngle] : curveAngles;
  let kept: number[] = [];
  for (const angle of angles) {
    kept = growRegion(surface, around, seed, isPlane, angle);
    if (kept.length >= minVertices) break;
  }
  if (kept.length >= minVertices) kept = keepFeature(surface, around, kept, kind);
  return thin(kept, maxPoints).map((vertex) => pointAt(surface, vertex));
}

const pointAt = ({ positions }: PatchSurface, vertex: number): Vector3 => [
  positions[3 * vertex],
  positions[3 * vertex + 1],
  positions[3 * vertex + 2],
];

/** Thins vertices evenly to a maximum number. */
function thin(vertices: readonly number[], most: number): number[] {
  const every = Math.max(1, vertices.length / most);
  return Array.from({ length: Math.min(vertices.length, most) }, (_, i) => vertices[Math.floor(i * every)]);
}

/** Whether points are of several faces: their form error is too large for one feature. */
export const isOfSeveralFaces = (kind: FeatureKind, points: readonly Vector3[]): boolean =>
  (tryFit(kind, points)?.formErrorMm ?? 0) > maxFormErrorShare * measureSize(points);

/** null if the points don't determine the feature */
function tryFit(kind: FeatureKind, points: readonly Vector3[]): Fit | null {
  try {
    return fitFeature(kind, points);
  } catch (error) {
    if (error instanceof KernelError) return null;
    throw error;
  }
}
function measureSize(points: readonly Vector3[]): number {
  const spread = (values: readonly number[]) => Math.max(...values) - Math.min(...values);
  return Math.max(...([0, 1, 2] as const).map((axis) => spread(points.map((point) => point[axis]))));
}

/**
 * For a region that extends into other faces: keeps the vertices on the feature, without their rim. The nearest half
 * determines the feature, and others are added while they are on it.
 */
function keepFeature(
  surface: PatchSurface,
  around: VertexNeighbours,
  grown: number[],
  kind: FeatureKind,
): number[] {
  const points = thin(grown, decidingVertices).map((vertex) => pointAt(surface, vertex));
  if (!isOfSeveralFaces(kind, points)) return grown;
  const least = minDeviationShare * measureSize(points);
  let on = points.slice(0, Math.ceil(points.length / 2));
  for (let round = 0; ; round++) {
    const fit = tryFit(kind, on);
    if (!fit) return grown;
    const { feature, residualsMm } = fit;
    const deviation = deviationOfMedian * computeMedian(residualsMm.map(Math.abs));
    const most = Math.max(farDeviations * deviation, least);
    const isOn = (point: Vector3) => Math.abs(measureOffset(feature, point)) <= most;
    const next = points.filter(isOn);
    if (next.length !== on.length && round < maxRounds) {
      on = next;
      continue;
    }
    const inside = new Set(grown.filter((vertex) => isOn(pointAt(surface, vertex))));
    const rim = grown.filter(
      (vertex) => inside.has(vertex) && listNeighbours(around, vertex).some((each) => !inside.has(each)),
    );
    leaveRim(around, inside, rim);
    return grown.filter((vertex) => inside.has(vertex));
  }
}

const listNeighbours = ({ starts, neighbours }: VertexNeighbours, vertex: number): number[] =>
  Array.from(neighbours.subarray(starts[vertex], starts[vertex + 1]));

/** The grown vertices without the rim, the nearest first. */
function growRegion(
  { normals }: PatchSurface,
  { starts, neighbours }: VertexNeighbours,
  seed: number,
  isPlane: boolean,
  minCosine: number,
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
      if (dot(own, normalAt(next)) < minCosine) {
        rim.add(vertex);
        continue;
      }
      inside.add(next);
      queue.push(next);
    }
  }
  leaveRim({ starts, neighbours }, inside, rim);
  return queue.filter((vertex) => inside.has(vertex));
}

/** Removes the rim and the adjacent rings. */
function leaveRim(around: VertexNeighbours, inside: Set<number>, rim: Iterable<number>): void {
  let ring = [...rim];
  for (let i = 0; i < rimRings && ring.length > 0; i++) {
    const inner = new Set<number>();
    for (const vertex of ring) inside.delete(vertex);
    for (const vertex of ring)
      for (const next of listNeighbours(around, vertex)) if (inside.has(next)) inner.add(next);
    ring = [...inner];
  }
}
