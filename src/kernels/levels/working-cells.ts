import type { Arena } from '../arena.ts';
import { findKind } from '../grid/data-type.ts';
import { eachPlanes } from '../grid/plane-reader.ts';
import { wholeGrid } from '../grid/region.ts';
import { bytesPerVoxel, type SlabSource, type Vector3 } from '../grid/volume.ts';
import { inPieces } from '../pool.ts';
import { kernelTasks } from '../task.ts';

/** Levels vary slowly, so means over blocks are sufficient for larger volumes. */
const maxCells = 4.5e6;
const slabBytes = 12e6;
/** Planes smoothed per task. */
const planesAtOnce = 16;

/** A volume as means over blocks of cells. */
export interface WorkingCells {
  cells: Vector3;
  /** cells of the volume along each edge of a block */
  step: number;
  /** address: f32, x fastest */
  means: number;
  /** the same address, or that of values smoothed by 1 2 1 along each axis when blocks are single cells */
  smoothed: number;
}

/**
 * Reads the volume once, or a coarser stored level; NaN counts as the lowest of `range`. Memory: 4 bytes a block, 8 a
 * single cell.
 */
export async function workingCells(
  source: SlabSource,
  [low, high]: readonly [number, number],
  arena: Arena,
): Promise<WorkingCells> {
  const level = pickLevel(source);
  const { dimensions } = level.source.grid;
  const [nx, ny, nz] = dimensions;
  const step = computeStep(dimensions);
  const cells = dimensions.map((n) => Math.ceil(n / step)) as Vector3;
  const purpose = 'The local levels';
  const means = arena.allocate(4 * cells[0] * cells[1] * cells[2], purpose);
  const { dataType } = level.source;
  const planes = Math.floor(slabBytes / (nx * ny * bytesPerVoxel[dataType]));
  const size = step * Math.max(1, Math.floor(planes / step));
  const range = { from: 0, to: nz, size, purpose };
  const plane = cells[0] * cells[1];
  const scratch = Array.from({ length: arena.threads }, () => arena.allocate(8 * nx + 64, purpose));
  const common = {
    ...{ kind: findKind(dataType), bytes: bytesPerVoxel[dataType], nx, ny },
    ...{ step, low, high, missing: low },
  };
  await eachPlanes(
    level.source,
    wholeGrid(level.source.grid),
    arena,
    range,
    async (from, to, { address }, lane) => {
      await arena.run(kernelTasks.blockMeans, {
        ...{ ...common, source: address, planes: to - from },
        ...{ means: means + 4 * plane * (from / step), scratch: scratch[lane] },
      });
    },
  );
  if (level.cells * step > 1) return { cells, step: level.cells * step, means, smoothed: means };
  const smoothed = arena.allocate(4 * plane * nz, purpose);
  await inPieces(arena, { from: 0, to: nz, size: planesAtOnce }, async (zFrom, zTo, lane) => {
    const input = { from: means, to: smoothed, nx, ny, nz, zFrom, zTo, scratch: scratch[lane] };
    await arena.run(kernelTasks.smoothCells, input);
  });
  return { cells, step, means, smoothed };
}

const computeStep = ([nx, ny, nz]: Readonly<Vector3>) =>
  Math.max(1, Math.ceil(Math.cbrt((nx * ny * nz) / maxCells)));

/** A coarser stored level already contains the means; the one chosen has blocks no larger than wanted. */
function pickLevel(source: SlabSource): { source: SlabSource; cells: number } {
  const most = computeStep(source.grid.dimensions);
  let picked = { source, cells: 1 };
  for (const coarser of source.coarser ?? [])
    if (2 * picked.cells <= most) picked = { source: coarser, cells: 2 * picked.cells };
  return picked;
}
