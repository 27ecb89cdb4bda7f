import type { Histogram } from '../grid/histogram.ts';
import type { CellBox } from '../grid/region.ts';
import { bytesPerVoxel, type SlabSource } from '../grid/volume.ts';

/** Largest number of places sampled, evenly over the region. */
const maxPlaces = 300_000;
/**
 * A place counts as uniform when the mean grey values of the six sides of the 5³ cells around it differ by less than
 * this share of the contrast.
 */
const evenWithin = 0.1;
const bins = 512;
const slabBytes = 32e6;
/** With fewer uniform places there is no result. */
const minPlaces = 200;
/** Constant values are taken for measured unless the varying places exceed this share of them. */
const measuredShare = 0.01;

/**
 * Histogram of places that lie within a material or within air, as local means: unlike the histogram of all cells it
 * has no false peaks from cells that a flat face cuts in the same way, and hardly any noise. Values that the
 * reconstruction used to fill the corners (exactly constant while other places have noise) are reported separately.
 * Reads the region once. Gives the same result on every machine.
 * @param contrast from air to the densest material, in grey values
 * @returns null when the region has too few such places
 */
export async function evenHistogram(
  source: SlabSource,
  { cells, contrast }: { cells: CellBox; contrast: number },
): Promise<{ measured: Histogram; filled: number | null } | null> {
  const size = [0, 1, 2].map((k) => cells.to[k] - cells.from[k]);
  if (Math.min(...size) < 5 || !(contrast > 0)) return null;
  const [nx, ny] = source.grid.dimensions;
  const step = Math.max(1, Math.ceil(Math.cbrt((size[0] * size[1] * size[2]) / maxPlaces)));
  const planes = Math.max(5, Math.floor(slabBytes / (nx * ny * bytesPerVoxel[source.dataType])));
  const means: number[] = [];
  const constants = new Map<number, number>();
  for (let z = cells.from[2] + 2; z < cells.to[2] - 2; ) {
    const first = z - 2;
    const last = Math.min(cells.to[2], Math.max(first + planes, z + 3));
    const slab = await source.readSlab(first, last);
    for (; z + 2 < last; z += step) {
      for (let y = cells.from[1] + 2; y < cells.to[1] - 2; y += step) {
        for (let x = cells.from[0] + 2; x < cells.to[0] - 2; x += step) {
          const { mean, isConstant } = around(
            slab,
            nx,
            ny,
            ((z - first) * ny + y) * nx + x,
            evenWithin * contrast,
          );
          if (Number.isNaN(mean)) continue;
          if (isConstant) constants.set(mean, (constants.get(mean) ?? 0) + 1);
          else means.push(mean);
        }
      }
    }
  }
  const constant = [...constants.values()].reduce((sum, count) => sum + count, 0);
  if (means.length + constant < minPlaces) return null;
  const isFilled = constant > 0 && means.length > measuredShare * constant && means.length >= minPlaces;
  const filled = isFilled ? Math.min(...constants.keys()) : null;
  let low = Infinity;
  let high = -Infinity;
  for (const value of [...(isFilled ? [] : constants.keys())])
    [low, high] = [Math.min(low, value), Math.max(high, value)];
  for (const value of means) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const width = (high - low || 1) / (bins - 20);
  const histogram: Histogram = {
    min: low - 10 * width,
    max: low + (bins - 10) * width,
    counts: new Array<number>(bins).fill(0),
  };
  const add = (value: number, count: number) => {
    histogram.counts[Math.min(bins - 1, Math.floor((value - histogram.min) / width))] += count;
  };
  for (const value of means) add(value, 1);
  if (!isFilled) for (const [value, count] of constants) add(value, count);
  return { measured: histogram, filled };
}

type Values = ArrayLike<number>;
const result = { mean: 0, isConstant: false };

/** Mean of the cells on the six sides of the 5³ around a place; NaN where the sides differ or a value is missing. */
function around(slab: Values, nx: number, ny: number, middle: number, within: number): typeof result {
  const plane = nx * ny;
  let low = Infinity;
  let high = -Infinity;
  let sum = 0;
  result.mean = Number.NaN;
  result.isConstant = false;
  for (let axis = 0; axis < 3; axis++) {
    const along = axis === 0 ? 1 : axis === 1 ? nx : plane;
    const u = axis === 0 ? nx : 1;
    const v = axis === 2 ? nx : plane;
    const before = sumOfSide(slab, middle - 2 * along, u, v);
    const after = sumOfSide(slab, middle + 2 * along, u, v);
    low = Math.min(low, before, after);
    high = Math.max(high, before, after);
    // Negated so that a missing value (NaN) fails, too.
    if (!(high - low < within * 25)) return result;
    sum = sum + before + after;
  }
  result.mean = sum / 150;
  result.isConstant = low === high && isConstantAround(slab, nx, plane, middle);
  return result;
}

function sumOfSide(slab: Values, middle: number, u: number, v: number): number {
  let total = 0;
  for (let i = -2; i <= 2; i++) {
    const at = middle + i * u;
    total = total + slab[at - 2 * v] + slab[at - v] + slab[at] + slab[at + v] + slab[at + 2 * v];
  }
  return total;
}

function isConstantAround(slab: Values, nx: number, plane: number, middle: number): boolean {
  const value = slab[middle];
  for (let z = -2; z <= 2; z++)
    for (let y = -2; y <= 2; y++)
      for (let x = -2; x <= 2; x++)
        if (
          Math.max(Math.abs(x), Math.abs(y), Math.abs(z)) === 2 &&
          slab[middle + z * plane + y * nx + x] !== value
        )
          return false;
  return true;
}
