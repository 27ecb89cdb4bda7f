import type { Arena } from '../arena.ts';
import { eachPlanes } from '../grid/plane-reader.ts';
import { wholeGrid } from '../grid/region.ts';
import { bytesPerVoxel, type DataType, type SlabSource, type Vector3, viewOf } from '../grid/volume.ts';
import type { KernelPool } from '../pool.ts';
import { defineTask, type OnArena } from '../task.ts';

/** Levels change slowly: of larger volumes, means over blocks say as much. */
const mostCells = 4.5e6;
const slabBytes = 12e6;

/** A volume as means over blocks of cells. */
export interface WorkingCells {
  cells: Vector3;
  /** cells of the volume along each edge of a block */
  step: number;
  /** address: f32, x fastest */
  means: number;
}

/** Reads the volume once; what is no number counts as `missing`. Memory: 4 bytes a block. */
export async function workingCells(
  source: SlabSource,
  missing: number,
  pool: KernelPool,
  arena: Arena,
  signal?: AbortSignal,
): Promise<WorkingCells> {
  const { dimensions } = source.grid;
  const [nx, ny, nz] = dimensions;
  const step = Math.max(1, Math.ceil(Math.cbrt((nx * ny * nz) / mostCells)));
  const cells = dimensions.map((n) => Math.ceil(n / step)) as Vector3;
  const purpose = 'The local levels';
  const means = arena.allocate(4 * cells[0] * cells[1] * cells[2], purpose);
  const planes = Math.floor(slabBytes / (nx * ny * bytesPerVoxel[source.dataType]));
  const size = step * Math.max(1, Math.floor(planes / step));
  const range = { from: 0, to: nz, size, purpose, signal };
  await eachPlanes(source, wholeGrid(source.grid), pool, arena, range, (from, to, { address }) => {
    const input = { memory: arena.memory, dataType: source.dataType, source: address, dimensions, step };
    return pool.run(meanOfBlocks, { ...input, means, missing, from, to }, { signal });
  });
  return { cells, step, means };
}

interface BlocksInput extends OnArena {
  dataType: DataType;
  /** address of plane `from` */
  source: number;
  dimensions: Vector3;
  step: number;
  means: number;
  missing: number;
  from: number;
  to: number;
}

export const meanOfBlocks = defineTask(import.meta.url, 'meanOfBlocks', (_, input: BlocksInput): void => {
  const { memory, dataType, dimensions, step, missing, from, to } = input;
  const [nx, ny] = dimensions;
  const [wx, wy] = [Math.ceil(nx / step), Math.ceil(ny / step)];
  const values = viewOf(dataType, memory.buffer, input.source, nx * ny * (to - from));
  const blocks = Math.ceil((to - from) / step);
  const means = new Float32Array(memory.buffer, input.means + 4 * wx * wy * (from / step), wx * wy * blocks);
  const row = new Float64Array(wx);
  for (let k = 0; k < blocks; k++) {
    const zTo = Math.min(to - from, (k + 1) * step);
    for (let j = 0; j < wy; j++) {
      const yTo = Math.min(ny, (j + 1) * step);
      row.fill(0);
      for (let z = k * step; z < zTo; z++) {
        for (let y = j * step; y < yTo; y++) addRow(values, (z * ny + y) * nx, nx, step, missing, row);
      }
      const rows = (zTo - k * step) * (yTo - j * step);
      for (let i = 0; i < wx; i++) {
        means[(k * wy + j) * wx + i] = row[i] / (rows * (Math.min(nx, (i + 1) * step) - i * step));
      }
    }
  }
});

function addRow(
  values: ArrayLike<number>,
  at: number,
  nx: number,
  step: number,
  missing: number,
  row: Float64Array,
): void {
  for (let i = 0, x = 0; x < nx; i++) {
    const end = Math.min(nx, x + step);
    let sum = 0;
    for (; x < end; x++) {
      const value = values[at + x];
      sum += value - value === 0 ? value : missing;
    }
    row[i] += sum;
  }
}
