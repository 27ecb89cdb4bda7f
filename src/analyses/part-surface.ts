/** The surface of a part, wherever it comes from: extracted from a volume, or a stored mesh as it is. */
import { meshOf } from '#kernels/surface/extract.ts';
import type { AnalysisContext, MeshInput } from './analysis.ts';
import { surfaceOfVolume } from './volume-surface.ts';

export interface PartSurface extends MeshInput {
  /** of a volume: its largest voxel edge; null for a mesh */
  voxelMm: number | null;
  /** of a volume: grey value of its surface; null for a mesh */
  isoValue: number | null;
}

/**
 * @param deflectionMm a CAD model comes at least as fine as this
 * @param range of the progress
 * @throws KernelError NO_SURFACE, TOO_LARGE
 */
export async function partSurface(
  dataObjectId: string,
  context: AnalysisContext,
  range: { from: number; to: number; stage: string },
  deflectionMm?: number,
): Promise<PartSurface> {
  const { pool, signal } = context;
  context.progress(range.from, range.stage);
  const part = await context.part(dataObjectId, deflectionMm);
  signal.throwIfAborted();
  if (!('volume' in part)) return { ...part, voxelMm: null, isoValue: null };
  const { volume } = part;
  const within: AnalysisContext = {
    ...context,
    progress: (fraction, stage) =>
      context.progress(
        range.from + (range.to - range.from) * fraction,
        `${range.stage}: ${stage.toLowerCase()}`,
      ),
  };
  return pool.withArena(async (arena) => {
    const choice = { surface: { mode: 'iso50' as const }, smoothing: 0 };
    const { surface, level, cells } = await surfaceOfVolume(volume, arena, choice, within, 1);
    const { mesh } = await meshOf(pool, arena, surface, volume.grid, cells, signal);
    return { mesh, voxelMm: Math.max(...volume.grid.voxelSizeMm), isoValue: level.isoValue };
  });
}
