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

/** Below this contrast to noise single cells are taken for the other side by chance, and the hills of a histogram are one. */
const filteredBelow = 10;

export const isNoisy = ({ judged }: Pick<AnalysisContext, 'judged'>): boolean =>
  judged?.contrastToNoise != null && judged.contrastToNoise < filteredBelow;

export const chooseNoiseFilter = ({ noiseFilter }: NoiseFilterParameters): Algorithm[] =>
  noiseFilter === 'none' ? [] : ['medianFilter'];
