import type { Arena } from '../arena.ts';
import type { KernelPool } from '../pool.ts';
import { findBlurVariance } from './edge-blur.ts';
import { type ArenaSurface, writeSurface } from './extract.ts';
import { fairSurface } from './fair-surface.ts';
import { curvatureKeepingWeights, gaussWeights } from './filter-weights.ts';
import { changeGrid, type GreyGrid } from './grid-layout.ts';
import { keepCurvature } from './keep-curvature.ts';
import { smoothSpan } from './load-grid.ts';
import type { GreyFilter } from './smoothing.ts';

export interface SurfaceRefinement {
  /** standard deviation of the scan's own blur, read from its edges; 0 where it can't be told */
  edgeBlurMm: number;
}

/** The filter's right half along an axis, as placing the edges has to know it. */
export const edgeWeights = ({ kind, sigma }: GreyFilter): number[] =>
  kind === 'gauss' ? gaussWeights(sigma) : curvatureKeepingWeights(sigma);

export interface RefineOptions {
  signal?: AbortSignal;
  /** false: nobody looks at the surface's bits and its grid any more, and their memory is free from then on */
  isShapeKept?: boolean;
  /** vertices of a piece at least; only tests set it */
  fewest?: number | undefined;
}

/** Half the width of what cells beside an edge may be off by, over the standard deviation of the noise. */
const noiseWidths = 3;
/** Between what counts whole and what doesn't count, as a share of the height; as the kernel has it. */
const fadingShare = 0.08;

/**
 * Reads the blur from the surface's edges, as extractSurface found them with `edgesAfter`; where there is any, vertices that were placed as if edges were sharp are
 * placed anew, by cubics: straight lines between cells would be off by up to 0.09 cells. In place.
 * @param noiseShare standard deviation of the noise over the contrast, where faces are to be right as a mean over all of
 * their vertices: each is placed by what the four cells across it hold together, which no noise or blur moves, but makes
 * rougher
 * @returns variance of the blur in mm²
 */
export async function placeEdges(
  grey: GreyGrid,
  surface: ArenaSurface,
  pool: KernelPool,
  arena: Arena,
  signal?: AbortSignal,
  noiseShare?: number | null,
): Promise<number> {
  const grid = grey.layout;
  const { edgeVariances, vertices } = surface;
  if (!edgeVariances) throw new Error('the edges were not looked at when the surface was extracted');
  const blurVariance = findBlurVariance(edgeVariances, vertices, grid.voxelSizeMm);
  if (grid.span <= 0) return blurVariance;
  const isSummed = noiseShare !== undefined && (blurVariance > 0 || (noiseShare ?? 0) > 0);
  if (isSummed) {
    const blurCells2 = blurVariance / Math.min(...grid.voxelSizeMm) ** 2;
    // What the blur and the cells' own length bring of an edge to a cell that is one further: the normal tail, about.
    const tail = blurCells2 > 0 ? 0.5 * Math.exp(-0.8 / (blurCells2 + 1 / 12)) : 0;
    grid.pure = noiseWidths * (noiseShare ?? 0) + tail + fadingShare;
  }
  if (blurVariance > 0) grid.span = isSummed ? -grid.span : smoothSpan;
  changeGrid(arena, grid);
  if (isSummed || blurVariance > 0) await writeSurface(grey, surface, pool, arena, { signal });
  return blurVariance;
}

/**
 * Brings a surface closer to the body: evens out what noise has left, where the scan was noisy enough for a filter, and
 * gives back what blur, cells and chords took from curved surfaces. In place.
 */
export async function refineSurface(
  grey: GreyGrid,
  surface: ArenaSurface,
  filter: GreyFilter,
  pool: KernelPool,
  arena: Arena,
  { signal, isShapeKept = true, fewest }: RefineOptions = {},
): Promise<SurfaceRefinement> {
  const blurVariance = await placeEdges(grey, surface, pool, arena, signal);
  const grid = grey.layout;
  const { bits, bytes } = surface.layout;
  if (!isShapeKept) arena.giveBack(bits, bytes);
  if (filter.sigma > 0 || blurVariance > 0) await fairSurface(grid, surface, pool, arena, signal, fewest);
  await keepCurvature(grid, surface, { filter, blurVariance }, pool, arena, { signal, fewest });
  return { edgeBlurMm: Math.sqrt(blurVariance) };
}
