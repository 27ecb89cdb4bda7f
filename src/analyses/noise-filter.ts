/** Grey values for an analysis, behind a noise filter if requested. */
import { medianFiltered } from '#kernels/grid/median-filter.ts';
import { summarizeVolume } from '#kernels/grid/summarize.ts';
import type { Algorithm } from './algorithms.ts';
import type { AnalysisContext, VolumeInput } from './analysis.ts';

export interface NoiseFilterParameters {
  noiseFilter: 'none' | 'median';
}

/**
 * The volume, filtered while it is read, with a histogram of its own: peaks are narrower behind the filter, and the
 * level must lie between those. Reads the volume once for the histogram.
 */
export async function behindNoiseFilter(
  volume: VolumeInput,
  { noiseFilter }: NoiseFilterParameters,
  { pool, progress }: AnalysisContext,
): Promise<VolumeInput> {
  if (noiseFilter === 'none') return volume;
  progress(0, 'Noise filter');
  const filtered = medianFiltered(volume, pool);
  const { histogram, range } = await summarizeVolume(filtered, pool);
  return { ...filtered, histogram, range };
}

/**
 * Below this contrast-to-noise ratio single voxels land on the wrong side of the level by chance, and the peaks of the
 * histogram merge.
 */
const filteredBelow = 10;

export const isNoisy = ({ judged }: Pick<AnalysisContext, 'judged'>): boolean =>
  judged?.contrastToNoise != null && judged.contrastToNoise < filteredBelow;

export const chooseNoiseFilter = ({ noiseFilter }: NoiseFilterParameters): Algorithm[] =>
  noiseFilter === 'none' ? [] : ['medianFilter'];
