import type { Arena } from '../arena.ts';
import { inPieces, type Pieces } from '../pool.ts';
import { kernelTasks, type OnArena, type Task } from '../task.ts';
import { findKind } from './data-type.ts';
import { levelled } from './level-field.ts';
import type { CellBox } from './region.ts';
import { bytesPerVoxel, type SlabSource } from './volume.ts';

export interface ReadPlanes {
  /** address of planes first … last−1 of the volume, whole planes, x fastest; undefined outside the region */
  address: number;
  first: number;
  last: number;
}

/** Planes of the volume. */
export interface PlanesRead extends Pieces {
  /** additional planes read with each piece on either side, as far as the region contains them */
  before?: number;
  after?: number;
  /** name of the requester for out-of-memory messages */
  purpose: string;
}

/** Reads planes of a region into allocated memory in the arena. */
export type PlaneReader = (
  /** address of plane `first`, which may be outside the planes read */
  target: { address: number; first: number },
  from: number,
  to: number,
) => Promise<void>;

/** Memory: the boxes in flight if the volume is stored in boxes. One read at a time. */
export function planeReader(
  source: SlabSource,
  cells: CellBox,
  arena: Arena,
  { planes, purpose }: { /** at once, at most */ planes: number; purpose: string },
): PlaneReader {
  const { grid, boxes, medianSource, levelledOf } = source;
  if (levelledOf) return levelledReader(levelledOf, cells, arena, { planes, purpose });
  if (medianSource) return medianReader(medianSource, cells, arena, { planes, purpose });
  const [nx, ny] = grid.dimensions;
  const bytesPerCell = bytesPerVoxel[source.dataType];
  if (!boxes) {
    return async ({ address, first }, from, to) => {
      const slab = await source.readSlab(from, to);
      arena
        .bytes(address + (from - first) * nx * ny * bytesPerCell, slab.byteLength)
        .set(new Uint8Array(slab.buffer, slab.byteOffset, slab.byteLength));
    };
  }
  const boxBytes = boxes.size[0] * boxes.size[1] * Math.min(planes, boxes.size[2]) * bytesPerCell;
  const free = Array.from({ length: boxes.atOnce }, () => arena.allocate(boxBytes, purpose));
  const place = batchTasks(arena, kernelTasks.placeBox);
  return ({ address: target, first }, from, to) =>
    boxes.read([cells.from[0], cells.from[1], from], [cells.to[0], cells.to[1], to], async (box) => {
      const address = free.pop();
      if (address === undefined) throw new Error('more boxes at once than announced');
      await box.load(arena.bytes(address, bytesPerCell * box.size.reduce((all, n) => all * n)));
      const [sizeX, sizeY, sizeZ] = box.size;
      const [x, y, z] = box.from;
      const input = { box: address, sizeX, sizeY, sizeZ, x, y, z: z - first, bytes: bytesPerCell };
      await place({ ...input, planes: target, nx, ny });
      free.push(address);
    });
}

/**
 * Runs small tasks in sequence. Those requested while others run are sent to a thread together, because a call of a
 * thread takes longer than such a task.
 */
function batchTasks<Input extends OnArena, Output>(arena: Arena, task: Task<Input, Output>) {
  let waiting: Omit<Input, 'memory'>[] = [];
  let running: Promise<unknown> = Promise.resolve();
  return (input: Omit<Input, 'memory'>): Promise<unknown> => {
    waiting.push(input);
    if (waiting.length > 1) return running;
    running = running.then(() => {
      const batch = waiting;
      waiting = [];
      return arena.runEach(task, batch);
    });
    return running;
  };
}

/** Bytes mapped to the scale per task: a few milliseconds. */
const levelledBytesAtOnce = 4e6;

/**
 * Like planeReader, on the scale of local levels. Memory: none for 16-bit values, otherwise the planes read at a time.
 */
function levelledReader(
  { source, field }: NonNullable<SlabSource['levelledOf']>,
  cells: CellBox,
  arena: Arena,
  { planes, purpose }: { planes: number; purpose: string },
): PlaneReader {
  const { dataType } = source;
  const [nx, ny] = source.grid.dimensions;
  const planeBytes = nx * ny * bytesPerVoxel[dataType];
  // 16-bit values are mapped to the scale in place.
  const raw = bytesPerVoxel[dataType] === 2 ? null : arena.allocate(planes * planeBytes, purpose);
  const [kx, ky, kz] = field.nodes;
  const count = field.base.length;
  const scratch = Array.from({ length: arena.threads }, () => arena.allocate(4 * nx + 8 * kx + 160, purpose));
  const base = arena.allocate(8 * count, purpose);
  arena.floats(base, 2 * count).set(field.base);
  arena.floats(base, 2 * count).set(field.gain, count);
  const common = {
    ...{ kind: findKind(dataType), bytes: bytesPerVoxel[dataType], nx, ny },
    ...{ kx, ky, kz, per: field.brickCells, base, gain: base + 4 * count, air: levelled.air },
  };
  const [xFrom, yFrom] = cells.from;
  const [xTo, yTo] = cells.to;
  const read = planeReader(source, cells, arena, { planes, purpose });
  const size = Math.max(1, Math.floor(levelledBytesAtOnce / (2 * nx * ny)));
  return async ({ address, first }, from, to) => {
    for (let zFrom = from; zFrom < to; zFrom += planes) {
      const zTo = Math.min(to, zFrom + planes);
      const held = raw ?? address + (zFrom - first) * planeBytes;
      await read({ address: held, first: zFrom }, zFrom, zTo);
      await inPieces(arena, { from: zFrom, to: zTo, size }, (a, b, lane) =>
        arena.run(kernelTasks.levelPlanes, {
          ...common,
          ...{ xFrom, xTo, yFrom, yTo, zFrom: a, zTo: b },
          source: held + (a - zFrom) * planeBytes,
          target: address + (a - first) * nx * ny * 2,
          scratch: scratch[lane],
        }),
      );
    }
  };
}

/** Scratch memory of the kernel in addition to its planes (assembly/median.ts). */
const medianScratchBytes = 25_000;
/** Bytes filtered per task: a few milliseconds, so that the threads finish together. */
const medianBytesAtOnce = 1e6;

/** Like planeReader, with a median filter. Memory: the planes read at a time, and two more. */
function medianReader(
  source: SlabSource,
  cells: CellBox,
  arena: Arena,
  { planes, purpose }: { planes: number; purpose: string },
): PlaneReader {
  const [nx, ny, nz] = source.grid.dimensions;
  const planeBytes = nx * ny * bytesPerVoxel[source.dataType];
  // The filter needs the cells next to the region.
  const around: CellBox = {
    from: [Math.max(0, cells.from[0] - 1), Math.max(0, cells.from[1] - 1), 0],
    to: [Math.min(nx, cells.to[0] + 1), Math.min(ny, cells.to[1] + 1), nz],
  };
  const most = Math.min(nz, planes + 2);
  const raw = arena.allocate(most * planeBytes, purpose);
  const scratch = Array.from({ length: arena.threads }, () => arena.allocate(medianScratchBytes, purpose));
  const read = planeReader(source, around, arena, { planes: most, purpose });
  const size = Math.max(1, Math.floor(medianBytesAtOnce / planeBytes));
  return async ({ address, first }, from, to) => {
    for (let zFrom = from; zFrom < to; zFrom += planes) {
      const zTo = Math.min(to, zFrom + planes);
      const rawFirst = Math.max(0, zFrom - 1);
      await read({ address: raw, first: rawFirst }, rawFirst, Math.min(nz, zTo + 1));
      const input = {
        kind: findKind(source.dataType),
        source: raw - rawFirst * planeBytes,
        nx,
        ny,
        nz,
        yFrom: cells.from[1],
        yTo: cells.to[1],
        target: address - first * planeBytes,
      };
      await inPieces(arena, { from: zFrom, to: zTo, size }, (a, b, lane) =>
        arena.run(kernelTasks.medianPlanes, { ...input, zFrom: a, zTo: b, scratch: scratch[lane] }),
      );
    }
  };
}

/**
 * Runs `work` on pieces of a region's planes, which are in the arena meanwhile; as many at a time as the pool has
 * threads. Memory: one piece per thread, plus that of the reader; freed at the end.
 */
export async function eachPlanes(
  source: SlabSource,
  cells: CellBox,
  arena: Arena,
  { from, to, size, before = 0, after = 0, purpose, progress }: PlanesRead,
  work: (zFrom: number, zTo: number, planes: ReadPlanes, lane: number) => Promise<void>,
): Promise<void> {
  const [nx, ny] = source.grid.dimensions;
  const planes = Math.min(cells.to[2] - cells.from[2], size + before + after);
  const mark = arena.mark();
  const lanes = Array.from({ length: arena.threads }, () => ({
    address: arena.allocate(planes * nx * ny * bytesPerVoxel[source.dataType], purpose),
    read: planeReader(source, cells, arena, { planes, purpose }),
  }));
  await inPieces(arena, { from, to, size, progress }, async (zFrom, zTo, lane) => {
    const { address, read } = lanes[lane];
    const first = Math.max(cells.from[2], zFrom - before);
    const last = Math.min(cells.to[2], zTo + after);
    await read({ address, first }, first, last);
    await work(zFrom, zTo, { address, first, last }, lane);
  });
  arena.release(mark);
}
