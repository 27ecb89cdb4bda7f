import type { Histogram } from './histogram.ts';
import type { GreyOutline } from './outline.ts';
import type { SlabSource, VoxelArray } from './volume.ts';

/** A volume with the summary of its grey values. */
export interface SummarizedVolume extends SlabSource {
  readonly histogram: Histogram;
  /** lowest and highest finite grey value */
  readonly range: [number, number];
  /** where there is more than air; missing for volumes imported by earlier versions */
  readonly outline?: GreyOutline | undefined;
}

/**
 * Replaces isolated values that are further from the bulk than its span by the nearest valid value before them in their
 * row: a filter would spread one cell of a million times the contrast into hundreds of others. Returns other volumes
 * unchanged.
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
    async readSlab(zStart, zEnd) {
      const slab = await source.readSlab(zStart, zEnd);
      const [nx] = grid.dimensions;
      for (let row = 0; row < slab.length; row += nx) replaceOutliers(slab, row, row + nx, bounds);
      return slab;
    },
    ...(coarser ? { coarser: coarser.map((each) => heldWithin(each, bounds)) } : {}),
  };
}

/** Mends each row independently, so that the result does not depend on the planes read at a time. */
function replaceOutliers(slab: VoxelArray, from: number, to: number, [low, high]: [number, number]): void {
  // False for NaN, which stays.
  const isOutlier = (value: number) => value < low || value > high;
  for (let i = from; i < to; i++) {
    if (!isOutlier(slab[i])) continue;
    let good = i - 1;
    if (i === from) for (good = i; good < to && isOutlier(slab[good]); ) good++;
    slab[i] = good < to ? slab[good] : low;
  }
}
