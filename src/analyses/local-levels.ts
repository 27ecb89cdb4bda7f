/** A volume rescaled by its local levels of air and material, so that cupping and shading do not move its surface. */

import type { KernelPool } from '#kernels/arena.ts';
import type { GreyPeaks } from '#kernels/grid/histogram.ts';
import { levelled, rangeOnScale } from '#kernels/grid/level-field.ts';
import type { GreyOutline } from '#kernels/grid/outline.ts';
import type { SlabSource } from '#kernels/grid/volume.ts';
import type { LocalLevels } from '#kernels/levels/fit-levels.ts';
import { levelledOutline, levelledSource } from '#kernels/levels/levelled.ts';
import type { SurfaceLevel } from '#kernels/surface/surface-level.ts';
import type { VolumeInput } from './analysis.ts';

export interface LevelledVolume extends SlabSource {
  range: [number, number];
  outline?: GreyOutline | undefined;
  local: LocalLevels;
  /** on the scale */
  level: SurfaceLevel & { peaks: GreyPeaks };
  /** in the volume's own grey values, mean over the surface */
  greyLevel: SurfaceLevel;
  /** conversion between the scale and the volume's grey values, mean over the surface */
  toGrey(value: number): number;
  toScale(grey: number): number;
}

/** The volume, or its filtered version, on the scale of its local levels. */
export function putOnScale(volume: VolumeInput, local: LocalLevels, pool: KernelPool): LevelledVolume {
  const { range, outline } = volume;
  const { field } = local;
  const low = rangeOnScale(field, range[0])[0];
  const high = rangeOnScale(field, range[1])[1];
  const step = (local.material - local.air) / levelled.contrast;
  const findLevel = (air: number, material: number) => {
    const isoValue = (air + material) / 2;
    return { isoValue, air, peaks: { air, material, iso50: isoValue }, toldBy: 'depth' as const };
  };
  return {
    ...levelledSource(volume, field, pool),
    range: [Math.max(0, Math.floor(low)), Math.min(65_535, Math.ceil(high))],
    outline: outline && levelledOutline(outline, field),
    local,
    level: findLevel(levelled.air, levelled.air + levelled.contrast),
    greyLevel: findLevel(local.air, local.material),
    toGrey: (value) => local.air + (value - levelled.air) * step,
    toScale: (grey) => levelled.air + (grey - local.air) / step,
  };
}
