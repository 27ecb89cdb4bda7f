/** From a stored volume to a closed mesh in the scan's frame: what every mesh that leaves the service is made by. */
import type { Arena } from '#kernels/simd/arena.ts';
import { meshOf } from '#kernels/surface/extract.ts';
import { keepCurvature } from '#kernels/surface/keep-curvature.ts';
import { type Algorithm, filterOf } from './algorithms.ts';
import type { AnalysisContext, VolumeInput } from './analysis.ts';
import { type SurfaceParameters, surfaceOfVolume, type VolumeSurface } from './volume-surface.ts';

/** A value a vertex that is to travel with the mesh, found while the grid is there. */
export interface VertexValues {
  stage: string;
  find(found: VolumeSurface, arena: Arena, progress: (fraction: number) => void): Promise<Float32Array>;
}

/**
 * Extracts, gives round shapes back what smoothing cost them, measures and places; the progress from 0 to `share`.
 * @throws KernelError NO_SURFACE, EMPTY_REGION, TOO_LARGE
 */
export async function meshOfVolume(
  volume: VolumeInput,
  parameters: SurfaceParameters,
  context: AnalysisContext,
  share: number,
  atVertices?: VertexValues,
) {
  const { pool, signal } = context;
  const made = await pool.withArena(async (arena) => {
    const found = await surfaceOfVolume(volume, arena, parameters, context, 0.8 * share);
    const { surface, grid, level, cells, smoothing } = found;
    context.progress(0.8 * share, 'Curvature');
    if (parameters.smoothing === 'auto') {
      await keepCurvature(grid, surface, smoothing.filter, pool, arena, signal);
    }
    const values = await atVertices?.find(found, arena, (fraction) =>
      context.progress(share * (0.8 + 0.1 * fraction), atVertices.stage),
    );
    context.progress(0.9 * share, 'Measuring the mesh');
    const { positions, indices, vertices, triangles } = surface;
    const input = { memory: arena.memory, positions, indices, vertices, triangles };
    const facts = await pool.run('measureMesh', input, { signal });
    const placed = await meshOf(pool, arena, surface, volume.grid, cells, signal);
    // Turning and mirroring keep volume and area.
    return {
      level,
      cells,
      smoothing,
      values,
      mesh: placed.mesh,
      facts: { ...facts, boundsMm: placed.boundsMm },
    };
  });
  signal.throwIfAborted();
  return made;
}

/** What a mesh of a volume was computed with. */
export const meshAlgorithms = (
  parameters: SurfaceParameters,
  filter: Parameters<typeof filterOf>[0],
): Algorithm[] => [
  'surfaceLevel',
  'isosurface',
  ...filterOf(filter),
  ...(parameters.smoothing === 'auto' ? (['noise', 'curvatureKept'] as const) : []),
];
