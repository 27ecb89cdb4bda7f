import { meshOf } from '#kernels/surface/extract.ts';
import { keepCurvature } from '#kernels/surface/keep-curvature.ts';
import { filterOf, versionsOf } from './algorithms.ts';
import type { Analysis } from './analysis.ts';
import { runMeshWork } from './run-mesh-work.ts';
import { smoothingFacts, surfaceOfVolume } from './volume-surface.ts';

/** A closed mesh of the surface between air and material of a volume. */
export const createMesh: Analysis<'createMesh'> = async (parameters, inputs, context) => {
  const volume = await context.volume(inputs.sourceDataObjectId);
  const { pool, signal } = context;
  const { level, cells, smoothing, placed, facts } = await pool.withArena(async (arena) => {
    const { surface, grid, level, cells, smoothing } = await surfaceOfVolume(
      volume,
      arena,
      parameters,
      context,
      0.65,
    );
    context.progress(0.65, 'Curvature');
    if (parameters.smoothing === 'auto') {
      await keepCurvature(grid, surface, smoothing.filter, pool, arena, signal);
    }
    context.progress(0.7, 'Measuring the mesh');
    const { positions, indices, vertices, triangles } = surface;
    const input = { memory: arena.memory, positions, indices, vertices, triangles };
    const facts = await pool.run('measureMesh', input, { signal });
    return {
      level,
      cells,
      smoothing,
      facts,
      placed: await meshOf(pool, arena, surface, volume.grid, cells, signal),
    };
  });
  signal.throwIfAborted();
  const { targetTriangles, formats } = parameters;
  const simplified = targetTriangles !== undefined && facts.triangles > targetTriangles;
  // Turning and mirroring keep volume and area.
  let shown = { mesh: placed.mesh, facts: { ...facts, boundsMm: placed.boundsMm } };
  if (simplified) {
    context.progress(0.8, 'Simplifying');
    shown = await runMeshWork('simplify', { mesh: placed.mesh, targetTriangles }, signal);
  }
  context.progress(0.9, 'Writing');
  const files = await runMeshWork('writeFiles', { mesh: shown.mesh, baseName: 'mesh', formats }, signal);
  return {
    dataObjects: [
      {
        kind: 'mesh',
        name: 'Mesh',
        metadata: {
          ...shown.facts,
          isoValue: level.isoValue,
          surfaceMode: parameters.surface.mode,
          ...smoothingFacts(parameters, smoothing),
          curvatureKept: parameters.smoothing === 'auto',
          regionCells: cells,
          ...(simplified ? { trianglesBeforeSimplification: facts.triangles } : {}),
        },
        files,
      },
    ],
    algorithms: versionsOf(
      'surfaceLevel',
      'isosurface',
      ...filterOf(smoothing.filter),
      ...(parameters.smoothing === 'auto' ? (['noise', 'curvatureKept'] as const) : []),
      ...(simplified ? (['simplification'] as const) : []),
    ),
  };
};
