/** Filters of grey values, applied to every voxel of a volume. */

import type { Arena, KernelPool } from '#kernels/arena.ts';
import { medianFiltered } from '#kernels/grid/median-filter.ts';
import { planeReader } from '#kernels/grid/plane-reader.ts';
import { wholeGrid } from '#kernels/grid/region.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import type { GridLayout } from '#kernels/surface/grid-layout.ts';
import { type LoadOptions, loadGrid, loadPlanes } from '#kernels/surface/load-grid.ts';
import { kernelTasks } from '#kernels/task.ts';
import * as programs from '../peers/programs.ts';
import { type Agreement, samplePlaces } from './figures.ts';
import { type Ours, openCast, type Row } from './row.ts';
import { levels, type VolumeFile } from './scene.ts';
import { timed } from './timed-pool.ts';

/** Reads and filters every voxel into the arena. */
async function filtered(
  { volume, edge }: VolumeFile,
  pool: KernelPool,
  work: (ours: Ours) => Promise<void>,
  smoothing: LoadOptions['smoothing'],
): Promise<void> {
  const source = makeSlabs(volume);
  await pool.withArena(async (arena) => {
    const mark = arena.mark();
    let grid: GridLayout | undefined;
    await work({
      async run() {
        arena.release(mark);
        const clock = timed(pool, [loadPlanes]);
        arena.pool = clock.pool;
        const cells = wholeGrid(source.grid);
        grid = await loadGrid(source, arena, { ...levels, cells, smoothing, everywhere: true });
        return clock.seconds();
      },
      async result() {
        return { samples: grid ? [...eachValue(grid, arena, edge)] : [] };
      },
    });
  });
}

function* eachValue({ address, stride, cells, iso, air }: GridLayout, arena: Arena, edge: number) {
  const values = new Uint16Array(arena.memory.buffer, address, stride * (cells[1] + 2) * (cells[2] + 2));
  const gain = (iso - air) / (levels.isoValue - levels.air);
  const offset = levels.isoValue - iso / gain;
  for (const [x, y, z] of samplePlaces(edge)) {
    yield values[((z + 1) * (cells[1] + 2) + y + 1) * stride + x + 1] / gain + offset;
  }
}

/** Ours rounds once, others truncate after each of three passes. */
const rounded: Agreement = { samples: { mean: 2, largest: 3 } };

export const gauss: Row = {
  word: 'gauss',
  name: 'Gauss filter, sigma 1',
  async prepare(place) {
    const file = await openCast(place);
    const { edge, folder } = place;
    return {
      rivals: [
        { peer: programs.vtk('gauss', file.file, edge), atLeast: 6, agreement: rounded },
        // A recursive approximation with infinite support instead of seven weights.
        {
          peer: programs.itk('recursive-gauss', file.file, edge, folder),
          atLeast: 6,
          agreement: { samples: { mean: 60, largest: 900 } },
        },
        { peer: programs.scipy('gauss', file.file, edge), atLeast: 6, agreement: rounded },
      ],
      withOurs: (work) => filtered(file, place.pool, work, { kind: 'gauss', sigma: 1, alike: 'cells' }),
    };
  },
};

/** Checksum of all voxels except the border, where VTK uses fewer neighbours; the peers compute the same one. */
function computeChecksum(values: Uint16Array, edge: number): number {
  let sum = 0;
  for (let z = 1; z < edge - 1; z++) {
    for (let y = 1; y < edge - 1; y++) {
      const row = (z * edge + y) * edge;
      for (let x = 1; x < edge - 1; x++) sum += values[row + x] * (1 + ((x + 3 * y + 7 * z) % 251));
    }
  }
  return sum;
}

/** Bitwise equal. */
const same: Agreement = { shares: { checksum: 0 }, samples: { mean: 0, largest: 0 } };
/** Planes that are read at once, as for an analysis. */
const medianPlanes = 32;

export const median: Row = {
  word: 'median',
  name: 'Median filter, 3 × 3 × 3',
  async prepare(place) {
    const { file, volume } = await openCast(place);
    const { edge, folder, pool } = place;
    return {
      rivals: [
        { peer: programs.vtk('median', file, edge), atLeast: 60, agreement: same },
        { peer: programs.itk('median', file, edge, folder), atLeast: 60, agreement: same },
        { peer: programs.scipy('median', file, edge), atLeast: 60, agreement: same },
      ],
      withOurs: (work) =>
        pool.withArena(async (arena) => {
          const address = arena.allocate(2 * edge ** 3, 'The filtered volume');
          const mark = arena.mark();
          const source = makeSlabs(volume);
          await work({
            async run() {
              arena.release(mark);
              const clock = timed(pool, [kernelTasks.medianPlanes]);
              arena.pool = clock.pool;
              const cells = wholeGrid(source.grid);
              const filtered = medianFiltered(source, clock.pool);
              const options = { planes: medianPlanes, purpose: 'The median filter' };
              const read = planeReader(filtered, cells, arena, options);
              await read({ address, first: 0 }, 0, edge);
              return clock.seconds();
            },
            async result() {
              const values = new Uint16Array(arena.memory.buffer, address, edge ** 3);
              const samples = [...samplePlaces(edge)].map(([x, y, z]) => values[(z * edge + y) * edge + x]);
              return { checksum: computeChecksum(values, edge), samples };
            },
          });
        }),
    };
  },
};
