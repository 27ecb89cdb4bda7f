import type { Arena } from '../arena.ts';
import { findKind } from '../grid/data-type.ts';
import { eachPlanes } from '../grid/plane-reader.ts';
import type { CellBox } from '../grid/region.ts';
import { bytesPerVoxel, type SlabSource, type Vector3 } from '../grid/volume.ts';
import { KernelError } from '../kernel-error.ts';
import { inPieces } from '../pool.ts';
import { kernelTasks } from '../task.ts';
import type { BitGrid } from './bit-layout.ts';
import type { BitStage, StageOptions } from './bit-stage.ts';
import { farthestCells, squaredDistances } from './distance.ts';
import { thresholdCells } from './tasks.ts';

/** Runs store 16-bit positions. */
const widestRow = 65536;

/** @param marginCells smallest margin in cells on every side, 3 or more */
export function makeBitGrid(arena: Arena, cells: Vector3, marginCells: Vector3): BitGrid {
  // A multiple of sixteen in x, because cells are compared sixteen at a time.
  const margin: Vector3 = [Math.ceil(marginCells[0] / 16) * 16, marginCells[1], marginCells[2]];
  const words = Math.ceil((cells[0] + 2 * margin[0]) / 64);
  if (words * 64 > widestRow) {
    throw new KernelError(
      'TOO_LARGE',
      `The region is ${cells[0]} voxels wide in x, and ${widestRow - 128} is the limit: choose a smaller one.`,
    );
  }
  const [rows, planes] = [cells[1] + 2 * margin[1], cells[2] + 2 * margin[2]];
  const [marginX, marginY, marginZ] = margin;
  const [nx, ny, nz] = cells;
  const at = arena.place('BitGrid', { words, rows, planes, marginX, marginY, marginZ, nx, ny, nz });
  return { at, words, rows, planes, margin, cells };
}

export const countBytes = ({ words, rows, planes }: BitGrid): number => words * rows * planes * 8;

export const allocateBits = (arena: Arena, grid: BitGrid): number =>
  arena.allocate(countBytes(grid), 'The search for defects');

/** Planes of a bit grid that give a task of about a hundredth of a second. */
export const planesPerTask = ({ words, rows }: BitGrid, options: StageOptions): number =>
  options.slabPlanes ?? Math.max(1, Math.floor(100_000 / (words * rows)));

/** Bytes per read of a thread; each read opens every file that contains the planes. */
const bytesPerRead = 64 * 1024 ** 2;

/** Planes of a volume read at once. */
export function planesPerRead({ grid, dataType }: SlabSource, options: StageOptions = {}): number {
  const planeBytes = grid.dimensions[0] * grid.dimensions[1] * bytesPerVoxel[dataType];
  return options.slabPlanes ?? Math.max(8, Math.floor(bytesPerRead / planeBytes));
}

/** Planes of a stored box per task. */
const planesPerBox = 64;

export interface Threshold {
  level: number;
  /** air: cells not above the level, NaN included, in a margin of air; above: cells above it, in an empty margin */
  keep: 'air' | 'above';
}

/**
 * Reads a region of a volume once and stores one bit per cell for each threshold. Returns their addresses in the order
 * of the thresholds.
 */
export async function thresholdBits(
  source: SlabSource,
  { cells, thresholds }: { cells: CellBox; thresholds: readonly Threshold[] },
  stage: BitStage,
): Promise<number[]> {
  const { grid, arena } = stage;
  const targets = thresholds.map(({ keep }) => {
    const bits = allocateBits(arena, grid);
    arena.bytes(bits, countBytes(grid)).fill(keep === 'air' ? 255 : 0);
    return bits;
  });
  const input = {
    grid,
    kind: findKind(source.dataType),
    bytesPerCell: bytesPerVoxel[source.dataType],
    thresholds: thresholds.map(({ level, keep }, i) => ({ level, invert: keep === 'air', bits: targets[i] })),
  };
  /** Thresholds the cells of a box that lie in the region. */
  const threshold = (address: number, from: Vector3, size: Vector3) => {
    const at = from.map((n, k) => n - cells.from[k]) as Vector3;
    const first = at.map((n) => Math.max(n, 0)) as Vector3;
    const last = at.map((n, k) => Math.min(n + size[k], grid.cells[k])) as Vector3;
    return arena.run(thresholdCells, { ...input, address, size, at, first, last });
  };
  await eachBox(source, cells, stage, threshold);
  return targets;
}

/** Runs `work` on every box of cells that overlaps a region: stored boxes if the source has them, otherwise planes. */
async function eachBox(
  source: SlabSource,
  cells: CellBox,
  stage: BitStage,
  work: (address: number, from: Vector3, size: Vector3) => Promise<void>,
): Promise<void> {
  const { arena, progress, slabPlanes } = stage;
  const [from, to] = [cells.from[2], cells.to[2]];
  const purpose = 'Reading the scan';
  const { boxes } = source;
  const [nx, ny] = source.grid.dimensions;
  if (!boxes) {
    const range = { from, to, size: Math.min(to - from, planesPerRead(source, stage)) };
    await eachPlanes(source, cells, arena, { ...range, purpose, progress }, (zFrom, zTo, { address }) =>
      work(address, [0, 0, zFrom], [nx, ny, zTo - zFrom]),
    );
    return;
  }
  const planes = slabPlanes ?? Math.min(boxes.size[2], planesPerBox);
  const bytes = boxes.size[0] * boxes.size[1] * planes * bytesPerVoxel[source.dataType];
  const mark = arena.mark();
  const free = Array.from({ length: boxes.atOnce * arena.threads }, () => arena.allocate(bytes, purpose));
  await inPieces(arena, { from, to, size: planes, progress }, (zFrom, zTo) =>
    boxes.read([cells.from[0], cells.from[1], zFrom], [cells.to[0], cells.to[1], zTo], async (box) => {
      const address = free.pop();
      if (address === undefined) throw new Error('more boxes at once than announced');
      const [x, y, z] = box.size;
      await box.load(arena.bytes(address, x * y * z * bytesPerVoxel[source.dataType]));
      await work(address, box.from, box.size);
      free.push(address);
    }),
  );
  arena.release(mark);
}

/** Cells of a ball about the origin, as rows: dy, dz and the half-width of the row in x. */
export interface BallRows {
  rows: [number, number, number][];
  reach: Vector3;
}

export function ballRows(radiusMm: number, spacingMm: Vector3): BallRows {
  const reach = spacingMm.map((edge) => Math.floor(radiusMm / edge + 1e-9)) as Vector3;
  const rows: [number, number, number][] = [];
  for (let dz = -reach[2]; dz <= reach[2]; dz++) {
    for (let dy = -reach[1]; dy <= reach[1]; dy++) {
      const rest = radiusMm ** 2 - (dy * spacingMm[1]) ** 2 - (dz * spacingMm[2]) ** 2;
      if (rest >= -1e-9) rows.push([dy, dz, Math.floor(Math.sqrt(Math.max(rest, 0)) / spacingMm[0] + 1e-9)]);
    }
  }
  return { rows, reach };
}

const dilateModes = { dilation: 0, rest: 1, otherWithout: 2, otherWithin: 3 } as const;

export interface DilateRequest {
  bits: number;
  /** dilates the cells that are not set */
  invert?: boolean;
  ball: BallRows;
  /** what is written: the dilation, its complement, or `other` outside or inside it */
  make: keyof typeof dilateModes;
  other?: number;
  target: number;
}

/**
 * The squared radius of a ball in cells, when the ball is round in cells and within the range of the distance
 * transform; otherwise null.
 */
export function findSquaredRadius({ rows, reach }: BallRows): number | null {
  const edge = Math.max(...reach);
  if (edge >= farthestCells) return null;
  const squared = rows.reduce(
    (most, [dy, dz, width]) => Math.max(most, dy * dy + dz * dz + width * width),
    0,
  );
  const widthAt = (dz: number, dy: number) => Math.floor(Math.sqrt(squared - dz * dz - dy * dy) + 1e-9);
  if (rows.some(([dy, dz, width]) => width !== widthAt(dz, dy))) return null;
  let count = 0;
  for (let dz = -edge; dz <= edge; dz++) count += 2 * widthAt(dz, 0) + 1;
  return count === rows.length ? squared : null;
}

/** From this radius (cells) on, a distance transform is faster than dilating from the boundary cells. */
const minReach = 12;

/** Dilation by a ball, exact for cell centres; `target` must differ from `bits`. */
export const dilateBits = ({ ball, target, ...request }: DilateRequest, stage: BitStage): Promise<void> =>
  dilateByEach({ ...request, balls: [{ ball, target }] }, stage);

/** Dilation by several balls; all large ones use the same distance transform. */
export async function dilateByEach(
  {
    balls,
    ...request
  }: Omit<DilateRequest, 'ball' | 'target'> & { balls: readonly Pick<DilateRequest, 'ball' | 'target'>[] },
  stage: BitStage,
): Promise<void> {
  const { grid, arena } = stage;
  const large: { limit: number; target: number }[] = [];
  for (const { ball, target } of balls) {
    const limit = Math.max(...ball.reach) >= minReach ? findSquaredRadius(ball) : null;
    if (limit === null) await layBalls({ ...request, ball, target }, stage);
    else large.push({ limit, target });
  }
  if (large.length === 0) return;
  const { bits, invert, other = bits } = request;
  const reach = Math.ceil(Math.sqrt(Math.max(...large.map(({ limit }) => limit))));
  const plane = grid.words * grid.rows;
  await squaredDistances({ bits, invert, reach }, stage, async (squared, zFrom, zTo) => {
    const [offset, count] = [zFrom * plane * 8, (zTo - zFrom) * plane];
    const common = { squared, count, mode: dilateModes[request.make] };
    const inputs = large.map(({ limit, target }) => ({
      ...common,
      ...{ limit, other: other + offset, target: target + offset },
    }));
    await arena.runEach(kernelTasks.withinDistance, inputs);
  });
}

/** Dilation by placing the ball on the boundary cells. */
async function layBalls(request: DilateRequest, stage: BitStage): Promise<void> {
  const { grid, arena } = stage;
  const { rows, reach } = request.ball;
  const mark = arena.mark();
  const list = rows.toSorted(([ay, az], [by, bz]) => ay * ay + az * az - by * by - bz * bz);
  const offsets = arena.allocate(list.length * 12, 'A ball');
  arena.integers(offsets, list.length * 3).set(list.flat());
  const levels = Math.max(...list.map(([, , width]) => width)) + 1;
  const size = Math.min(grid.planes, stage.slabPlanes ?? Math.max(8, 2 * reach[2]));
  const scratchBytes =
    (size + 2 * reach[2]) * grid.rows * grid.words * (levels * 8 + 3) + list.length * 4 + 8;
  const scratch = Array.from({ length: arena.threads }, () => arena.allocate(scratchBytes, 'A ball'));
  await inPieces(arena, { from: 0, to: grid.planes, size, progress: stage.progress }, (zFrom, zTo, lane) =>
    arena.run(kernelTasks.dilate, {
      grid: grid.at,
      zFrom,
      zTo,
      bits: request.bits,
      invert: request.invert ?? false,
      offsets,
      offsetCount: list.length,
      levels,
      reachY: reach[1],
      reachZ: reach[2],
      other: request.other ?? request.bits,
      mode: dilateModes[request.make],
      target: request.target,
      scratch: scratch[lane],
    }),
  );
  arena.release(mark);
}

const combineModes = { or: 0, without: 1, and: 2 } as const;

/** target = a combined with b, over the whole grid. */
export async function combineBits(
  { a, make, b, target }: { a: number; make: keyof typeof combineModes; b: number; target: number },
  stage: BitStage,
): Promise<void> {
  const { arena } = stage;
  await inParts(stage, async (offset, count) => {
    const bits = { a: a + offset, b: b + offset, target: target + offset };
    const input = { ...bits, count, mode: combineModes[make] };
    await arena.run(kernelTasks.combineBits, input);
  });
}

/** Runs `work` on all words of the bits, in parts of `count` words at byte `offset`. */
function inParts(stage: BitStage, work: (offset: number, count: number) => Promise<void>): Promise<void> {
  const { grid, arena } = stage;
  const plane = grid.words * grid.rows;
  const range = { from: 0, to: grid.planes, size: planesPerTask(grid, stage) * 16 };
  return inPieces(arena, range, (zFrom, zTo) => work(zFrom * plane * 8, (zTo - zFrom) * plane));
}

/** Number of set cells, the margin included. */
export async function countBits(bits: number, stage: BitStage): Promise<number> {
  const { arena } = stage;
  let sum = 0;
  await inParts(stage, async (offset, count) => {
    const input = { bits: bits + offset, count };
    const part = await arena.run(kernelTasks.countBits, input);
    sum += part;
  });
  return sum;
}
