import type { GreyPeaks } from '../grid/histogram.ts';
import type { CellBox } from '../grid/region.ts';
import type { SlabSource } from '../grid/volume.ts';
import { estimateNoise } from './noise.ts';

/** How grey values are smoothed before the surface is taken. */
export interface GreyFilter {
  kind: 'gauss' | 'curvatureKeeping';
  /** voxels of the smallest edge, 0 = not at all */
  sigma: number;
  /**
   * along longer edges: as many cells, which evens noise out alike, or as many mm (of the curvature-keeping kind nine
   * tenths of a cell at least, or it has no shape), which leaves thin walls their thickness
   */
  alike: 'cells' | 'length';
}
export const gaussFilter = (sigma: number): GreyFilter => ({ kind: 'gauss', sigma, alike: 'length' });

export interface Smoothing {
  filter: GreyFilter;
  /** standard deviation in grey values; null where it was not asked for or cannot be told */
  noise: number | null;
  /** over the contrast between air and material, 0–1 */
  noiseShare: number | null;
}

export interface SmoothingOptions {
  cells: CellBox;
  isoValue: number;
  peaks: GreyPeaks | null;
  /** where it is chosen here: sigma at least, in voxels, and what is alike along the axes */
  least?: number;
  alike?: GreyFilter['alike'];
  signal?: AbortSignal;
}

/** Below this share of the contrast noise adds less than 0.03 % of area. */
const quietShare = 0.01;
/** Sigma for noise of 5 % of the contrast, and the largest that is chosen: walls of four voxels stay whole under it. */
const sigmaAtFivePercent = 0.9;
const leastSigma = 0.9;
const largestSigma = 2;

/**
 * As much smoothing as the noise asks for. Roughness adds area with (noise / contrast)² / sigma⁵ (the filter's gain
 * squared times the squared slope of what is left), so an equal share of area asks for sigma ~ noise^0.4.
 */
export function sigmaForNoise(noiseShare: number): number {
  if (!(noiseShare >= quietShare)) return 0;
  const sigma = sigmaAtFivePercent * (noiseShare / 0.05) ** 0.4;
  return Math.round(100 * Math.min(Math.max(sigma, leastSigma), largestSigma)) / 100;
}

/** What the choice `auto` or a number of voxels means for this volume. */
export async function smoothingFor(
  source: SlabSource,
  choice: 'auto' | number,
  { cells, isoValue, peaks, least = 0, alike = 'cells', signal }: SmoothingOptions,
): Promise<Smoothing> {
  if (choice !== 'auto') return { filter: gaussFilter(choice), noise: null, noiseShare: null };
  const noise = await measureNoise(source, { cells, isoValue, peaks, signal });
  const noiseShare = noise?.share ?? null;
  const sigma = Math.max(least, sigmaForNoise(noiseShare ?? 0));
  return { filter: { kind: 'curvatureKeeping', sigma, alike }, noise: noise?.sd ?? null, noiseShare };
}

type NoiseSearch = Pick<SmoothingOptions, 'cells' | 'isoValue' | 'peaks' | 'signal'>;

/** Standard deviation of the noise over the contrast; null where it cannot be told. */
export const findNoiseShare = async (source: SlabSource, search: NoiseSearch): Promise<number | null> =>
  (await measureNoise(source, search))?.share ?? null;

async function measureNoise(source: SlabSource, { peaks, ...search }: NoiseSearch) {
  const contrast = peaks ? peaks.material - peaks.air : 0;
  const noise = await estimateNoise(source, { ...search, contrast });
  return noise && { sd: noise.sd, share: noise.sd / contrast };
}
