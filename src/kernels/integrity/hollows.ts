/** Hollows of a surface that the rolling ball enters but that may still be voids. */

import { inPieces } from '../pool.ts';
import { allocateBits, type BallRows, ballRows, combineBits, dilateBits, dilateByEach } from './bit-grid.ts';
import { type BitGrid, type Components, dropped } from './bit-layout.ts';
import type { BitStage } from './bit-stage.ts';
import { findComponents, listRuns, paintComponent } from './components.ts';
import { gatherDefects } from './measure-defects.ts';
import { isGap, type Mouths } from './mouths.ts';
import type { OpenVoidOptions } from './open-voids.ts';
import { countWithin, listMouths, renumber, tabulate } from './tasks.ts';

/** Radii of two larger balls, as multiples of the ball that the search starts with. */
export const [wideBall, widerBall] = [3, 4];
/**
 * The space below the larger ball grows with the square of its radius along an edge and with the cube in a corner, but
 * a hollow has a size of its own: more than this share of it also lies below the smaller ball.
 */
const ownSize = 0.72;
/** Smaller depths below the ball, in cells, are steps of the grid and noise. */
const minDepth = 2;
/** Smallest hollow, in cells. */
const minCells = 27;

export interface Hollows {
  /** those that now count as open voids, and those that do not, or only in part */
  counted: HollowSum;
  left: HollowSum;
  /** whether the rolling ball is so large that it passes over the remaining hollows */
  isWide: boolean;
}
/** @property volumeMm3 volume that belonged to no void before */
interface HollowSum {
  count: number;
  volumeMm3: number;
}

/**
 * Finds compact hollows below a larger ball that are not gaps, grooves or bores. Those with a mouth narrower than the
 * rolling ball become open voids, however shallow they are.
 * @param voids bits of the open voids, if there are any; the new ones are added
 * @param isWide the rolling ball is larger than the ball of `options` that the search starts with: no hollow becomes a
 * void
 * @returns whether there are open voids now, and the hollows, split into counted ones and the rest
 */
export async function findHollows(
  { outside, voids, isOpen, isWide }: { outside: number; voids: number; isOpen: boolean; isWide: boolean },
  options: OpenVoidOptions,
): Promise<{ isOpen: boolean; hollows: Hollows }> {
  const { radiusMm, spacingMm, scratch, progress: _, ...stage } = options;
  const { grid, arena } = stage;
  const mark = arena.mark();
  // Data needed only later is kept as a list of runs: the open voids, whose bits are reused, and what lies below the
  // smaller ball.
  const listed = isOpen ? await listRuns(voids, stage) : null;
  const b = voids;
  await withSpecks(outside, { scratch, target: b }, stage);
  const a = allocateBits(arena, grid);
  const [wideRows, widerRows] = [wideBall, widerBall].map((radii) => ballRows(radii * radiusMm, spacingMm));
  const balls = [
    { ball: wideRows, target: scratch },
    { ball: widerRows, target: a },
  ];
  await dilateByEach({ bits: b, invert: true, make: 'rest', balls }, stage);
  /** Part of the outside that this ball cannot reach. */
  const findBelow = (bits: number, ball: BallRows, target: number) =>
    dilateBits({ bits, ball, make: 'otherWithout', other: outside, target }, stage);
  await findBelow(scratch, wideRows, b);
  const wide = await listRuns(b, stage);
  const wider = scratch;
  await findBelow(a, widerRows, wider);
  const edgeMm = Math.max(...spacingMm);
  const [deep, back] = [minDepth, minDepth + 1].map((cells) => ballRows(cells * edgeMm, spacingMm));
  await combineBits({ a: outside, make: 'without', b: wider, target: a }, stage);
  await dilateBits({ bits: a, ball: deep, make: 'otherWithout', other: wider, target: b }, stage);
  await dilateBits({ bits: b, ball: back, make: 'otherWithin', other: wider, target: a }, stage);
  await combineBits({ a: outside, make: 'without', b: a, target: b }, stage);
  const components = await findComponents(a, 26, stage);
  const run = { grid, components };
  const { voxels } = await arena.run(tabulate, { ...run, mask: 0 });
  const within = await countListed(run, wide, wider, stage);
  const counted = listed && (await countListed(run, listed, wider, stage));
  const own = [...voxels.keys()].filter((c) => voxels[c] >= minCells && within[c] > ownSize * voxels[c]);
  const map = new Uint32Array(components.count).fill(dropped);
  for (const [i, c] of own.entries()) map[c] = i;
  const { numbers, runCount } = components;
  await arena.run(renumber, { numbers, runCount, map });
  const runs = await gatherDefects(components, own.length, stage);
  const mouths: Mouths[] = [];
  const range = { from: 0, to: own.length, size: Math.max(1, Math.min(200, Math.ceil(own.length / 8))) };
  await inPieces(arena, range, async (from, to) => {
    const isOpen = new Uint8Array(to - from).fill(1);
    const input = { grid, runs, outside: b, spacingMm, isOpen, from, to };
    for (const [i, found] of (await arena.run(listMouths, input)).entries()) mouths[from + i] = found;
  });
  const voxelMm3 = spacingMm[0] * spacingMm[1] * spacingMm[2];
  const isHollow = (i: number) => !isGap(mouths[i], voxels[own[i]] * voxelMm3, 2 * wideBall * radiusMm);
  const isNarrow = (i: number) => !isWide && mouths[i].areasMm2[0] < Math.PI * radiusMm ** 2;
  const found = [...own.keys()].filter(isHollow);
  const narrow = new Set(found.filter(isNarrow));
  if (narrow.size > 0) {
    const wanted = Uint32Array.from(own, (_, i) => (narrow.has(i) ? 0 : dropped));
    await arena.run(renumber, { numbers, runCount, map: wanted });
    await paintComponent(components, a, stage);
    await combineBits({ a: a, make: 'or', b: listed ? wider : a, target: voids }, stage);
  } else if (listed) await combineBits({ a: wider, make: 'or', b: wider, target: voids }, stage);
  arena.release(mark);
  const sumHollows = (some: readonly number[]): HollowSum => {
    const cells = some.map((i) => voxels[own[i]] - (counted?.[own[i]] ?? 0)).filter((left) => left > 0);
    return { count: cells.length, volumeMm3: cells.reduce((sum, each) => sum + each, 0) * voxelMm3 };
  };
  return {
    isOpen: isOpen || narrow.size > 0,
    hollows: {
      counted: sumHollows([...narrow]),
      left: sumHollows(found.filter((i) => !narrow.has(i))),
      isWide,
    },
  };
}

/** Number of cells of each component in a list of runs; the runs are painted into `target`. */
async function countListed(
  run: { grid: BitGrid; components: Components },
  listed: Components,
  target: number,
  stage: BitStage,
): Promise<Float64Array> {
  await paintComponent(listed, target, stage);
  return stage.arena.run(countWithin, { ...run, bits: target });
}

/** The outside together with specks floating in it: noise that no ball would get past. */
async function withSpecks(
  outside: number,
  { scratch, target }: { scratch: number; target: number },
  stage: BitStage,
): Promise<void> {
  const { grid, arena } = stage;
  const mark = arena.mark();
  const point = ballRows(0, [1, 1, 1]);
  await dilateBits({ bits: outside, ball: point, make: 'rest', target: scratch }, stage);
  const components = await findComponents(scratch, 26, stage);
  const { voxels } = await arena.run(tabulate, { grid, components, mask: 0 });
  const map = Uint32Array.from(voxels, (cells) => (cells < minCells ? 0 : dropped));
  const { numbers, runCount } = components;
  await arena.run(renumber, { numbers, runCount, map });
  await paintComponent(components, scratch, stage);
  await combineBits({ a: outside, make: 'or', b: scratch, target: target }, stage);
  arena.release(mark);
}
