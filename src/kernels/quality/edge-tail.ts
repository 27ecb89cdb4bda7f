/** Haze beside edges: grey values that go on towards air farther than blur spreads them. */
import { median } from './block-levels.ts';

/** Blur has faded at so many times its deviation from an edge; what is left over the next voxels counts. */
const [faded, over] = [2.5, 2];
/**
 * Standard errors that are taken off what edges have in common, and such as it has to reach for nothing to be taken off; groups of
 * planes overlap, so that each counts up to twice.
 */
const [errors, sureErrors, counted] = [2, 3, 2];
/** From so many on their scatter is known well enough for that. */
const fewestSure = 20;
/** Edges that lie across their lines at most so slanted, as the square of the slope. */
const mostTilt = 0.15;

/**
 * @param profile along an edge, as shares of its height
 * @param isAirFirst the profile rises
 * @param beyond level of air farther out than the profile reaches, as such a share
 * @returns how far grey values lie above that where blur has faded, as a share of the edge's height; NaN where that is not in the profile
 */
export function measureTail(
  profile: Float64Array,
  cells: number,
  isAirFirst: boolean,
  { steepness, tilt }: { steepness: number; tilt: number },
  beyond: number,
): number {
  if (tilt > mostTilt || !(steepness > 0)) return Number.NaN;
  const at = (c: number) => (isAirFirst ? profile[c] : 1 - profile[cells - 1 - c]);
  let c = 1;
  while (c < cells && at(c) < 0.5) c++;
  // Of a rough or stepped face the lines are steeper than their mean, which goes on farther.
  let ofMean = 0;
  for (let n = 1; n < cells; n++) ofMean += (at(n) - at(n - 1)) ** 2;
  const edge = c - (at(c) - 0.5) / (at(c) - at(c - 1));
  const to = edge - faded / (2 * Math.sqrt(Math.PI) * Math.min(steepness, ofMean));
  const from = Math.max(0, Math.ceil(to - over));
  let [sum, count] = [0, 0];
  for (let place = from; place <= to; place++) {
    sum += at(place) - beyond;
    count++;
  }
  return count > 0 ? sum / count : Number.NaN;
}

/**
 * What edges have in the middle, where that can't come from how much they differ: errors taken off it would hide what a part with
 * few flat faces has. Else what most have at least; 0 where that is nothing.
 */
export function findHaze(tails: readonly number[]): number {
  const middle = median(tails);
  const spread = tails.reduce((sum, tail) => sum + (tail - middle) ** 2, 0) / tails.length;
  const error = Math.sqrt((counted * spread) / tails.length);
  const isSure = tails.length >= fewestSure && middle > sureErrors * error;
  return isSure ? middle : Math.max(0, middle - errors * error);
}
