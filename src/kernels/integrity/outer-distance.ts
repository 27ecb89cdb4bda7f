/** Distance from each defect to the outside: nearest points by a pyramid of occupied blocks. */
import type { Vector3 } from '../grid/volume.ts';
import type { BitGrid } from './bit-layout.ts';
import type { DefectRuns } from './shape.ts';

const blockBits = 3;

/** Cells of the outside that touch something else by a face, packed as row · 65536 + x, planes zFrom … zTo−1. */
export function outerCells(
  buffer: SharedArrayBuffer,
  input: { grid: BitGrid; outside: number; zFrom: number; zTo: number },
): Float64Array {
  const { grid } = input;
  const words = grid.words * 2;
  const bits = new Uint32Array(buffer, input.outside, words * grid.rows * grid.planes);
  const found: number[] = [];
  for (let z = Math.max(input.zFrom, 1); z < Math.min(input.zTo, grid.planes - 1); z++) {
    for (let y = 1; y < grid.rows - 1; y++) {
      const row = z * grid.rows + y;
      const at = row * words;
      for (let w = 0; w < words; w++) {
        const here = bits[at + w];
        if (here === 0) continue;
        const left = (here << 1) | (w > 0 ? bits[at + w - 1] >>> 31 : 1);
        const right = (here >>> 1) | (w + 1 < words ? bits[at + w + 1] << 31 : -0x80000000);
        const around =
          left &
          right &
          bits[at + w - words] &
          bits[at + w + words] &
          bits[at + w - words * grid.rows] &
          bits[at + w + words * grid.rows];
        let edge = here & ~around;
        while (edge !== 0) {
          const k = 31 - Math.clz32(edge & -edge);
          edge &= edge - 1;
          found.push(row * 65536 + w * 32 + k);
        }
      }
    }
  }
  return Float64Array.from(found);
}

/** Cells sorted into blocks of 8³, with a pyramid of which blocks hold any; in the arena. */
export interface OuterIndex {
  /** u32 a block and one more */
  starts: number;
  /** three u16 a cell */
  cells: number;
  cellCount: number;
  /** u8 a block; level 0 are the blocks, each further one has half as many along each axis */
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

export function sortOuterCells(
  buffer: SharedArrayBuffer,
  input: { grid: BitGrid; pieces: Float64Array[]; index: OuterIndex },
): void {
  const { grid, index, pieces } = input;
  const [nx, ny, nz] = index.levels[0].size;
  const starts = new Uint32Array(buffer, index.starts, nx * ny * nz + 1).fill(0);
  const cells = new Uint16Array(buffer, index.cells, index.cellCount * 3);
  const next = starts.subarray(1);
  // Twice the same walk: cells are counted, then put in their places.
  const each = (visit: (block: number, x: number, y: number, z: number) => void) => {
    for (const piece of pieces) {
      for (let i = 0; i < piece.length; i++) {
        const row = Math.floor(piece[i] / 65536);
        const x = piece[i] - 65536 * row;
        const z = Math.floor(row / grid.rows);
        const y = row - grid.rows * z;
        visit(((z >> blockBits) * ny + (y >> blockBits)) * nx + (x >> blockBits), x, y, z);
      }
    }
  };
  each((block) => {
    next[block]++;
  });
  let before = 0;
  // Each block's place in `next` holds where its next cell goes; in the end that is where the block ends.
  for (let b = 0; b < nx * ny * nz; b++) {
    const count = next[b];
    next[b] = before;
    before += count;
  }
  each((block, x, y, z) => {
    const at = 3 * next[block]++;
    cells[at] = x;
    cells[at + 1] = y;
    cells[at + 2] = z;
  });
  for (const [i, { address, size }] of index.levels.entries()) {
    const occupied = new Uint8Array(buffer, address, size[0] * size[1] * size[2]).fill(0);
    if (i === 0) {
      for (let b = 0; b < occupied.length; b++) occupied[b] = starts[b + 1] > starts[b] ? 1 : 0;
      continue;
    }
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
 * Distance (mm) of each of the defects from … to−1 to the outside, between their surfaces: that of the nearest cells'
 * centres less one cell along their line (right to half a voxel). From each of several starts, nearest cells of the
 * outside and of the defect are sought in turn until they stay; Infinity where there is no outside.
 */
export function outerDistances(
  buffer: SharedArrayBuffer,
  input: { grid: BitGrid; runs: DefectRuns; index: OuterIndex; spacingMm: Vector3; from: number; to: number },
): Float64Array {
  const { grid, index, spacingMm: s, runs: list } = input;
  const starts = new Uint32Array(buffer, list.starts, list.count + 1);
  const runs = new Uint32Array(buffer, list.runs, list.runCount);
  const rows = new Uint32Array(buffer, list.rows, list.runCount);
  const nearestOutside = finder(buffer, index, s);
  const result = new Float64Array(input.to - input.from);
  for (let d = input.from; d < input.to; d++) {
    const [from, to] = [starts[d], starts[d + 1]];
    const firstCell = (i: number): Vector3 => [
      runs[i] & 0xffff,
      rows[i] % grid.rows,
      Math.floor(rows[i] / grid.rows),
    ];
    const nearestOwn = (point: Vector3): Vector3 => {
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
    for (const start of startsOf(from, to, firstCell, (i) => runs[i] >>> 16)) {
      let own = start;
      let before = Number.POSITIVE_INFINITY;
      for (let turn = 0; turn < 8; turn++) {
        const outside = nearestOutside(own, Number.POSITIVE_INFINITY);
        if (!outside) break;
        own = nearestOwn(outside);
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
function startsOf(
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

function finder(buffer: SharedArrayBuffer, index: OuterIndex, s: Vector3) {
  const [bx, by, bz] = index.levels[0].size;
  const starts = new Uint32Array(buffer, index.starts, bx * by * bz + 1);
  const cells = new Uint16Array(buffer, index.cells, index.cellCount * 3);
  const levels = index.levels.map(({ address, size }) => ({
    size,
    occupied: new Uint8Array(buffer, address, size[0] * size[1] * size[2]),
  }));
  let [px, py, pz] = [0, 0, 0];
  let least = 0;
  let best = -1;
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
    for (let i = starts[block]; i < starts[block + 1]; i++) {
      const squared =
        ((cells[3 * i] - px) * s[0]) ** 2 +
        ((cells[3 * i + 1] - py) * s[1]) ** 2 +
        ((cells[3 * i + 2] - pz) * s[2]) ** 2;
      if (squared < least) {
        least = squared;
        best = i;
      }
    }
  };
  return (point: Vector3, withinSquared: number): Vector3 | null => {
    [px, py, pz] = point;
    least = withinSquared;
    best = -1;
    visit(levels.length - 1, 0, 0, 0);
    return best < 0 ? null : [cells[3 * best], cells[3 * best + 1], cells[3 * best + 2]];
  };
}

/** The near child first, the opposite one last. */
const octants = [0, 1, 2, 4, 3, 5, 6, 7];
