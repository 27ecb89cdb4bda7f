/** Spots in the material that are too bright to be detected as voids: pores below the detection limit. */
import type { Arena } from '../arena.ts';
import type { CellBox } from '../grid/region.ts';
import type { SlabSource, Vector3 } from '../grid/volume.ts';
import { makeBitGrid, thresholdBits } from './bit-grid.ts';
import { averageBlurredBall, readBlurredBall } from './blurred-ball.ts';
import { findComponents } from './components.ts';
import { countWithin, tabulate } from './tasks.ts';

export interface SpotSearch {
  cells: CellBox;
  levels: { air: number; material: number; level: number };
  /** smallest deficit of a spot, as a share of the contrast */
  share: number;
  /** standard deviation of the edge spread, in cells */
  deviation: number;
  /** voxels below the level from which a spot is a void */
  minVoxels: number;
  /** diameter of the largest pores that may not be detected, in voxels */
  limitVoxels: number;
}

/**
 * Number of spots that are no voids, and the volume of blurred balls that have as many dark cells, in cells. Reads the
 * region once; memory: two bits per cell, and its runs of air.
 * @returns null when any is too large for an undetected pore: a filled void, for example, or a shadow
 */
export async function findFaintSpots(
  source: SlabSource,
  arena: Arena,
  { cells, levels, share, deviation, minVoxels, limitVoxels }: SpotSearch,
): Promise<{ count: number; volume: number } | null> {
  const size = cells.to.map((n, k) => n - cells.from[k]) as Vector3;
  const grid = makeBitGrid(arena, size, [3, 3, 3]);
  const { air, material } = levels;
  const thresholds = [levels.level, material - share * (material - air)];
  const [bits, dark] = await thresholdBits(
    source,
    { cells, thresholds: thresholds.map((level) => ({ level, keep: 'air' as const })) },
    { grid, arena },
  );
  const components = await findComponents(dark, 26, { grid, arena });
  const { voxels } = await arena.run(tabulate, { grid, components, mask: 0 });
  const ofAir = await arena.run(countWithin, { grid, components, bits });
  const spots = voxels.filter((_, i) => ofAir[i] < minVoxels);
  // Blur widens a spot by about its deviation on either side.
  const most = ofDiameter(limitVoxels + 2 * deviation);
  if (spots.some((each) => each > most)) return null;
  const volume = spots.reduce((sum, each) => {
    const seen = toDiameter(each) / 2;
    return sum + ofDiameter(findDiameter((radius) => readBlurredBall(seen, radius, deviation), share));
  }, 0);
  return { count: spots.length, volume };
}

const ofDiameter = (diameter: number): number => (Math.PI / 6) * diameter ** 3;
const toDiameter = (volume: number): number => Math.cbrt((6 * volume) / Math.PI);

/**
 * Diameter in cells of balls whose centre lies at this share of the contrast below the material, averaged over their
 * positions relative to the cells.
 * @param deviation of the edge spread, in cells
 */
export const findSeenDiameter = (share: number, deviation: number): number =>
  findDiameter((radius) => averageBlurredBall(toDiameter(1) / 2, radius, deviation), share);

const largest = 50;

/** Diameter of the ball whose height reaches a share, by bisection. @param read rises with the radius */
function findDiameter(read: (radius: number) => number, share: number): number {
  let [low, high] = [0, largest];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (read(middle / 2) < share) low = middle;
    else high = middle;
  }
  return high;
}
