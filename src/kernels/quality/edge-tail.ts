/** Haze beside edges: excess grey values that extend further into air than blur spreads them. */
import { median } from './block-levels.ts';

/** Blur has faded at this many standard deviations from an edge; the excess over the following voxels counts. */
const [faded, over] = [2.5, 2];
/**
 * Standard errors subtracted from the edges' median; standard errors from which on nothing is subtracted; and how often
 * an edge may be counted, because groups of planes overlap.
 */
const [errors, sureErrors, counted] = [2, 3, 2];
/** From this number of edges on, their scatter is known well enough for that. */
const minTails = 20;
/** Largest tilt of an edge relative to its lines, as squared slope. */
const maxTilt = 0.15;

/**
 * Measures the haze beside one edge.
 * @param profile along the edge, as shares of its height
 * @param isAirFirst the profile rises
 * @param beyond level of air further out than the profile reaches, as a share of the height
 * @returns excess where blur has faded, as a share of the edge's height; NaN when the profile is too short
 */
export function measureTail(
  profile: Float64Array,
  cells: number,
  isAirFirst: boolean,
  { steepness, tilt }: { steepness: number; tilt: number },
  beyond: number,
): number {
  if (tilt > maxTilt || !(steepness > 0)) return Number.NaN;
  const at = (c: number) => (isAirFirst ? profile[c] : 1 - profile[cells - 1 - c]);
  let c = 1;
  while (c < cells && at(c) < 0.5) c++;
  // On a rough or stepped face the single lines are steeper than their mean, which is spread further.
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
 * Haze of all edges: their median when it is clearly beyond their scatter (subtracting errors would hide the haze of a
 * part with few flat faces), otherwise the median minus errors, at least 0.
 */
export function findHaze(tails: readonly number[]): number {
  const middle = median(tails);
  const spread = tails.reduce((sum, tail) => sum + (tail - middle) ** 2, 0) / tails.length;
  const error = Math.sqrt((counted * spread) / tails.length);
  const isSure = tails.length >= minTails && middle > sureErrors * error;
  return isSure ? middle : Math.max(0, middle - errors * error);
}
