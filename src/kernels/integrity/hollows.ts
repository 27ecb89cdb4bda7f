/** Hollows of a surface that the rolling ball enters, and that may be voids all the same. */
import type { Arena } from '../arena.ts';
import type { Vector3 } from '../grid/volume.ts';
import type { KernelPool } from '../pool.ts';
import { allocateBits, ballRows, combineBits, dilateBits, type StageOptions } from './bit-grid.ts';
import { type BitGrid, dropped } from './bit-layout.ts';
import { findComponents } from './components.ts';
import { gatherDefects } from './measure-defects.ts';
import { findMouths, isGap } from './mouths.ts';
import { countWithin, renumber, tabulate } from './tasks.ts';

/** Two larger balls, in radii of the rolling one. */
export const [wideBall, widerBall] = [3, 4];
/**
 * What lies below the larger of them grows with the square of its radius along an edge and with the cube in a corner; a
 * hollow has a size of its own. More than this share of it lies below the smaller one too.
 */
const ownSize = 0.72;
/** Shallower than so many cells below the ball are steps of the grid and noise. */
const leastDepth = 2;
/** Cells of a hollow at least. */
const fewestCells = 27;

export interface Hollows {
  count: number;
  /** of what is in no void, in mm³ */
  volumeMm3: number;
}

/**
 * Compact hollows below a larger ball that are no gaps, grooves or bores, as far as they are not among the voids.
 * @param voids bits of what counts as open voids; null = there are none
 */
export async function findHollows(
  grid: BitGrid,
  { outside, voids }: { outside: number; voids: number | null },
  pool: KernelPool,
  arena: Arena,
  options: StageOptions & { radiusMm: number; spacingMm: Vector3 },
): Promise<Hollows> {
  const { radiusMm, spacingMm, signal, slabPlanes } = options;
  const stage = { signal, slabPlanes };
  const { memory } = arena;
  const mark = arena.mark();
  const [a, b, wide, wider] = [0, 1, 2, 3].map(() => allocateBits(arena, grid));
  for (const [radii, target] of [
    [wideBall, wide],
    [widerBall, wider],
  ]) {
    const ball = ballRows(radii * radiusMm, spacingMm);
    await dilateBits(
      grid,
      { bits: outside, invert: true, ball, make: 'rest', target: a },
      pool,
      arena,
      stage,
    );
    await dilateBits(
      grid,
      { bits: a, ball, make: 'otherWithout', other: outside, target },
      pool,
      arena,
      stage,
    );
  }
  const edgeMm = Math.max(...spacingMm);
  const [deep, back] = [leastDepth, leastDepth + 1].map((cells) => ballRows(cells * edgeMm, spacingMm));
  await combineBits(grid, outside, 'without', wider, a, pool, arena, stage);
  await dilateBits(
    grid,
    { bits: a, ball: deep, make: 'otherWithout', other: wider, target: b },
    pool,
    arena,
    stage,
  );
  await dilateBits(
    grid,
    { bits: b, ball: back, make: 'otherWithin', other: wider, target: a },
    pool,
    arena,
    stage,
  );
  await combineBits(grid, outside, 'without', a, b, pool, arena, stage);
  const components = await findComponents(grid, a, 26, pool, arena, stage);
  const run = { memory, grid, components };
  const { voxels } = await pool.run(tabulate, { ...run, mask: 0 }, { signal });
  const within = await pool.run(countWithin, { ...run, bits: wide }, { signal });
  const counted = voids === null ? null : await pool.run(countWithin, { ...run, bits: voids }, { signal });
  const own = [...voxels.keys()].filter((c) => voxels[c] >= fewestCells && within[c] > ownSize * voxels[c]);
  const map = new Uint32Array(components.count).fill(dropped);
  for (const [i, c] of own.entries()) map[c] = i;
  const { numbers, runCount } = components;
  await pool.run(renumber, { memory, numbers, runCount, map }, { signal });
  const runs = await gatherDefects(grid, components, own.length, pool, arena, stage);
  const isOpen = new Uint8Array(own.length).fill(1);
  const { buffer } = memory;
  const mouths = findMouths(buffer as SharedArrayBuffer, {
    ...{ grid, runs, outside: b, spacingMm, isOpen },
    ...{ from: 0, to: own.length },
  });
  arena.release(mark);
  const voxelMm3 = spacingMm[0] * spacingMm[1] * spacingMm[2];
  const found = own.filter((c, i) => !isGap(mouths[i], voxels[c] * voxelMm3, 2 * wideBall * radiusMm));
  const left = found.map((c) => voxels[c] - (counted?.[c] ?? 0));
  return {
    count: left.filter((cells) => cells > 0).length,
    volumeMm3: left.reduce((sum, cells) => sum + cells, 0) * voxelMm3,
  };
}
