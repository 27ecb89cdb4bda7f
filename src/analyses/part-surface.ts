/** The surface of a part: extracted from a volume, or a stored mesh as it is. */
import type { Arena } from '#kernels/arena.ts';
import { dropSpecks } from '#kernels/compare/scan-voids.ts';
import type { Grid } from '#kernels/grid/volume.ts';
import { detectionLimit } from '#kernels/integrity/describe-defect.ts';
import { makeMesh } from '#kernels/surface/extract.ts';
import { fairSurface } from '#kernels/surface/fair-surface.ts';
import { placeEdges } from '#kernels/surface/refine-surface.ts';
import { findNoiseShare } from '#kernels/surface/smoothing.ts';
import { findCurvature, type SurfaceUncertainty } from '#kernels/surface/surface-uncertainty.ts';
import type { Algorithm } from './algorithms.ts';
import type { AnalysisContext, MeshInput, VolumeInput } from './analysis.ts';
import { determineSurface } from './determine-surface.ts';
import { placeUncertainties } from './place-uncertainties.ts';
import { isBehindFilter } from './scan-knowledge.ts';
import { findSurfaceUncertainty } from './surface-interval.ts';
import { findVolumeSurface, type SurfaceDoubt, type VolumeSurface } from './volume-surface.ts';

export interface PartSurface extends MeshInput {
  /** of a volume; null for a mesh */
  grid: Grid | null;
  /** largest voxel edge of a volume; null for a mesh */
  voxelMm: number | null;
  /** grey value of a volume's surface; null for a mesh */
  isoValue: number | null;
  /** uncertainty of a volume's surface; null when the scan does not show it, and for a mesh */
  errors: PartErrors | null;
  /** known doubts about a volume's surface */
  doubts: SurfaceDoubt[];
  /** algorithms used; empty for a mesh */
  algorithms: Algorithm[];
}

export interface PartErrors {
  /** of the surface as a whole */
  surface: SurfaceUncertainty;
  /** mean absolute value of the mean curvature, 1/mm */
  curvature: number;
  /** expanded uncertainty of each vertex along its normal; NaN where the scan does not show the surface well enough */
  placesMm: Float32Array;
}

/**
 * Surfaces of volumes always use the unfiltered grey values or their local levels, so that no filter rounds edges;
 * specks of noise are removed from it.
 * `raw` is left unsmoothed, which is best for finding a pose, where noise averages out over the part; `faired` is
 * smoothed between edges, for evaluating single places.
 */
export type SurfaceQuality = 'raw' | 'faired';

/**
 * @param deflectionMm a CAD model is triangulated at least this finely
 * @param range range of the progress
 * @throws KernelError NO_SURFACE, TOO_LARGE
 */
export async function partSurface(
  dataObjectId: string,
  context: AnalysisContext,
  quality: SurfaceQuality,
  range: { from: number; to: number; stage: string },
  deflectionMm?: number,
): Promise<PartSurface> {
  const { pool, signal } = context;
  context.progress(range.from, range.stage);
  const part = await context.part(dataObjectId, deflectionMm);
  signal.throwIfAborted();
  if (!('volume' in part))
    return { ...part, grid: null, voxelMm: null, isoValue: null, errors: null, doubts: [], algorithms: [] };
  const { volume } = part;
  const judged = await context.quality(dataObjectId);
  const within: AnalysisContext = {
    ...context,
    judged: judged === 'unjudged' ? null : judged,
    progress: (fraction, stage) =>
      context.progress(
        range.from + (range.to - range.from) * fraction,
        `${range.stage}: ${stage.toLowerCase()}`,
      ),
  };
  const determined = await determineSurface(dataObjectId, volume, { surface: { mode: 'local' } }, within);
  return pool.withArena(async (arena) => {
    const wanted = { share: 1, rises: quality === 'faired' };
    const made = await findVolumeSurface(volume, arena, { smoothing: 0 }, within, determined, wanted);
    const { surface, grey, grid, level, source, sourceLevel, cells } = made;
    const noiseShare = await findNoiseShare(source, { ...sourceLevel, cells });
    // A pose depends on whole faces, which noise and blur must not move; their roughness does not matter.
    const variance = await placeEdges(grey, surface, arena, quality === 'raw' ? { noiseShare } : {});
    if (quality === 'faired') await fairSurface(grid, surface, arena);
    const { peaks } = level;
    const noise = noiseShare !== null && peaks ? noiseShare * (peaks.material - peaks.air) : null;
    const known = { ...made, smoothing: { ...made.smoothing, noise, noiseShare } };
    const errors = findPartErrors(volume, known, Math.sqrt(variance), arena, within);
    const { mesh: whole } = await makeMesh(arena, surface, { grid: volume.grid, cells });
    const speckMm3 = findSpeckMm3(volume.grid, within);
    const kept = speckMm3 > 0 ? dropSpecks(whole, speckMm3) : null;
    const mesh = kept?.mesh ?? whole;
    return {
      mesh,
      grid: volume.grid,
      voxelMm: Math.max(...volume.grid.voxelSizeMm),
      isoValue: level.isoValue,
      errors: errors && {
        ...errors,
        placesMm: kept
          ? Float32Array.from(kept.vertices, (v) => errors.placesMm[v] ?? Number.NaN)
          : errors.placesMm,
        curvature: mesh.normals ? findCurvature({ ...mesh, normals: mesh.normals }).mean : 0,
      },
      doubts: made.doubts,
      algorithms: [...made.levelledBy, 'isosurface', 'edgeBlur', quality === 'faired' ? 'fairing' : 'noise'],
    };
  });
}

/** From this contrast-to-noise ratio up, the level is seven deviations from air: noise reaches it nowhere. */
const clearOfNoise = 14;

/** Smallest volume that noise does not make by chance: a ball at the detection limit; 0 without noise. */
function findSpeckMm3({ voxelSizeMm }: Grid, { judged }: Pick<AnalysisContext, 'judged'>): number {
  if ((judged?.contrastToNoise ?? clearOfNoise) >= clearOfNoise) return 0;
  const diameter = detectionLimit[isBehindFilter(judged) ? 'filtered' : 'plain'];
  return voxelSizeMm.reduce((product, edge) => product * edge, (Math.PI / 6) * diameter ** 3);
}

/** Uncertainty of a surface; needs its grid. */
function findPartErrors(
  volume: VolumeInput,
  made: VolumeSurface,
  blurMm: number,
  arena: Arena,
  context: AnalysisContext,
): Omit<PartErrors, 'curvature'> | null {
  const placesMm = placeUncertainties(made, blurMm, arena, context);
  if (!placesMm) return null;
  const blurVoxels = blurMm / Math.min(...volume.grid.voxelSizeMm);
  const { edgeMiddles = null } = made.surface;
  const surface = findSurfaceUncertainty(volume, { ...made, edgeMiddles }, blurVoxels, context);
  return surface && { surface, placesMm };
}
