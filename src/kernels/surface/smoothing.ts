import type { GreyPeaks } from '../grid/histogram.ts';
import type { CellBox } from '../grid/region.ts';
import type { SlabSource } from '../grid/volume.ts';
import { estimateNoise } from './noise.ts';

/** How grey values are smoothed before the surface is extracted. */
export interface GreyFilter {
  kind: 'gauss' | 'curvatureKeeping';
  /** in voxels of the smallest edge; 0 = no smoothing */
  sigma: number;
  /**
   * width along longer edges: the same number of cells, which reduces noise evenly, or the same length in mm, which
   * keeps the thickness of thin walls (a curvature-keeping filter needs at least nine tenths of a cell, or it is
   * undersampled)
   */
  alike: 'cells' | 'length';
}
export const gaussFilter = (sigma: number): GreyFilter => ({ kind: 'gauss', sigma, alike: 'length' });

export interface Smoothing {
  filter: GreyFilter;
  /** standard deviation in grey values; null when not requested or not measurable */
  noise: number | null;
  /** noise over the contrast between air and material, 0–1 */
  noiseShare: number | null;
}

export interface SmoothingOptions {
  cells: CellBox;
  isoValue: number;
  peaks: GreyPeaks | null;
  /** for an automatic choice: smallest sigma in voxels, and what is the same along all axes */
  least?: number;
  alike?: GreyFilter['alike'];
}

/** Below this share of the contrast, noise adds less than 0.03 % of area. */
const quietShare = 0.01;
/** Sigma for noise of 5 % of the contrast, and the limits of the choice; walls of four voxels survive the largest. */
const sigmaAtFivePercent = 0.9;
const minSigma = 0.9;
const largestSigma = 2;

/**
 * Sigma for a noise level. Roughness adds area in proportion to (noise / contrast)² / sigma⁵ (the filter's squared gain
 * times the squared slope that remains), so a constant share of area requires sigma ~ noise^0.4.
 */
export function chooseSigma(noiseShare: number): number {
  if (!(noiseShare >= quietShare)) return 0;
  const sigma = sigmaAtFivePercent * (noiseShare / 0.05) ** 0.4;
  return Math.round(100 * Math.min(Math.max(sigma, minSigma), largestSigma)) / 100;
}

/** Resolves the choice `auto`, or a number of voxels, for this volume. */
export async function smoothingFor(
  source: SlabSource,
  choice: 'auto' | number,
  { cells, isoValue, peaks, least = 0, alike = 'cells' }: SmoothingOptions,
): Promise<Smoothing> {
  if (choice !== 'auto') return { filter: gaussFilter(choice), noise: null, noiseShare: null };
  const noise = await measureNoise(source, { cells, isoValue, peaks });
  const noiseShare = noise?.share ?? null;
  const sigma = Math.max(least, chooseSigma(noiseShare ?? 0));
  return { filter: { kind: 'curvatureKeeping', sigma, alike }, noise: noise?.sd ?? null, noiseShare };
}

type NoiseSearch = Pick<SmoothingOptions, 'cells' | 'isoValue' | 'peaks'>;

/** Standard deviation of the noise over the contrast; null when it cannot be measured. */
export const findNoiseShare = async (source: SlabSource, search: NoiseSearch): Promise<number | null> =>
  (await measureNoise(source, search))?.share ?? null;

async function measureNoise(source: SlabSource, { peaks, ...search }: NoiseSearch) {
  const contrast = peaks ? peaks.material - peaks.air : 0;
  const noise = await estimateNoise(source, { ...search, contrast });
  return noise && { sd: noise.sd, share: noise.sd / contrast };
}
