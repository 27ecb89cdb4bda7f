import type { Arena } from '../arena.ts';
import { holdCuts } from './cut-faces.ts';
import { findBlurVariance } from './edge-blur.ts';
import { type ArenaSurface, writeSurface } from './extract.ts';
import { fairSurface } from './fair-surface.ts';
import { curvatureKeepingWeights, gaussWeights } from './filter-weights.ts';
import { changeGrid, type GreyGrid } from './grid-layout.ts';
import { keepCurvature } from './keep-curvature.ts';
import { smoothSpan } from './load-grid.ts';
import type { GreyFilter } from './smoothing.ts';

export interface SurfaceRefinement {
  /** standard deviation of the scan's own blur, measured at its edges or given; 0 when it cannot be determined */
  edgeBlurMm: number;
}

/** The filter's right half along an axis, as needed to place edges. */
export const edgeWeights = ({ kind, sigma }: GreyFilter): number[] =>
  kind === 'gauss' ? gaussWeights(sigma) : curvatureKeepingWeights(sigma);

export interface RefineOptions {
  /** false: the surface's bits are no longer needed and their memory is freed */
  isShapeKept?: boolean;
  /** blur of the scan, for a surface that shows too few clear edges, such as that of a plate of 4 voxels */
  scanBlurMm?: number;
  /** smallest number of vertices per piece; set by tests only */
  fewest?: number | undefined;
}

/**
 * Share of the blur variance by which rims of thin walls are corrected: curvature is averaged over both edges of a rim
 * and the faces beside them, so that all of it would be too much. From plates of 2.5 to 4.5 voxels.
 */
const thinShare = 0.75;
/** Half-width of the tolerance for cells beside an edge, in standard deviations of the noise. */
const noiseWidths = 3;
/** Width of the transition from full to no weight, as a share of the contrast; must match the kernel. */
const fadingShare = 0.08;

/**
 * Reads the blur from the edges that extractSurface profiled with `edgesAfter`. When there is blur, vertices placed for
 * sharp edges are placed again by cubic interpolation: linear interpolation would be off by up to 0.09 cells. In place.
 * @param noiseShare standard deviation of the noise over the contrast; given when faces must be right as a mean over
 * their vertices: each vertex is then placed by the sum of the four cells across it, which is unbiased by noise and
 * blur but rougher
 * @param unseen blur variance in mm² of a surface with too few clear edges
 * @returns variance of the blur in mm²
 */
export async function placeEdges(
  grey: GreyGrid,
  surface: ArenaSurface,
  arena: Arena,
  { noiseShare, unseen = 0 }: { noiseShare?: number | null | undefined; unseen?: number } = {},
): Promise<number> {
  const grid = grey.layout;
  const { edgeVariances, vertices } = surface;
  if (!edgeVariances) throw new Error('the edges were not profiled when the surface was extracted');
  const blurVariance = findBlurVariance(edgeVariances, vertices, grid.voxelSizeMm, unseen);
  if (grid.span <= 0) return blurVariance;
  const isSummed = noiseShare !== undefined && (blurVariance > 0 || (noiseShare ?? 0) > 0);
  if (isSummed) {
    const blurCells2 = blurVariance / Math.min(...grid.voxelSizeMm) ** 2;
    // Share of an edge that blur and the cell's own length spread into the next cell: approximately the normal tail.
    const tail = blurCells2 > 0 ? 0.5 * Math.exp(-0.8 / (blurCells2 + 1 / 12)) : 0;
    grid.pure = noiseWidths * (noiseShare ?? 0) + tail + fadingShare;
  }
  if (blurVariance > 0) grid.span = isSummed ? -grid.span : smoothSpan;
  changeGrid(arena, grid);
  if (isSummed || blurVariance > 0) await writeSurface(grey, surface, arena);
  return blurVariance;
}

/**
 * Brings a surface closer to the body: removes the roughness of noise, when the scan was noisy enough to be filtered,
 * and restores what blur, cells and chords removed from curved surfaces. Faces that close a cut part end up where its
 * last cells end. In place.
 */
export async function refineSurface(
  grey: GreyGrid,
  surface: ArenaSurface,
  filter: GreyFilter,
  arena: Arena,
  { isShapeKept = true, scanBlurMm = 0, fewest }: RefineOptions = {},
): Promise<SurfaceRefinement> {
  const unseen = scanBlurMm ** 2;
  const blurVariance = await placeEdges(grey, surface, arena, { unseen });
  const grid = grey.layout;
  const { bits, bytes } = surface.layout;
  if (!isShapeKept) arena.giveBack(bits, bytes);
  const putBackCuts = holdCuts(surface, grid, arena);
  if (filter.sigma > 0 || blurVariance > 0) await fairSurface(grid, surface, arena, fewest);
  const lost = blurVariance === unseen ? thinShare * unseen : blurVariance;
  await keepCurvature(grid, surface, { filter, blurVariance: lost }, arena, fewest);
  putBackCuts();
  return { edgeBlurMm: Math.sqrt(blurVariance) };
}
