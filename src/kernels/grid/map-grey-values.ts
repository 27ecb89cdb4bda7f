import { slabsInOrder } from './slab-walk.ts';
import type { SlabSource, VoxelArray } from './volume.ts';

const BINS = 65_536;
/**
 * Percentiles of the grey values, as [low, high]. Two passes over the source: limits, then a histogram of 65,536 bins
 * between them; exact for integers of up to 16 bits. Ignores values that are not finite.
 */
export async function percentileRange(
  source: SlabSource,
  [lowPercent, highPercent]: readonly [number, number],
  signal?: AbortSignal,
): Promise<[number, number]> {
  let min = Infinity;
  let max = -Infinity;
  for await (const slab of slabsInOrder(source, signal)) {
    for (let i = 0; i < slab.length; i++) {
      const value = slab[i];
      if (value < min && value > -Infinity) min = value;
      if (value > max && value < Infinity) max = value;
    }
  }
  if (!(min < max) || (lowPercent === 0 && highPercent === 100)) return min <= max ? [min, max] : [0, 0];
  const isFloat = source.dataType.startsWith('float');
  // Integers with a small range get one bin per value, so that a percentile is a value that occurs.
  const width = isFloat ? (max - min) / (BINS - 1) : Math.max(1, (max - min) / (BINS - 1));
  const bins = new Float64Array(BINS);
  let total = 0;
  for await (const slab of slabsInOrder(source, signal)) {
    for (let i = 0; i < slab.length; i++) {
      const bin = Math.floor((slab[i] - min) / width);
      if (!(bin >= 0 && bin < BINS)) continue;
      bins[bin]++;
      total++;
    }
  }
  const valueAt = (percent: number): number => {
    const wanted = (percent / 100) * total;
    for (let bin = 0, below = 0; bin < BINS; bin++) {
      below += bins[bin];
      if (below >= wanted && below > 0) return min + bin * width;
    }
    return max;
  };
  return [valueAt(lowPercent), valueAt(highPercent)];
}

/** The same source with grey values low…high stretched to 0…65535 (uint16), and clamped outside. */
export function mappedToUint16(source: SlabSource, [low, high]: readonly [number, number]): SlabSource {
  const gain = high > low ? 65_535 / (high - low) : 0;
  return {
    grid: source.grid,
    dataType: 'uint16',
    readSlab: async (zStart, zEnd, signal) =>
      stretched(await source.readSlab(zStart, zEnd, signal), low, gain),
  };
}

function stretched(slab: VoxelArray, low: number, gain: number): Uint16Array {
  const mapped = new Uint16Array(slab.length);
  for (let i = 0; i < slab.length; i++) {
    const value = (slab[i] - low) * gain;
    // NaN fails both comparisons and becomes 0.
    mapped[i] = value >= 65_535 ? 65_535 : value > 0 ? value + 0.5 : 0;
  }
  return mapped;
}
