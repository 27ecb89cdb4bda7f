import type { CellBox } from '../grid/region.ts';
import type { SlabSource } from '../grid/volume.ts';
import { computeMedian } from '../select-nth.ts';

export interface NoiseEstimate {
  /** standard deviation, in grey values */
  sd: number;
  /** number of places measured */
  samples: number;
}

export interface NoiseOptions {
  cells: CellBox;
  /** grey value between air and material */
  isoValue: number;
  /** height of material above air, in grey values */
  contrast: number;
}

/** Layers of five planes, evenly over the height of the region, and places per layer. */
const layers = 8;
const placesPerLayer = 12_000;
/** A phase (air, material) with fewer places is ignored. */
const minPlaces = 200;
/** Gain of the second difference along x, y and z combined: noise of standard deviation s gives this times s. */
const gainOfDifferences = 6 ** 1.5;
/** Median absolute value of a standard normal variable. */
const medianOfNormal = 0.6744898;
/**
 * A place counts as uniform when the mean grey values of the six sides of the 5³ cells around it differ by less than
 * this share of the contrast.
 */
const evenWithin = 0.2;

/**
 * Noise of the grey values, measured in uniform air or material: the median absolute value of the combined second
 * differences along x, y and z (zero for everything smooth), so that structure and outliers do not count (after Donoho,
 * Johnstone 1994). Air and material are measured separately and the noisier one is returned, since many scans clip air
 * at zero. The result does not depend on the number of threads.
 * @returns null when the region has no such places: it is thinner than five cells, or full of structure
 * @see https://doi.org/10.1093/biomet/81.3.425
 */
export async function estimateNoise(
  source: SlabSource,
  { cells, isoValue, contrast }: NoiseOptions,
): Promise<NoiseEstimate | null> {
  const size = [0, 1, 2].map((k) => cells.to[k] - cells.from[k]);
  if (Math.min(...size) < 5 || !(contrast > 0)) return null;
  const [nx, ny] = source.grid.dimensions;
  const step = Math.max(1, Math.floor(Math.sqrt((size[0] * size[1]) / placesPerLayer)));
  const air: number[] = [];
  const material: number[] = [];
  const count = Math.min(layers, size[2] - 4);
  for (let layer = 0; layer < count; layer++) {
    const z = cells.from[2] + Math.floor(((layer + 0.5) * size[2]) / count) - 2;
    const first = Math.min(Math.max(z, cells.from[2]), cells.to[2] - 5);
    const slab = await source.readSlab(first, first + 5);
    for (let y = cells.from[1] + 2; y < cells.to[1] - 2; y += step) {
      for (let x = cells.from[0] + 2; x < cells.to[0] - 2; x += step) {
        const mean = evenMean(slab, nx, ny, x, y, evenWithin * contrast);
        if (Number.isNaN(mean)) continue;
        (mean > isoValue ? material : air).push(Math.abs(differencesAt(slab, nx, ny, x, y)));
      }
    }
  }
  const kinds = [air, material].filter((amounts) => amounts.length >= minPlaces);
  if (kinds.length === 0) return null;
  const sd = Math.max(...kinds.map(findMiddle)) / (medianOfNormal * gainOfDifferences);
  return { sd, samples: kinds.reduce((sum, amounts) => sum + amounts.length, 0) };
}

type Values = ArrayLike<number>;

/**
 * Mean of the cells on the six sides of the 5³ around a place in the middle plane; NaN where the sides differ or a
 * value is missing.
 */
function evenMean(slab: Values, nx: number, ny: number, x: number, y: number, within: number): number {
  const plane = nx * ny;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  let sum = 0;
  const middle = 2 * plane + y * nx + x;
  for (let axis = 0; axis < 3; axis++) {
    const step = axis === 0 ? 1 : axis === 1 ? nx : plane;
    const u = axis === 0 ? nx : 1;
    const v = axis === 2 ? nx : plane;
    for (let side = -2; side <= 2; side += 4) {
      let total = 0;
      for (let i = -2; i <= 2; i++) {
        for (let j = -2; j <= 2; j++) total += slab[middle + side * step + i * u + j * v];
      }
      low = Math.min(low, total);
      high = Math.max(high, total);
      sum += total;
    }
  }
  // Written so that a missing value (NaN) fails, too.
  return high - low < within * 25 ? sum / 150 : Number.NaN;
}

const second = [1, -2, 1];

function differencesAt(slab: Values, nx: number, ny: number, x: number, y: number): number {
  let sum = 0;
  for (let k = 0; k < 3; k++) {
    for (let j = 0; j < 3; j++) {
      const row = ((k + 1) * ny + y + j - 1) * nx + x - 1;
      sum += second[k] * second[j] * (slab[row] - 2 * slab[row + 1] + slab[row + 2]);
    }
  }
  return sum;
}

const findMiddle = (values: readonly number[]): number => computeMedian(values.filter(Number.isFinite)) ?? 0;
