/**
 * Faults of a detector that noisy radiographs show: pixels that were saturated, rows that occur twice, and a beam of
 * which nothing is left behind the part. Radiographs without noise, from simulations, have none of the first two.
 */
import type { VoxelArray } from '../grid/volume.ts';

/** Minimum share of the pixels that are saturated, and the share of a pixel's brightest counts that are exactly equal. */
const [minShare, minPile] = [0.01, 0.9];
/** Minimum number of a pixel's counts within two deviations of the brightest. */
const minCounts = 5;
/** Minimum noise of the free beam as a share of its count. */
const minNoise = 4e-4;
/** Minimum number of pixels from which noise is estimated, and number of them that are looked at in a projection. */
const [minPixels, minDarkPixels, readPixels] = [1000, 40, 4e4];
/** Shares of the smallest of normally distributed values of deviation 1, and their highest absolute values. */
const [lowest20th, lowestQuarter, lowestHalf] = [0.0627, 0.3186, 0.6745];
/** Minimum ratio of the noise by the smallest and by half of the values. Edges of the part exceed noise-free values. */
const minWhite = 0.7;
/** Pixels behind the part, from this share of the dense integral on or from 1, and behind its densest places. */
const [behind, darkest] = [0.25, 0.8];
/** Noise of a line integral from which its mean is off: by half its square, 0.05 here. */
const maxNoise = 0.3;
/** Step of the counts, as a share of the lowest count, from which that is the end of the scale and not rounding. */
const minStep = 0.5;
/** Largest share of rows that repeat the one before; with more, the radiographs were enlarged. */
const maxRepeats = 0.1;

export interface DetectorFaults {
  isSaturated: boolean;
  /** number of projections in which nothing is left of the beam behind the part */
  starved: number;
  /** the first row that occurs twice */
  repeatedRow: number | null;
}

/**
 * Collects what single projections show. `look` takes a projection as stored and as line integrals, and its dense
 * integral. O(pixels) each.
 *
 * @param steps of each pixel's counts as a share of the free beam; null for continuous values
 */
export function watchDetector(columns: number, rows: number, steps: ArrayLike<number> | null) {
  const pixels = columns * rows;
  const lowest = new Float32Array(pixels).fill(Number.POSITIVE_INFINITY);
  const brightest = new Float32Array(pixels);
  const [equal, near] = [new Uint16Array(pixels), new Uint16Array(pixels)];
  const repeats = new Uint16Array(rows);
  const deviations: number[] = [];
  let [noise, views, starved] = [0, 0, 0];

  function look(raw: VoxelArray, integrals: Float32Array, dense: number): void {
    views++;
    for (let row = 1; row < rows; row++) if (repeatsRow(raw, row * columns, columns)) repeats[row]++;
    let darkestPixel = 0;
    for (let i = 0; i < pixels; i++) if (integrals[i] > integrals[darkestPixel]) darkestPixel = i;
    const highest = integrals[darkestPixel];
    const found = readNoise(integrals, columns, Math.min(1, behind * dense), highest);
    if (noise === 0) {
      // Photon noise of an integral grows with the root of the absorption.
      deviations.push(...found.map(({ deviation, integral }) => deviation * Math.exp(-integral / 2)));
      if (deviations.length >= minPixels) noise = estimateNoise(deviations.splice(0));
    }
    const cutOff = integrals.reduce((n, each) => n + Number(each === highest), 0);
    const isLow = steps ? steps[darkestPixel] * Math.exp(highest) > minStep : noise >= minNoise;
    if ((isLow && cutOff > minShare * pixels) || isLost(found, darkest * dense)) starved++;
    if (noise < minNoise) return;
    for (let i = 0; i < pixels; i++) {
      const above = integrals[i] - lowest[i];
      if (above === 0) equal[i]++;
      if (above >= 0 && above < 2 * noise) near[i]++;
      if (above >= 0) continue;
      near[i] = above > -2 * noise ? near[i] + 1 : 1;
      equal[i] = 1;
      lowest[i] = integrals[i];
      brightest[i] = raw[i];
    }
  }

  function conclude(): DetectorFaults {
    let saturated = 0;
    for (let i = 1; i < pixels - 1; i++) {
      if (near[i] < minCounts || equal[i] <= minPile * near[i] || (steps?.[i] ?? 0) >= noise) continue;
      // Simulations without noise have a constant free beam, too, but a smooth one.
      const difference = lowest[i - 1] - 2 * lowest[i] + lowest[i + 1];
      if (brightest[i] === brightest[i - 1] || Math.abs(difference) > minNoise) saturated++;
    }
    const all = [...repeats.keys()].filter((row) => repeats[row] === views);
    const isRepeated = noise >= minNoise && all.length > 0 && all.length <= Math.max(1, maxRepeats * rows);
    return { isSaturated: saturated > minShare * pixels, starved, repeatedRow: isRepeated ? all[0] : null };
  }

  return { look, conclude };
}

/** Whether a row has exactly the values of the one before, which are not all the same. */
function repeatsRow(raw: VoxelArray, from: number, columns: number): boolean {
  let varies = false;
  for (let i = from; i < from + columns; i++) {
    if (raw[i] !== raw[i - columns]) return false;
    if (raw[i] !== raw[from]) varies = true;
  }
  return varies;
}

interface Reading {
  integral: number;
  deviation: number;
}

/** Deviation of single pixels from their neighbours, where all of these are behind the part and not cut off. */
function readNoise(integrals: Float32Array, columns: number, level: number, highest: number): Reading[] {
  const found: Reading[] = [];
  const differ = (i: number) => integrals[i - 1] - 2 * integrals[i] + integrals[i + 1];
  const isWithin = (integral: number) => integral > level && integral < highest;
  const isBehind = (i: number) =>
    isWithin(integrals[i - 1]) && isWithin(integrals[i]) && isWithin(integrals[i + 1]);
  const step = columns * Math.ceil(integrals.length / readPixels);
  for (let row = columns; row + 2 * columns <= integrals.length; row += step) {
    for (let i = row + 1; i < row + columns - 1; i++) {
      if (!isBehind(i) || !isBehind(i - columns) || !isBehind(i + columns)) continue;
      // The part itself hardly curves along both directions at once. White noise makes this difference 6 deviations.
      const difference = differ(i - columns) - 2 * differ(i) + differ(i + columns);
      found.push({ integral: integrals[i], deviation: Math.abs(difference) / 6 });
    }
  }
  return found;
}

/** Standard deviation of values that are distributed normally; 0 for others, such as edges without noise. */
function estimateNoise(deviations: readonly number[]): number {
  const sorted = deviations.toSorted((a, b) => a - b);
  const take = (share: number) => sorted[Math.floor(share * sorted.length)];
  const isWhite = take(0.05) / lowest20th > (minWhite * take(0.5)) / lowestHalf;
  return isWhite ? takeQuarter(sorted) : 0;
}

const takeQuarter = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 4)] / lowestQuarter;

/** Whether noise reaches zero counts in the densest places. */
function isLost(found: readonly Reading[], level: number): boolean {
  const dark = found.flatMap(({ integral, deviation }) => (integral > level ? [deviation] : []));
  return dark.length >= minDarkPixels && takeQuarter(dark.toSorted((a, b) => a - b)) > maxNoise;
}
