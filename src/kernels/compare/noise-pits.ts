/**
 * Pits and bumps that noise makes of a surface. Near the level an edge is straight, and a place moves in proportion to
 * its noise; further away the edge flattens, until a voxel beside the surface crosses the level by noise alone and
 * becomes part of a pit.
 */
import { normalDensity, normalShare } from '../surface/edge-blur.ts';
import { findFilteredNoise } from '../surface/surface-uncertainty.ts';

/** Expected number of places on the surface at which a pit as deep as that is ruled out. */
const rare = 0.01;
/** Depth, in standard deviations of the edge spread, from which the grey value is that of the inside. */
const inside = 2;

/**
 * How much deeper the deepest pit of noise in an area may be than noise at a straight edge would make it; in voxels.
 * @param places number of voxels at the surface
 * @param noise standard deviation of one place, in voxels, at an edge of this spread
 * @param reach distance in voxels over which noise is correlated
 */
export function findPitDepth(
  places: number,
  { noise, edge, reach }: { noise: number; edge: number; reach: number },
): number {
  const share = findFilteredNoise(noise, edge);
  if (!(share > 0)) return 0;
  const slope = normalDensity(0) / edge;
  const expect = (depth: number) => places * findTail((normalShare(depth / edge) - 0.5) / share);
  const atStraight = (depth: number) => places * findTail((depth * slope) / share);
  const straight = solve(atStraight, (10 * share) / slope);
  const most = inside * edge;
  if (expect(most) <= rare) return Math.max(0, solve(expect, most) - straight);
  // Each step further in needs another place as unlikely as the one before.
  const steps = Math.log(expect(most) / rare) / -Math.log(expect(most) / places);
  return Math.max(0, most + steps * reach - straight);
}

/** Depth at which a falling expectation reaches what is rare. */
function solve(expect: (depth: number) => number, most: number): number {
  let [from, to] = [0, most];
  for (let i = 0; i < 40; i++) {
    const middle = (from + to) / 2;
    if (expect(middle) > rare) from = middle;
    else to = middle;
  }
  return to;
}

/** Share of a normal distribution beyond z ≥ 0 (Sampford's bound, to 2 % beyond z = 1). */
const findTail = (z: number): number => (4 * normalDensity(z)) / (3 * z + Math.sqrt(z * z + 8));
