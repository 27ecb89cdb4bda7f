/** Uncertainty of each place of a mesh: one value per vertex, and their summary. */
import type { Arena } from '#kernels/arena.ts';
import { findPlaceUncertainties } from '#kernels/surface/place-uncertainty.ts';
import { edgeWeights } from '#kernels/surface/refine-surface.ts';
import type { AnalysisContext } from './analysis.ts';
import type { VolumeSurface } from './volume-surface.ts';

/** Blur of a sharp scan, for scans whose blur neither their edges nor the judge show. */
const usualBlurVoxels = 0.6;

/**
 * Expanded uncertainty of each vertex along its normal, in mm; NaN where the scan does not show the surface well
 * enough.
 * @param surface determined with `rises`
 * @param edgeBlurMm blur of its edges; 0 when unknown
 * @param take allocates memory for that many numbers
 */
export function placeUncertainties(
  { surface: { rises, normals, vertices }, grid, smoothing }: VolumeSurface,
  edgeBlurMm: number,
  arena: Arena,
  { judged }: Pick<AnalysisContext, 'judged'>,
  take: (count: number) => Float32Array = (count) => new Float32Array(count),
): Float32Array | null {
  if (!rises) return null;
  const blurVoxels = edgeBlurMm / Math.min(...grid.voxelSizeMm);
  return findPlaceUncertainties(rises, arena.floats(normals, 3 * vertices), grid.voxelSizeMm, {
    blurVoxels: blurVoxels || judged?.blurVoxels || usualBlurVoxels,
    noiseShare: smoothing.noiseShare ?? 0,
    weights: edgeWeights(smoothing.filter),
    target: take(vertices),
  });
}

/** Number of vertices sampled, evenly spread. */
const maxSampled = 50_000;

export function summarizePlaces(values: Float32Array): {
  medianMm: number | null;
  p95Mm: number | null;
  undeterminedShare: number;
} {
  const step = Math.max(1, Math.floor(values.length / maxSampled));
  const looked = Float32Array.from(
    { length: Math.ceil(values.length / step) },
    (_, i) => values[i * step] ?? Number.NaN,
  );
  const known = looked.filter((value) => !Number.isNaN(value)).sort();
  const pick = (share: number) => known[Math.floor(share * (known.length - 1))] ?? null;
  return {
    medianMm: pick(0.5),
    p95Mm: pick(0.95),
    undeterminedShare: looked.length > 0 ? 1 - known.length / looked.length : 0,
  };
}
