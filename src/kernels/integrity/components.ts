import { inPieces } from '../pool.ts';
import { kernelTasks } from '../task.ts';
import { planesPerTask } from './bit-grid.ts';
import type { Components } from './bit-layout.ts';
import type { BitStage } from './bit-stage.ts';
import { sumRuns } from './tasks.ts';

export type Connectivity = 6 | 26;

/**
 * Connected components by runs and union-find. A component's number follows from the position of its first run, so it
 * does not depend on slabs or threads.
 * @see https://doi.org/10.1109/TIP.2007.914228 (runs), https://doi.org/10.1007/s10044-008-0109-y (union-find)
 */
export async function findComponents(
  bits: number,
  connectivity: Connectivity,
  stage: BitStage,
): Promise<Components> {
  const { grid, arena } = stage;
  const { at } = grid;
  const size = planesPerTask(grid, stage);
  const range = { from: 0, to: grid.planes, size };
  const list = await allocateRuns(bits, stage);
  const { at: components, runCount, numbers } = list;
  const input = { grid: at, components, all26: connectivity === 26 };
  await inPieces(arena, range, async (zFrom, zTo) => {
    await arena.run(kernelTasks.writeRuns, { grid: at, components, bits, zFrom, zTo });
    // Within its planes a piece joins only its own runs; the seams between pieces are joined afterwards, one by one.
    await arena.run(kernelTasks.joinRuns, { ...input, zFrom, zTo, seamOnly: false });
  });
  for (let z = size; z < grid.planes; z += size) {
    await arena.run(kernelTasks.joinRuns, { ...input, zFrom: z, zTo: z + 1, seamOnly: true });
  }
  const count = await arena.run(kernelTasks.numberRuns, { numbers, count: runCount });
  return { ...list, count };
}

/** Counts the runs and allocates memory for them. */
async function allocateRuns(bits: number, stage: BitStage): Promise<Omit<Components, 'count'>> {
  const { grid, arena } = stage;
  const purpose = 'The search for defects';
  const rowCount = grid.rows * grid.planes;
  const starts = arena.allocate((rowCount + 1) * 4, purpose);
  const range = { from: 0, to: grid.planes, size: planesPerTask(grid, stage) };
  await inPieces(arena, range, (zFrom, zTo) =>
    arena.run(kernelTasks.countRuns, { grid: grid.at, bits, zFrom, zTo, starts }),
  );
  const runCount = await arena.run(sumRuns, { starts, rowCount });
  const [runs, numbers] = [0, 1].map(() => arena.allocate(runCount * 4, purpose));
  return { at: arena.place('Components', { starts, runs, numbers }), starts, runs, numbers, runCount };
}

/**
 * Converts bits to a list of runs, from which `paintComponent` restores them as component 0. For a few voids it takes a
 * fraction of the memory.
 */
export async function listRuns(bits: number, stage: BitStage): Promise<Components> {
  const { grid, arena } = stage;
  const list = await allocateRuns(bits, stage);
  const range = { from: 0, to: grid.planes, size: planesPerTask(grid, stage) };
  const input = { grid: grid.at, components: list.at, bits };
  await inPieces(arena, range, (zFrom, zTo) => arena.run(kernelTasks.writeRuns, { ...input, zFrom, zTo }));
  await arena.run(kernelTasks.clearBytes, { at: list.numbers, count: 4 * list.runCount });
  return { ...list, count: 1 };
}

/** Writes the bits of the first component to `target`. */
export async function paintComponent(components: Components, target: number, stage: BitStage): Promise<void> {
  const { grid, arena } = stage;
  const size = planesPerTask(grid, stage);
  const input = { grid: grid.at, components: components.at, wanted: 0, target };
  await inPieces(arena, { from: 0, to: grid.planes, size }, (zFrom, zTo) =>
    arena.run(kernelTasks.paintComponent, { ...input, zFrom, zTo }),
  );
}
