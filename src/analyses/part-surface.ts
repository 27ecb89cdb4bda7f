/** The surface of a part, wherever it comes from: extracted from a volume, or a stored mesh as it is. */
import type { Grid } from '#kernels/grid/volume.ts';
import { meshOf } from '#kernels/surface/extract.ts';
import { fairSurface } from '#kernels/surface/fair-surface.ts';
import { placeEdges } from '#kernels/surface/refine-surface.ts';
import { noiseShareOf } from '#kernels/surface/smoothing.ts';
import type { Algorithm } from './algorithms.ts';
import type { AnalysisContext, MeshInput } from './analysis.ts';
import { determineSurface } from './determine-surface.ts';
import { type SurfaceDoubt, surfaceOfVolume } from './volume-surface.ts';

export interface PartSurface extends MeshInput {
  /** of a volume; null for a mesh */
  grid: Grid | null;
  /** of a volume: its largest voxel edge; null for a mesh */
  voxelMm: number | null;
  /** of a volume: grey value of its surface; null for a mesh */
  isoValue: number | null;
  /** of a volume: what is known against its surface */
  doubts: SurfaceDoubt[];
  /** what it was made with; nothing for a mesh */
  algorithms: Algorithm[];
}

/**
 * Of a volume, always from grey values as they are or on their local levels, so that no edge is rounded by a filter: left so, which is best for
 * finding its pose, where noise is a mean over the whole part; or evened out between edges, where each place of it is looked at.
 */
export type SurfaceQuality = 'raw' | 'faired';

/**
 * @param deflectionMm a CAD model comes at least as fine as this
 * @param range of the progress
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
    return { ...part, grid: null, voxelMm: null, isoValue: null, doubts: [], algorithms: [] };
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
    const made = await surfaceOfVolume(volume, arena, { smoothing: 0 }, within, determined, { share: 1 });
    const { surface, grey, grid, level, source, sourceLevel, cells } = made;
    // A pose is a matter of whole faces, which noise and blur must not move; their roughness is of no account.
    const noiseShare =
      quality === 'raw' ? await noiseShareOf(source, { ...sourceLevel, cells, signal }) : undefined;
    await placeEdges(grey, surface, pool, arena, signal, noiseShare);
    if (quality === 'faired') await fairSurface(grid, surface, pool, arena, signal);
    const { mesh } = await meshOf(pool, arena, surface, volume.grid, cells, signal);
    return {
      mesh,
      grid: volume.grid,
      voxelMm: Math.max(...volume.grid.voxelSizeMm),
      isoValue: level.isoValue,
      doubts: made.doubts,
      algorithms: [...made.levelledBy, 'isosurface', 'edgeBlur', quality === 'faired' ? 'fairing' : 'noise'],
    };
  });
}
