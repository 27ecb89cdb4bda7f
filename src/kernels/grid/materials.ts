/** Detects the materials in a histogram of grey values, and the levels between them. */
import { binWidth, type Histogram, peakBetween, smoothed } from './histogram.ts';

export interface Materials {
  /** grey values of air, then of each material, ascending */
  peaks: number[];
  /** between consecutive peaks: one fewer than peaks */
  levels: number[];
}

/** The boundary between one material, or air, and the next. */
export interface MaterialStep {
  isoValue: number;
  /** grey value of the lower material */
  air: number;
  /** grey value of the upper material */
  material: number;
}

export const listSteps = ({ peaks, levels }: Materials): MaterialStep[] =>
  levels.map((isoValue, i) => ({ isoValue, air: peaks[i], material: peaks[i + 1] }));

/** Radius of the running mean that smooths the histogram, as a share of its bins. */
const smoothingShare = 1 / 250;
/**
 * Maximum valley height next to a peak, as a share of the peak; a shallower valley makes it the shoulder of another
 * peak.
 */
const deepest = 0.6;
/**
 * Minimum share of each flank above the valley; a Gaussian with a valley this deep has as much. With less it is a
 * ripple on a slope.
 */
const minFlankShare = 0.3;
/** Peaks with a smaller share of all values are not materials but residues of blur and noise. */
const minShare = 0.002;
/** Peaks closer together than this share of the distance from the first to the last are merged. */
const minDistance = 0.12;
/** Largest number of bins for Otsu's classes. */
const otsuBins = 512;

/**
 * The materials that form distinct peaks of the histogram: each with a valley on either side and enough values. The
 * histogram has to be of voxels within materials: flat faces that cut many cells alike would also give a peak.
 * @returns null with fewer than two peaks
 */
export function materialPeaks(histogram: Histogram): number[] | null {
  const { counts } = histogram;
  const smooth = smoothed(counts, Math.max(1, counts.length * smoothingShare));
  const total = counts.reduce((sum, count) => sum + count, 0);
  let tops = listTops(smooth);
  // Removes the lower of two peaks without a valley between them, the shallowest pair first.
  for (;;) {
    let worst = -1;
    let ratio = deepest;
    for (let i = 1; i < tops.length; i++) {
      const valley = lowestBetween(smooth, tops[i - 1], tops[i]);
      const own = valley / Math.min(smooth[tops[i - 1]], smooth[tops[i]]);
      const apart = (tops[i] - tops[i - 1]) / (tops[tops.length - 1] - tops[0]);
      const shallow = apart < minDistance ? Math.max(own, 1) : own;
      if (shallow > ratio) [worst, ratio] = [i, shallow];
    }
    if (worst < 0) break;
    tops.splice(smooth[tops[worst - 1]] < smooth[tops[worst]] ? worst - 1 : worst, 1);
  }
  // Then removes those on a broad base, the flattest first.
  for (;;) {
    const shares = tops.map((_, i) => shareAbove(smooth, tops, i));
    const flattest = shares.indexOf(Math.min(...shares));
    if (tops.length < 2 || shares[flattest] >= minFlankShare) break;
    tops.splice(flattest, 1);
  }
  const measureMass = (i: number) => {
    const from = i > 0 ? valleyBetween(smooth, tops[i - 1], tops[i]) : 0;
    const to = i + 1 < tops.length ? valleyBetween(smooth, tops[i], tops[i + 1]) : counts.length;
    let sum = 0;
    for (let bin = from; bin < to; bin++) sum += counts[bin];
    return sum;
  };
  tops = tops.filter((_, i) => measureMass(i) >= minShare * total);
  if (tops.length < 2) return null;
  const borders = tops.slice(1).map((top, i) => valleyBetween(smooth, tops[i], top));
  return peaksWithin(histogram, smooth, borders);
}

/**
 * Air and the given number of materials by multi-class Otsu thresholds, exact, by dynamic programming (Otsu 1979,
 * doi:10.1109/TSMC.1979.4310076; Liao, Chen, Chung 2001): the levels that give classes of least within-class variance.
 * @returns null when the histogram has too few different values
 */
export function otsuMaterials(histogram: Histogram, materials: number): Materials | null {
  const levels = otsuLevels(histogram, materials);
  if (!levels) return null;
  const { counts, min } = histogram;
  const smooth = smoothed(counts, Math.max(1, counts.length * smoothingShare));
  const borders = levels.map((level) =>
    Math.min(counts.length - 1, Math.max(1, Math.round((level - min) / binWidth(histogram)))),
  );
  const peaks = peaksWithin(histogram, smooth, borders);
  return peaks && { peaks, levels };
}

/** @returns thresholds between `materials` + 1 classes, ascending; null when there are too few different values */
export function otsuLevels(histogram: Histogram, materials: number): number[] | null {
  const merged = Math.max(1, Math.ceil(histogram.counts.length / otsuBins));
  const bins = Math.ceil(histogram.counts.length / merged);
  const below = new Float64Array(bins + 1);
  const sums = new Float64Array(bins + 1);
  for (let bin = 0; bin < bins; bin++) {
    let [count, sum] = [0, 0];
    for (let i = bin * merged; i < Math.min(histogram.counts.length, (bin + 1) * merged); i++) {
      count += histogram.counts[i];
      sum += (i + 0.5) * histogram.counts[i];
    }
    below[bin + 1] = below[bin] + count;
    sums[bin + 1] = sums[bin] + sum;
  }
  /** Squared sum of the values in bins from … to − 1, divided by their number: large if they are similar. */
  const gain = (from: number, to: number) => {
    const count = below[to] - below[from];
    return count > 0 ? (sums[to] - sums[from]) ** 2 / count : -Infinity;
  };
  // best[c][to]: optimum for the bins before `to` in c + 1 classes; cuts[c][to]: where the last of them begins.
  let best = Float64Array.from({ length: bins + 1 }, (_, to) => gain(0, to));
  const cuts: Int32Array[] = [];
  for (let c = 1; c <= materials; c++) {
    const next = new Float64Array(bins + 1).fill(-Infinity);
    const cut = new Int32Array(bins + 1).fill(-1);
    for (let to = c + 1; to <= bins; to++) {
      for (let from = c; from < to; from++) {
        const value = best[from] + gain(from, to);
        if (value > next[to]) [next[to], cut[to]] = [value, from];
      }
    }
    best = next;
    cuts.push(cut);
  }
  if (!Number.isFinite(best[bins])) return null;
  const levels: number[] = [];
  for (let to = bins, c = materials - 1; c >= 0; c--) {
    const from = cuts[c][to];
    // An empty gap has many equally good thresholds: takes its middle.
    let first = from;
    while (first > 0 && below[first] === below[first - 1]) first--;
    let last = from;
    while (last < bins && below[last + 1] === below[last]) last++;
    levels.unshift(histogram.min + ((first + last) / 2) * merged * binWidth(histogram));
    to = from;
  }
  return levels;
}

export const midways = (peaks: readonly number[]): number[] =>
  peaks.slice(1).map((peak, i) => (peaks[i] + peak) / 2);

/** Share of a peak's values above the adjacent valley, on the flatter of its flanks towards other peaks. */
function shareAbove(smooth: Float64Array, tops: readonly number[], hill: number): number {
  let least = 1;
  for (const other of [tops[hill - 1], tops[hill + 1]]) {
    if (other === undefined) continue;
    const valley = valleyBetween(smooth, Math.min(tops[hill], other), Math.max(tops[hill], other));
    let [above, all] = [0, 0];
    for (let bin = tops[hill]; bin !== valley; bin += Math.sign(other - tops[hill])) {
      above += smooth[bin] - smooth[valley];
      all += smooth[bin];
    }
    least = Math.min(least, above / all);
  }
  return least;
}

/** The highest peak of each part, in grey values; null when a part has none. */
function peaksWithin(
  histogram: Histogram,
  smooth: Float64Array,
  borders: readonly number[],
): number[] | null {
  const edges = [0, ...borders, smooth.length];
  const peaks: number[] = [];
  for (let i = 1; i < edges.length; i++) {
    const peak = peakBetween(histogram.counts, smooth, edges[i - 1], edges[i]);
    if (peak === null) return null;
    peaks.push(histogram.min + (peak + 0.5) * binWidth(histogram));
  }
  return peaks;
}

/** Middles of the plateaus that fall on both sides. */
function listTops(smooth: Float64Array): number[] {
  const tops: number[] = [];
  for (let i = 0; i < smooth.length; ) {
    let end = i;
    while (end + 1 < smooth.length && smooth[end + 1] === smooth[i]) end++;
    const rises = i === 0 || smooth[i - 1] < smooth[i];
    const falls = end + 1 === smooth.length || smooth[end + 1] < smooth[i];
    if (rises && falls && smooth[i] > 0) tops.push(Math.floor((i + end) / 2));
    i = end + 1;
  }
  return tops;
}

function valleyBetween(smooth: Float64Array, from: number, to: number): number {
  let lowest = from;
  for (let i = from; i <= to; i++) if (smooth[i] < smooth[lowest]) lowest = i;
  return lowest;
}
const lowestBetween = (smooth: Float64Array, from: number, to: number) =>
  smooth[valleyBetween(smooth, from, to)];
