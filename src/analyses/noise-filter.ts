/** Grey values as an analysis takes them: behind a noise filter where one is asked for. */
import { medianFiltered } from '#kernels/grid/median-filter.ts';
import { summarizeVolume } from '#kernels/grid/summarize.ts';
import type { Algorithm } from './algorithms.ts';
import type { AnalysisContext, VolumeInput } from './analysis.ts';

export interface NoiseFilterParameters {
  noiseFilter: 'none' | 'median';
}

/**
 * The volume, filtered as it is read and with a histogram of its own: peaks are narrower behind the filter, and the level
 * between them is that of what the surface runs through. Reads the volume once for the histogram.
 */
export async function behindNoiseFilter(
  volume: VolumeInput,
  { noiseFilter }: NoiseFilterParameters,
  { pool, signal, progress }: AnalysisContext,
): Promise<VolumeInput> {
  if (noiseFilter === 'none') return volume;
  progress(0, 'Noise filter');
  const filtered = medianFiltered(volume, pool);
  const { histogram, range } = await summarizeVolume(filtered, pool, { signal });
  return { ...filtered, histogram, range };
}

export const noiseFilterOf = ({ noiseFilter }: NoiseFilterParameters): Algorithm[] =>
  noiseFilter === 'none' ? [] : ['medianFilter'];
