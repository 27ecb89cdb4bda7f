/** Prepares meshes from files for signed distances: shared vertices, and all triangles facing out. */
import type { TriangleMesh } from '../mesh/mesh.ts';
import { listComponents } from './reference-groups.ts';
import { cornersAtPlaces } from './shared-corners.ts';

export interface FacingMesh {
  mesh: TriangleMesh;
  /** which triangles had to be reversed: none, all, or only some of them */
  turned: 'none' | 'all' | 'some';
  /** number of sides that belong to a single triangle */
  openSides: number;
  /** no orientation makes all neighbours agree */
  isTwisted: boolean;
}

/**
 * The volume of an open part, as a share of its bounding box, below which it does not indicate the outward direction.
 */
const minVolumeShare = 0.01;

/**
 * The mesh with triangles reversed where they face into the material: neighbours agree along their common side, and
 * each component encloses a positive volume, except voids inside of another component. Corners at the same position
 * become one vertex. Scalars are dropped. O(n log n).
 */
export function facingOutward(mesh: TriangleMesh): FacingMesh {
  const corners = cornersAtPlaces(mesh);
  const triangles = corners.length / 3;
  const { neighbours, isAgainst, openSides, twisted } = listNeighbours(corners, mesh.positions.length / 3);
  const isTurned = new Uint8Array(triangles);
  let isTwisted = false;
  if (twisted > 0) isTwisted = !turnToAgree(mesh, neighbours, isAgainst, isTurned);
  turnParts(mesh, openSides > 0, isTurned);
  const count = isTurned.reduce((sum, turned) => sum + turned, 0);
  const turned = count === 0 ? 'none' : count === triangles ? 'all' : 'some';
  return { mesh: shared(mesh, corners, isTurned), turned, openSides, isTwisted };
}

/**
 * For each side shared by exactly two triangles: the neighbour, and whether both run along it in the same direction.
 */
function listNeighbours(corners: Uint32Array, vertices: number) {
  const slots = corners.length;
  const next = (slot: number) => (slot % 3 === 2 ? slot - 2 : slot + 1);
  const starts = new Uint32Array(vertices + 1);
  for (let slot = 0; slot < slots; slot++) {
    starts[Math.min(corners[slot], corners[next(slot)]) + 1]++;
  }
  for (let v = 0; v < vertices; v++) starts[v + 1] += starts[v];
  const fill = starts.slice(0, vertices);
  const sides = new Uint32Array(slots);
  for (let slot = 0; slot < slots; slot++) sides[fill[Math.min(corners[slot], corners[next(slot)])]++] = slot;
  const neighbours = new Int32Array(slots).fill(-1);
  const isAgainst = new Uint8Array(slots);
  let openSides = 0;
  let twisted = 0;
  const high = (slot: number) => Math.max(corners[slot], corners[next(slot)]);
  for (let v = 0; v < vertices; v++) {
    for (let i = starts[v]; i < starts[v + 1]; i++) {
      const slot = sides[i];
      if (corners[slot] === corners[next(slot)]) continue;
      let other = -1;
      let count = 0;
      for (let j = starts[v]; j < starts[v + 1]; j++) {
        if (high(sides[j]) !== high(slot)) continue;
        count++;
        if (j !== i) other = sides[j];
      }
      if (count === 1) openSides++;
      if (count !== 2) continue;
      neighbours[slot] = Math.floor(other / 3);
      if (corners[slot] === corners[other]) {
        isAgainst[slot] = 1;
        twisted++;
      }
    }
  }
  return { neighbours, isAgainst, openSides, twisted };
}

/** Reverses the minority of triangles that disagree with the rest; false when no orientation agrees. */
function turnToAgree(
  { positions, indices }: TriangleMesh,
  neighbours: Int32Array,
  isAgainst: Uint8Array,
  isTurned: Uint8Array,
): boolean {
  let agrees = true;
  const isReached = new Uint8Array(isTurned.length);
  for (let first = 0; first < isTurned.length; first++) {
    if (isReached[first]) continue;
    isReached[first] = 1;
    const reached = [first];
    let area = 0;
    let turnedArea = 0;
    for (let i = 0; i < reached.length; i++) {
      const t = reached[i];
      const own = triangleArea(positions, indices, 3 * t);
      area += own;
      if (isTurned[t]) turnedArea += own;
      for (let slot = 3 * t; slot < 3 * t + 3; slot++) {
        const neighbour = neighbours[slot];
        if (neighbour < 0) continue;
        const turned = isTurned[t] ^ isAgainst[slot];
        if (!isReached[neighbour]) {
          isReached[neighbour] = 1;
          isTurned[neighbour] = turned;
          reached.push(neighbour);
        } else if (isTurned[neighbour] !== turned) agrees = false;
      }
    }
    if (2 * turnedArea > area) for (const t of reached) isTurned[t] ^= 1;
  }
  return agrees;
}

/** Reverses each component that encloses a negative volume and lies in no other component. */
function turnParts(mesh: TriangleMesh, isOpen: boolean, isTurned: Uint8Array): void {
  const numbers = listComponents(mesh);
  const parts = measureParts(mesh, numbers, isTurned);
  const isInside = (inner: Part, outer: Part) =>
    inner.min.every((low, k) => low >= outer.min[k]) && inner.max.every((high, k) => high <= outer.max[k]);
  const toTurn = parts.map((part) => {
    const [x, y, z] = part.max.map((high, k) => high - part.min[k]);
    if (!(part.volumeMm3 < (isOpen ? -minVolumeShare * x * y * z : 0))) return false;
    return !parts.some((other) => other !== part && other.volumeMm3 > 0 && isInside(part, other));
  });
  for (let t = 0; t < isTurned.length; t++) if (toTurn[numbers[t]]) isTurned[t] ^= 1;
}

interface Part {
  volumeMm3: number;
  min: number[];
  max: number[];
}

/** Signed volume and bounding box of each component, 0 … n−1. @param partOfTriangle component of each triangle */
export function measureParts(
  { positions, indices }: { positions: Float32Array; indices: Uint32Array },
  partOfTriangle: Uint32Array,
  isTurned?: Uint8Array,
): Part[] {
  let count = 0;
  for (const part of partOfTriangle) count = Math.max(count, part + 1);
  const parts = Array.from({ length: count }, () => ({
    volumeMm3: 0,
    min: [Infinity, Infinity, Infinity],
    max: [-Infinity, -Infinity, -Infinity],
  }));
  const origins = new Float64Array(3 * count).fill(Number.NaN);
  for (let t = 0; t < partOfTriangle.length; t++) {
    const number = partOfTriangle[t];
    const part = parts[number];
    const corners = [3 * indices[3 * t], 3 * indices[3 * t + 1], 3 * indices[3 * t + 2]];
    const from = 3 * number;
    // Tetrahedra from a corner of the component itself: less cancellation far from the origin.
    if (Number.isNaN(origins[from])) origins.set(positions.subarray(corners[0], corners[0] + 3), from);
    for (const corner of corners) {
      for (let k = 0; k < 3; k++) {
        if (positions[corner + k] < part.min[k]) part.min[k] = positions[corner + k];
        if (positions[corner + k] > part.max[k]) part.max[k] = positions[corner + k];
      }
    }
    const volume = wedge6(positions, corners, origins[from], origins[from + 1], origins[from + 2]) / 6;
    part.volumeMm3 += isTurned?.[t] ? -volume : volume;
  }
  return parts;
}

/** Six times the volume between a triangle and a point near the mesh. */
function wedge6(p: Float32Array, [a, b, c]: number[], ox: number, oy: number, oz: number): number {
  const [ax, ay, az] = [p[a] - ox, p[a + 1] - oy, p[a + 2] - oz];
  const [bx, by, bz] = [p[b] - ox, p[b + 1] - oy, p[b + 2] - oz];
  const [cx, cy, cz] = [p[c] - ox, p[c + 1] - oy, p[c + 2] - oz];
  return ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
}

/** @param first index in `indices` of its first corner */
export function triangleArea(p: Float32Array | Float64Array, indices: Uint32Array, first: number): number {
  const [a, b, c] = [3 * indices[first], 3 * indices[first + 1], 3 * indices[first + 2]];
  const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
  const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
  return Math.hypot(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx) / 2;
}

/** The mesh with one vertex per position, triangles in their original order. */
function shared(mesh: TriangleMesh, corners: Uint32Array, isTurned: Uint8Array): TriangleMesh {
  const vertices = mesh.positions.length / 3;
  const numbers = new Int32Array(vertices).fill(-1);
  let count = 0;
  for (const vertex of corners) if (numbers[vertex] < 0) numbers[vertex] = count++;
  const positions = new Float32Array(3 * count);
  for (let v = 0; v < vertices; v++) {
    if (numbers[v] >= 0) positions.set(mesh.positions.subarray(3 * v, 3 * v + 3), 3 * numbers[v]);
  }
  const indices = corners.map((vertex) => numbers[vertex]);
  for (let t = 0; t < isTurned.length; t++) {
    if (isTurned[t]) [indices[3 * t + 1], indices[3 * t + 2]] = [indices[3 * t + 2], indices[3 * t + 1]];
  }
  return { positions, indices };
}
