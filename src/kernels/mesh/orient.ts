/**
 * Orients triangles outwards: in files some of them may disagree with their neighbours, or all of them face inwards.
 */
import { cross, dot, minus } from '../grid/vectors.ts';
import type { TriangleMesh } from './mesh.ts';
import { eachEdge } from './sort-edges.ts';

/** Triangles connected by edges that exactly two of them share. */
interface Region {
  triangles: number;
  /** number of triangles oriented against the first one of the region */
  against: number;
  /** number of edges without a partner */
  openEdges: number;
  /** meets itself with the opposite orientation, as a Möbius strip does */
  oneSided: boolean;
  /** six times the enclosed volume, after orientation */
  volume6: number;
  min: Point;
  max: Point;
  /** its first triangle */
  first: number;
}
type Point = [number, number, number];

/** A surface with a larger share of open edges has no inside. */
const maxOpenShare = 0.01;
/** After as many triangles read by exact tests, only bounding boxes decide which regions lie within others. */
const maxTestedTriangles = 1e8;

/**
 * The mesh with consistent orientation: every triangle agrees with its neighbours, and every closed component faces
 * outwards unless it lies within another one, where it is a void. Normals are dropped when triangles are reversed.
 * O(triangles).
 *
 * @returns warnings about what was reversed
 */
export function orientOutwards(
  mesh: TriangleMesh,
  where: string,
): { mesh: TriangleMesh; warnings: string[] } {
  const { positions, indices } = mesh;
  const neighbours = findNeighbours(positions.length / 3, indices);
  const regionOf = new Int32Array(indices.length / 3).fill(-1);
  const turned = new Uint8Array(regionOf.length);
  const regions = growRegions(mesh, neighbours, regionOf, turned);
  const inwards = findInwards(mesh, regions, regionOf);
  let against = 0;
  for (const region of regions) against += Math.min(region.against, region.triangles - region.against);
  const warnings: string[] = [];
  if (against > 0)
    warnings.push(`${against} triangles of ${where} disagreed with their neighbours and were reversed.`);
  if (inwards.size > 0) warnings.push(`${where} was inside out; its triangles were turned to face outwards.`);
  if (warnings.length === 0) return { mesh, warnings };
  const { normals: _, ...rest } = mesh;
  const outwards = indices.slice();
  for (let t = 0; t < regionOf.length; t++) {
    if ((turned[t] === 1) === inwards.has(regionOf[t])) continue; // neither, or both
    [outwards[3 * t + 1], outwards[3 * t + 2]] = [indices[3 * t + 2], indices[3 * t + 1]];
  }
  return { mesh: { ...rest, indices: outwards }, warnings };
}

/** For each corner the triangle across the edge that starts there; −1 when there is none or several. */
function findNeighbours(vertices: number, indices: Uint32Array): Int32Array {
  const neighbours = new Int32Array(indices.length).fill(-1);
  eachEdge(vertices, indices, (corners, from, to) => {
    if (to - from !== 2) return;
    neighbours[corners[from]] = Math.floor(corners[from + 1] / 3);
    neighbours[corners[from + 1]] = Math.floor(corners[from] / 3);
  });
  return neighbours;
}

/** Marks the triangles to reverse so that a whole region faces the same side, choosing the smaller number. */
function growRegions(
  { positions, indices }: TriangleMesh,
  neighbours: Int32Array,
  regionOf: Int32Array,
  turned: Uint8Array,
): Region[] {
  const regions: Region[] = [];
  const stack: number[] = [];
  for (let seed = 0; seed < regionOf.length; seed++) {
    if (regionOf[seed] >= 0) continue;
    const region: Region = {
      triangles: 0,
      against: 0,
      openEdges: 0,
      oneSided: false,
      volume6: 0,
      min: [Infinity, Infinity, Infinity],
      max: [-Infinity, -Infinity, -Infinity],
      first: seed,
    };
    const members: number[] = [];
    regionOf[seed] = regions.length;
    stack.push(seed);
    for (let t = stack.pop(); t !== undefined; t = stack.pop()) {
      members.push(t);
      region.against += turned[t];
      for (let k = 0; k < 3; k++) {
        const other = neighbours[3 * t + k];
        if (other < 0) {
          region.openEdges++;
          continue;
        }
        const from = indices[3 * t + k];
        const to = indices[3 * t + ((k + 1) % 3)];
        // Two triangles with the same orientation run along their edge in opposite directions.
        const wanted = hasEdge(indices, other, from, to) ? 1 - turned[t] : turned[t];
        if (regionOf[other] < 0) {
          regionOf[other] = regions.length;
          turned[other] = wanted;
          stack.push(other);
        } else if (turned[other] !== wanted) region.oneSided = true;
      }
    }
    region.triangles = members.length;
    const flips = region.oneSided ? 'none' : region.against > members.length / 2 ? 'others' : 'these';
    for (const t of members) {
      if (flips === 'none') turned[t] = 0;
      else if (flips === 'others') turned[t] = 1 - turned[t];
      addTriangle(region, positions, indices, t, turned[t] === 1);
    }
    if (flips === 'none') region.against = 0;
    regions.push(region);
  }
  return regions;
}

const hasEdge = (indices: Uint32Array, t: number, from: number, to: number): boolean =>
  (indices[3 * t] === from && indices[3 * t + 1] === to) ||
  (indices[3 * t + 1] === from && indices[3 * t + 2] === to) ||
  (indices[3 * t + 2] === from && indices[3 * t] === to);

/** Adds a triangle's share of the volume, relative to the region's first corner, and extends the bounding box. */
function addTriangle(
  region: Region,
  positions: Float32Array,
  indices: Uint32Array,
  t: number,
  isTurned: boolean,
): void {
  const origin = 3 * indices[3 * region.first];
  const [ox, oy, oz] = [positions[origin], positions[origin + 1], positions[origin + 2]];
  const a = 3 * indices[3 * t];
  const b = 3 * indices[3 * t + 1];
  const c = 3 * indices[3 * t + 2];
  const ax = positions[a] - ox;
  const ay = positions[a + 1] - oy;
  const az = positions[a + 2] - oz;
  const bx = positions[b] - ox;
  const by = positions[b + 1] - oy;
  const bz = positions[b + 2] - oz;
  const cx = positions[c] - ox;
  const cy = positions[c + 1] - oy;
  const cz = positions[c + 2] - oz;
  const volume6 = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
  region.volume6 += isTurned ? -volume6 : volume6;
  for (const at of [a, b, c]) {
    for (let axis = 0; axis < 3; axis++) {
      const value = positions[at + axis];
      if (value < region.min[axis]) region.min[axis] = value;
      if (value > region.max[axis]) region.max[axis] = value;
    }
  }
}

/** The outermost regions with a negative volume, and all regions within these. */
function findInwards(mesh: TriangleMesh, regions: readonly Region[], regionOf: Int32Array): Set<number> {
  const isClosed = ({ openEdges, triangles, oneSided }: Region) =>
    !oneSided && openEdges <= maxOpenShare * 3 * triangles;
  const closed = [...regions.keys()].filter((at) => isClosed(regions[at]));
  const candidates = closed.filter((at) => regions[at].volume6 < 0);
  if (candidates.length === 0) return new Set();
  const boxes = new BoxIndex(regions, closed);
  let left = maxTestedTriangles;
  const contains = (outer: number, inner: number) => {
    left -= regionOf.length;
    return left < 0 || isInside(mesh, regionOf, outer, regions[inner].first);
  };
  const isOutermost = (at: number) => !boxes.some(at, (outer) => contains(outer, at));
  const found = new Set(candidates.filter(isOutermost));
  if (found.size === 0) return found;
  const within = [...regions.keys()].filter((at) =>
    boxes.some(at, (outer) => found.has(outer) && contains(outer, at)),
  );
  return new Set([...found, ...within]);
}

/** Finds bounding boxes around others, by a grid for each order of size: the corner of one is at most a cell away. */
class BoxIndex {
  readonly #regions: readonly Region[];
  readonly #cells = new Map<string, number[]>();
  readonly #exponents = new Set<number>();

  constructor(regions: readonly Region[], indexed: readonly number[]) {
    this.#regions = regions;
    for (const at of indexed) {
      const exponent = BoxIndex.#measure(regions[at]);
      const key = BoxIndex.#place(regions[at], exponent).join();
      const cell = this.#cells.get(key);
      if (cell) cell.push(at);
      else this.#cells.set(key, [at]);
      this.#exponents.add(exponent);
    }
  }

  /** Whether any of the boxes around this region's passes. */
  some(inner: number, passes: (outer: number) => boolean): boolean {
    const box = this.#regions[inner];
    const size = BoxIndex.#measure(box);
    for (const exponent of this.#exponents) {
      if (exponent < size) continue;
      const [, x, y, z] = BoxIndex.#place(box, exponent);
      for (let corner = 0; corner < 8; corner++) {
        const key = [exponent, x - (corner & 1), y - ((corner >> 1) & 1), z - (corner >> 2)].join();
        const isAround = (outer: number) => outer !== inner && encloses(this.#regions[outer], box);
        if (this.#cells.get(key)?.some((outer) => isAround(outer) && passes(outer))) return true;
      }
    }
    return false;
  }

  /** Its longest side is at most 2 to the power of this. */
  static #measure({ min, max }: Region): number {
    return Math.max(-149, Math.ceil(Math.log2(Math.max(...max.map((value, k) => value - min[k])))));
  }

  static #place({ min }: Region, exponent: number): number[] {
    return [exponent, ...min.map((value) => Math.floor(value / 2 ** exponent))];
  }
}

const encloses = (outer: Region, inner: Region): boolean =>
  outer.min[0] <= inner.min[0] &&
  outer.min[1] <= inner.min[1] &&
  outer.min[2] <= inner.min[2] &&
  outer.max[0] >= inner.max[0] &&
  outer.max[1] >= inner.max[1] &&
  outer.max[2] >= inner.max[2];

/** Rays of no special direction; when one grazes an edge, the other two outvote it. */
const rays: readonly Point[] = [
  [0.5773, 0.6151, 0.5367],
  [-0.4811, 0.7213, 0.4981],
  [0.3571, -0.3917, 0.8479],
];

/**
 * Whether the centre of a triangle lies within a region: a ray from there crosses the region an odd number of times.
 */
function isInside(mesh: TriangleMesh, regionOf: Int32Array, region: number, triangle: number): boolean {
  const { positions, indices } = mesh;
  const corner = (t: number, k: number): Point => {
    const at = 3 * indices[3 * t + k];
    return [positions[at], positions[at + 1], positions[at + 2]];
  };
  const [a, b, c] = [0, 1, 2].map((k) => corner(triangle, k));
  const from = a.map((value, axis) => (value + b[axis] + c[axis]) / 3) as Point;
  const crossings = [0, 0, 0];
  for (let t = 0; t < regionOf.length; t++) {
    if (regionOf[t] !== region) continue;
    const triangleAt = [corner(t, 0), corner(t, 1), corner(t, 2)] as const;
    for (let r = 0; r < rays.length; r++) if (crosses(from, rays[r], triangleAt)) crossings[r]++;
  }
  return crossings.filter((count) => count % 2 === 1).length >= 2;
}

/** @see https://doi.org/10.1080/10867651.1997.10487468 (Möller and Trumbore) */
function crosses(from: Point, ray: Point, [a, b, c]: readonly [Point, Point, Point]): boolean {
  const [u, v, s] = [minus(b, a), minus(c, a), minus(from, a)];
  const p = cross(ray, v);
  const determinant = dot(u, p);
  if (determinant === 0) return false;
  const x = dot(s, p) / determinant;
  if (x < 0 || x > 1) return false;
  const q = cross(s, u);
  const y = dot(ray, q) / determinant;
  return y >= 0 && x + y <= 1 && dot(v, q) / determinant > 0;
}
