import type { Histogram } from './histogram.ts';
import type { GreyOutline } from './outline.ts';
import type { SlabSource, VoxelArray } from './volume.ts';

/** A volume with the summary of its grey values. */
export interface SummarizedVolume extends SlabSource {
  readonly histogram: Histogram;
  /** lowest and highest finite grey value */
  readonly range: [number, number];
  /** where there is more than air; not known of volumes that were read by earlier versions */
  readonly outline?: GreyOutline | undefined;
}

/**
 * A volume whose single values lie farther from the bulk than the bulk spans, with the value of the nearest cell before
 * them in their row instead: a filter would carry one cell of a million times the contrast into hundreds of others. Any
 * other volume as it is.
 */
export function withoutOutliers(volume: SummarizedVolume): SummarizedVolume {
  const { histogram, outline } = volume;
  const { min, max } = histogram;
  const span = max - min;
  const bounds: [number, number] = [min - span, max + span];
  if (volume.range[0] >= bounds[0] && volume.range[1] <= bounds[1]) return volume;
  return { ...heldWithin(volume, bounds), histogram, range: [min, max], outline };
}

function heldWithin(source: SlabSource, bounds: [number, number]): SlabSource {
  const { grid, dataType, coarser } = source;
  return {
    grid,
    dataType,
    async readSlab(zStart, zEnd, signal) {
      const slab = await source.readSlab(zStart, zEnd, signal);
      const [nx] = grid.dimensions;
      for (let row = 0; row < slab.length; row += nx) mendRow(slab, row, row + nx, bounds);
      return slab;
    },
    ...(coarser ? { coarser: coarser.map((each) => heldWithin(each, bounds)) } : {}),
  };
}

/** Rows are mended each by itself, so that nothing depends on what is read at once. */
function mendRow(slab: VoxelArray, from: number, to: number, [low, high]: [number, number]): void {
  // NaN is neither: it stays.
  const isOutlier = (value: number) => value < low || value > high;
  for (let i = from; i < to; i++) {
    if (!isOutlier(slab[i])) continue;
    let good = i - 1;
    if (i === from) for (good = i; good < to && isOutlier(slab[good]); ) good++;
    slab[i] = good < to ? slab[good] : low;
  }
}
