/** Distance from each defect to the outside: nearest points by a pyramid of occupied blocks. */
import type { Vector3 } from '../grid/volume.ts';
import type { BitGrid } from './bit-layout.ts';
import type { DefectRuns } from './shape.ts';

const blockBits = 3;

/**
 * Marks the blocks of 8³ cells of a bit grid that contain outside cells with a face towards anything else, except in
 * the outer layers of rows and planes; higher levels mark the blocks of those blocks. In the arena.
 */
export interface OuterIndex {
  /** bits of the outside */
  outside: number;
  /** u8 per block; each level has half as many blocks along each axis as the one before */
  levels: { address: number; size: Vector3 }[];
}

export function levelsFor(grid: BitGrid): Vector3[] {
  const half = (n: number) => Math.ceil(n / 2);
  const block = 1 << blockBits;
  const sizes: Vector3[] = [
    [grid.words * 64, grid.rows, grid.planes].map((n) => Math.ceil(n / block)) as Vector3,
  ];
  while (sizes[sizes.length - 1].some((n) => n > 1)) sizes.push(sizes[sizes.length - 1].map(half) as Vector3);
  return sizes;
}

/** Computes the higher levels from level 0. */
export function raiseLevels(buffer: SharedArrayBuffer, { index }: { index: OuterIndex }): void {
  for (const [i, { address, size }] of index.levels.entries()) {
    if (i === 0) continue;
    const occupied = new Uint8Array(buffer, address, size[0] * size[1] * size[2]).fill(0);
    const { address: below, size: n } = index.levels[i - 1];
    const finer = new Uint8Array(buffer, below, n[0] * n[1] * n[2]);
    let at = 0;
    for (let z = 0; z < n[2]; z++) {
      for (let y = 0; y < n[1]; y++) {
        for (let x = 0; x < n[0]; x++, at++) {
          if (finer[at]) occupied[((z >> 1) * size[1] + (y >> 1)) * size[0] + (x >> 1)] = 1;
        }
      }
    }
  }
}

/**
 * Distance (mm) of each of the defects from … to−1 to the outside, between their surfaces: distance of the nearest cell
 * centres minus one cell along their line (accurate to half a voxel). From each of several starting points, the nearest
 * outside cell and the nearest cell of the defect are searched in turn until they no longer change. Infinity when there
 * is no outside.
 */
export function outerDistances(
  buffer: SharedArrayBuffer,
  input: { grid: BitGrid; runs: DefectRuns; index: OuterIndex; spacingMm: Vector3; from: number; to: number },
): Float64Array {
  const { grid, index, spacingMm: s, runs: list } = input;
  const starts = new Uint32Array(buffer, list.starts, list.count + 1);
  const runs = new Uint32Array(buffer, list.runs, list.runCount);
  const rows = new Uint32Array(buffer, list.rows, list.runCount);
  const nearestOutside = finder(buffer, grid, index, s);
  const result = new Float64Array(input.to - input.from);
  for (let d = input.from; d < input.to; d++) {
    const [from, to] = [starts[d], starts[d + 1]];
    const firstCell = (i: number): Vector3 => [
      runs[i] & 0xffff,
      rows[i] % grid.rows,
      Math.floor(rows[i] / grid.rows),
    ];
    const findNearestOwn = (point: Vector3): Vector3 => {
      let best: Vector3 = point;
      let least = Number.POSITIVE_INFINITY;
      for (let i = from; i < to; i++) {
        const [first, y, z] = firstCell(i);
        const x = Math.min(Math.max(point[0], first), runs[i] >>> 16);
        const squared =
          ((x - point[0]) * s[0]) ** 2 + ((y - point[1]) * s[1]) ** 2 + ((z - point[2]) * s[2]) ** 2;
        if (squared < least) {
          least = squared;
          best = [x, y, z];
        }
      }
      return best;
    };
    let least = Number.POSITIVE_INFINITY;
    for (const start of listStarts(from, to, firstCell, (i) => runs[i] >>> 16)) {
      let own = start;
      let before = Number.POSITIVE_INFINITY;
      for (let turn = 0; turn < 8; turn++) {
        const outside = nearestOutside(own);
        if (!outside) break;
        own = findNearestOwn(outside);
        const line = [0, 1, 2].map((k) => (own[k] - outside[k]) * s[k]);
        const length = Math.hypot(...line);
        if (length >= before) break;
        before = length;
        const cell = Math.hypot(...line.map((part, k) => (part / length) * s[k]));
        least = Math.min(least, Math.max(0, length - cell));
      }
    }
    result[d - input.from] = least;
  }
  return result;
}

/** A cell in the middle of the runs, and one at each end of the defect along each axis. */
function listStarts(
  from: number,
  to: number,
  firstCell: (i: number) => Vector3,
  last: (i: number) => number,
): Vector3[] {
  const [first, end] = [firstCell(from), firstCell(to - 1)];
  const found: Vector3[] = [first, end, firstCell((from + to) >> 1), first, first, first, first];
  for (let i = from; i < to; i++) {
    const cell = firstCell(i);
    if (cell[0] < found[3][0]) found[3] = cell;
    if (last(i) > found[4][0]) found[4] = [last(i), cell[1], cell[2]];
    if (cell[1] < found[5][1]) found[5] = cell;
    if (cell[1] > found[6][1]) found[6] = cell;
  }
  return found;
}

function finder(buffer: SharedArrayBuffer, grid: BitGrid, index: OuterIndex, s: Vector3) {
  const rowBytes = grid.words * 8;
  const planeBytes = rowBytes * grid.rows;
  // A block is one byte wide.
  const bits = new Uint8Array(buffer, index.outside, planeBytes * grid.planes);
  const levels = index.levels.map(({ address, size }) => ({
    size,
    occupied: new Uint8Array(buffer, address, size[0] * size[1] * size[2]),
  }));
  let [px, py, pz] = [0, 0, 0];
  let least = 0;
  let best: Vector3 | null = null;
  const outsideBy = (p: number, low: number, width: number) =>
    p < low ? low - p : p > low + width ? p - low - width : 0;
  const visit = (level: number, x: number, y: number, z: number): void => {
    const { size, occupied } = levels[level];
    if (x >= size[0] || y >= size[1] || z >= size[2]) return;
    const block = (z * size[1] + y) * size[0] + x;
    if (!occupied[block]) return;
    const shift = blockBits + level;
    const width = (1 << shift) - 1;
    const gap =
      (outsideBy(px, x << shift, width) * s[0]) ** 2 +
      (outsideBy(py, y << shift, width) * s[1]) ** 2 +
      (outsideBy(pz, z << shift, width) * s[2]) ** 2;
    if (gap >= least) return;
    if (level > 0) {
      const half = 1 << (shift - 1);
      const near =
        (px >= (x << shift) + half ? 1 : 0) |
        (py >= (y << shift) + half ? 2 : 0) |
        (pz >= (z << shift) + half ? 4 : 0);
      for (const turn of octants) {
        const child = near ^ turn;
        visit(level - 1, 2 * x + (child & 1), 2 * y + ((child >> 1) & 1), 2 * z + (child >> 2));
      }
      return;
    }
    for (let cz = Math.max(z * 8, 1); cz < Math.min(z * 8 + 8, grid.planes - 1); cz++) {
      for (let cy = Math.max(y * 8, 1); cy < Math.min(y * 8 + 8, grid.rows - 1); cy++) {
        const at = cz * planeBytes + cy * rowBytes + x;
        const here = bits[at];
        if (here === 0) continue;
        const left = (here << 1) | (x > 0 ? bits[at - 1] >> 7 : 1);
        const right = (here >> 1) | (x + 1 < rowBytes ? bits[at + 1] << 7 : 128);
        const across = bits[at - rowBytes] & bits[at + rowBytes];
        let edge = here & ~(left & right & across & bits[at - planeBytes] & bits[at + planeBytes]);
        const beside = ((cy - py) * s[1]) ** 2;
        const above = ((cz - pz) * s[2]) ** 2;
        for (; edge !== 0; edge &= edge - 1) {
          const cx = x * 8 + 31 - Math.clz32(edge & -edge);
          const squared = ((cx - px) * s[0]) ** 2 + beside + above;
          if (squared >= least) continue;
          least = squared;
          best = [cx, cy, cz];
        }
      }
    }
  };
  return (point: Vector3): Vector3 | null => {
    [px, py, pz] = point;
    least = Number.POSITIVE_INFINITY;
    best = null;
    visit(levels.length - 1, 0, 0, 0);
    return best;
  };
}

/** Nearest child first, opposite child last. */
const octants = [0, 1, 2, 4, 3, 5, 6, 7];
