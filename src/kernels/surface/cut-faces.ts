/**
 * Sides where the surface was closed only because the scan or its region ends there; these are not faces of the part.
 */
import type { Arena } from '../arena.ts';
import type { Vector3 } from '../grid/volume.ts';
import type { ArenaSurface } from './extract.ts';
import type { GridLayout } from './grid-layout.ts';

export const sideNames = ['x-', 'x+', 'y-', 'y+', 'z-', 'z+'] as const;
export type SideName = (typeof sideNames)[number];

export interface CutFaces {
  sides: SideName[];
  areaMm2: number;
}

/**
 * The surface is closed half a cell beyond the last cell's centre. Faces of the part that come close to the border stay
 * within this limit.
 */
const beyondCells = 0.25;
/** Within this distance of a cut, refinement takes the cut for an edge of the part. */
const heldCells = 3;
/** The surface up to this distance shows how far refinement should have moved it there. */
const shownCells = 5;

/** A surface in mm from the centre of the box's first cell along the grid's axes. */
interface Cuttable {
  positions: Float32Array;
  indices: Uint32Array;
  cells: Vector3;
  voxelSizeMm: Vector3;
}

/** Whether a vertex was closed at a side. */
function isBeyond({ positions, cells, voxelSizeMm }: Cuttable, v: number, side: number): boolean {
  const axis = side >> 1;
  const place = positions[3 * v + axis] / voxelSizeMm[axis];
  return side % 2 === 0 ? place < -beyondCells : place > cells[axis] - 1 + beyondCells;
}

/** Number of the first side at which a vertex was closed; −1 for the part's own vertices. */
function findSide(surface: Cuttable, v: number): number {
  for (let side = 0; side < sideNames.length; side++) if (isBeyond(surface, v, side)) return side;
  return -1;
}

const readSurface = (
  { positions, indices, vertices, triangles }: ArenaSurface,
  { cells, voxelSizeMm }: Pick<GridLayout, 'cells' | 'voxelSizeMm'>,
  arena: Arena,
): Cuttable => ({
  positions: arena.floats(positions, 3 * vertices),
  indices: arena.integers(indices, 3 * triangles),
  cells,
  voxelSizeMm,
});

export interface FoundCut {
  faces: CutFaces;
  /** area of the part's own surface beside a cut, which is not fully refined */
  nearAreaMm2: number;
  isCut: (vertex: number) => boolean;
}

/** Faces at which the surface of a box of cells was closed. O(vertices), plus O(triangles) when there are such faces. */
export function findCutFaces(
  found: ArenaSurface,
  grid: Pick<GridLayout, 'cells' | 'voxelSizeMm'>,
  arena: Arena,
): FoundCut {
  const surface = readSurface(found, grid, arena);
  const { indices } = surface;
  const isCut = (vertex: number) => findSide(surface, vertex) >= 0;
  const areas = new Float64Array(sideNames.length);
  let isAny = false;
  for (let v = 0; v < found.vertices && !isAny; v++) isAny = isCut(v);
  if (!isAny) return { faces: { sides: [], areaMm2: 0 }, nearAreaMm2: 0, isCut: () => false };
  const isClosed = listClosed(surface, found.vertices);
  let nearAreaMm2 = 0;
  for (let t = 0; t < indices.length; t += 3) {
    // Vertices where two sides meet belong to both.
    const flat = sideNames.findIndex((_, side) =>
      [0, 1, 2].every((k) => isBeyond(surface, indices[t + k], side)),
    );
    if (flat >= 0) areas[flat] += measureArea(surface.positions, indices, t);
    else if (findNearest(surface, indices[t], isClosed).away < heldCells)
      nearAreaMm2 += measureArea(surface.positions, indices, t);
  }
  const sides = sideNames.filter((_, side) => areas[side] > 0);
  return { faces: { sides, areaMm2: areas.reduce((sum, area) => sum + area, 0) }, nearAreaMm2, isCut };
}

/** The sides at which any vertex was closed. */
function listClosed(surface: Cuttable, vertices: number): boolean[] {
  const isClosed = sideNames.map(() => false);
  for (let v = 0; v < vertices; v++) {
    const side = findSide(surface, v);
    if (side >= 0) isClosed[side] = true;
  }
  return isClosed;
}

/** Distance from the nearest cut, in cells and up to `shownCells`, and the axis across it; negative on closing faces. */
function findNearest(
  { positions, cells, voxelSizeMm }: Cuttable,
  v: number,
  isClosed: readonly boolean[],
): { away: number; axis: number } {
  const nearest = { away: shownCells, axis: 0 };
  for (let side = 0; side < isClosed.length; side++) {
    const axis = side >> 1;
    const at = positions[3 * v + axis] / voxelSizeMm[axis];
    const away = side % 2 === 0 ? at : cells[axis] - 1 - at;
    if (isClosed[side] && away < nearest.away) Object.assign(nearest, { away, axis });
  }
  return nearest;
}

function measureArea(positions: Float32Array, indices: Uint32Array, t: number): number {
  const [a, b, c] = [3 * indices[t], 3 * indices[t + 1], 3 * indices[t + 2]];
  const u = [0, 1, 2].map((k) => positions[b + k] - positions[a + k]);
  const w = [0, 1, 2].map((k) => positions[c + k] - positions[a + k]);
  return 0.5 * Math.hypot(u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]);
}

/** The surface near its cuts before refinement. Outside JavaScript's heap: a large scan has millions of such vertices. */
interface Held {
  vertices: Uint32Array;
  /** three numbers each */
  places: Float32Array;
  /** from the nearest cut, in cells, and the axis across it; negative for closing faces */
  distances: Float64Array;
  axes: Uint8Array;
}

/**
 * Remembers the surface near its cuts before it is refined. The returned function puts it back and moves it as the
 * surface further inside was moved, with the closing faces flat, half a cell beyond the last cells, and out to their
 * true rims: extraction bevels these by half a cell. O(vertices), plus O(triangles) when there are cuts.
 */
export function holdCuts(found: ArenaSurface, grid: GridLayout, arena: Arena): () => void {
  const surface = readSurface(found, grid, arena);
  const isClosed = listClosed(surface, found.vertices);
  if (!isClosed.includes(true)) return () => {};
  const held = holdVertices(surface, found.vertices, isClosed);
  return () => {
    // The arena's memory may have grown.
    const own = readSurface(found, grid, arena);
    const normals = arena.floats(found.normals, 3 * found.vertices);
    putBack(own, normals, held);
    squareCuts(own, held.vertices);
    moveToRims(own, normals);
  };
}

function holdVertices(surface: Cuttable, vertices: number, isClosed: readonly boolean[]): Held {
  let count = 0;
  for (let v = 0; v < vertices; v++) if (findNearest(surface, v, isClosed).away < shownCells) count++;
  const held: Held = {
    vertices: new Uint32Array(count),
    places: new Float32Array(3 * count),
    distances: new Float64Array(count),
    axes: new Uint8Array(count),
  };
  for (let v = 0, i = 0; i < count; v++) {
    const { away, axis } = findNearest(surface, v, isClosed);
    if (away === shownCells) continue;
    held.vertices[i] = v;
    held.places.set(surface.positions.subarray(3 * v, 3 * v + 3), 3 * i);
    held.distances[i] = away;
    held.axes[i++] = axis;
  }
  return held;
}

/** Undoes the refinement near cuts, except for what neighbours further inside were moved along their normals. */
function putBack({ positions, indices }: Cuttable, normals: Float32Array, held: Held): void {
  const { vertices, places, distances, axes } = held;
  const count = vertices.length;
  const slots = new Int32Array(positions.length / 3).fill(-1);
  // NaN until it is known
  const moves = new Float64Array(count).fill(Number.NaN);
  for (const [i, v] of vertices.entries()) {
    slots[v] = i;
    const place = places.subarray(3 * i, 3 * i + 3);
    if (distances[i] < heldCells) positions.set(place, 3 * v);
    else moves[i] = place.reduce((sum, at, k) => sum + (positions[3 * v + k] - at) * normals[3 * v + k], 0);
  }
  const isWaiting = (slot: number) => slot >= 0 && distances[slot] >= 0 && Number.isNaN(moves[slot]);
  const triangles: number[] = [];
  for (let t = 0; t < indices.length; t += 3)
    if ([0, 1, 2].some((k) => isWaiting(slots[indices[t + k]]))) triangles.push(t);
  const [sums, counts] = [new Float64Array(count), new Uint32Array(count)];
  for (let found = 1; found > 0; ) {
    for (const t of triangles)
      for (let k = 0; k < 3; k++) {
        const own = slots[indices[t + k]];
        if (!isWaiting(own)) continue;
        for (const other of [slots[indices[t + ((k + 1) % 3)]], slots[indices[t + ((k + 2) % 3)]]]) {
          if (other < 0 || Number.isNaN(moves[other])) continue;
          sums[own] += moves[other];
          counts[own]++;
        }
      }
    found = 0;
    for (const [i, v] of vertices.entries()) {
      if (counts[i] === 0 || !isWaiting(i)) continue;
      moves[i] = sums[i] / counts[i];
      found++;
      // Normals beside a cut lean towards it.
      const flat = distances[i] < 1 ? axes[i] : -1;
      const n = [0, 1, 2].map((k) => (k === flat ? 0 : normals[3 * v + k]));
      const length = Math.hypot(...n) || 1;
      for (let k = 0; k < 3; k++) positions[3 * v + k] += (moves[i] * n[k]) / length;
    }
  }
}

/** Moves vertices of closing faces sideways to where the part's own surface beside them ends. */
function moveToRims(surface: Cuttable, normals: Float32Array): void {
  const { positions, indices, cells, voxelSizeMm } = surface;
  const shifts = new Map<number, { sum: Vector3; count: number }>();
  for (let i = 0; i < indices.length; i++) {
    const v = indices[i];
    const side = findSide(surface, v);
    if (side < 0) continue;
    const axis = side >> 1;
    const last = side % 2 === 0 ? 0 : cells[axis] - 1;
    const first = i - (i % 3);
    for (const other of [indices[first], indices[first + 1], indices[first + 2]]) {
      // Vertices of the last cells' own plane lie on the rim.
      const away = Math.abs(positions[3 * other + axis] / voxelSizeMm[axis] - last);
      if (findSide(surface, other) >= 0 || away > 1e-3) continue;
      const n = [0, 1, 2].map((k) => (k === axis ? 0 : normals[3 * other + k]));
      const length2 = n[0] ** 2 + n[1] ** 2 + n[2] ** 2;
      if (length2 === 0) continue;
      const along = n.reduce(
        (sum, each, k) => sum + each * (positions[3 * other + k] - positions[3 * v + k]),
        0,
      );
      const shift = shifts.get(v) ?? { sum: [0, 0, 0], count: 0 };
      for (let k = 0; k < 3; k++) shift.sum[k] += (n[k] * along) / length2;
      shift.count++;
      shifts.set(v, shift);
    }
  }
  for (const [v, { sum, count }] of shifts)
    for (let k = 0; k < 3; k++) positions[3 * v + k] += sum[k] / count;
}

/** Puts closing faces exactly where the last cells end; where two meet, those of the first axis reach into the edge. */
function squareCuts(surface: Cuttable, held: Uint32Array): void {
  const { positions, cells, voxelSizeMm } = surface;
  for (const v of held) {
    const side = findSide(surface, v);
    if (side < 0) continue;
    const closing = side >> 1;
    for (let axis = closing; axis < 3; axis++) {
      // A single layer of cells ends at both sides.
      if (axis !== closing && cells[axis] === 1) continue;
      const place = positions[3 * v + axis] / voxelSizeMm[axis];
      const isAtLow = axis === closing ? side % 2 === 0 : place < 0.01;
      const isAtHigh = axis === closing ? side % 2 === 1 : place > cells[axis] - 1.01;
      if (isAtLow) positions[3 * v + axis] = -0.5 * voxelSizeMm[axis];
      else if (isAtHigh) positions[3 * v + axis] = (cells[axis] - 0.5) * voxelSizeMm[axis];
    }
  }
}
