/** How far each place of a mesh may lie off: a value a vertex that travels with it, and what all of them come to. */
import { findPlaceUncertainties } from '#kernels/surface/place-uncertainty.ts';
import type { AnalysisContext } from './analysis.ts';
import type { VertexValues } from './volume-mesh.ts';

/** Of scans whose blur neither their edges nor the judge tell: that of a sharp one. */
const usualBlurVoxels = 0.6;

/** The expanded uncertainty of each vertex's place along its normal, in mm; NaN where the scan does not carry it. */
export const placeUncertainties = ({ pool, signal, judged }: AnalysisContext): VertexValues => ({
  stage: 'Uncertainty',
  find({ grey, grid, surface, sourceLevel, smoothing, edgeBlurMm }, arena, progress) {
    const { air, isoValue, peaks } = sourceLevel;
    // Of the grid that was smoothed, whose scale may be another one.
    const gain = (grid.iso - grid.air) / (isoValue - air);
    const blurVoxels = edgeBlurMm / Math.min(...grid.voxelSizeMm);
    const facts = {
      air: grid.air,
      contrast: gain * (peaks ? peaks.material - peaks.air : 2 * (isoValue - air)),
      blurVoxels: blurVoxels || judged?.blurVoxels || usualBlurVoxels,
      noiseShare: smoothing.noiseShare ?? 0,
      filter: smoothing.filter,
    };
    return findPlaceUncertainties(grey, surface, facts, pool, arena, { signal, progress });
  },
});

/** Vertices that are looked at, evenly spread. */
const mostLooked = 50_000;

export function summarizePlaces(values: Float32Array): {
  medianMm: number | null;
  p95Mm: number | null;
  undeterminedShare: number;
} {
  const step = Math.max(1, Math.floor(values.length / mostLooked));
  const looked = values.filter((_, v) => v % step === 0);
  const known = looked.filter((value) => !Number.isNaN(value)).sort();
  const pick = (share: number) => known[Math.floor(share * (known.length - 1))] ?? null;
  return {
    medianMm: pick(0.5),
    p95Mm: pick(0.95),
    undeterminedShare: looked.length > 0 ? 1 - known.length / looked.length : 0,
  };
}
