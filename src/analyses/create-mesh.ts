import { versionsOf } from './algorithms.ts';
import type { Analysis } from './analysis.ts';
import { runMeshWork } from './run-mesh-work.ts';
import { meshAlgorithms, meshOfVolume } from './volume-mesh.ts';
import { smoothingFacts } from './volume-surface.ts';

/** A closed mesh of the surface between air and material of a volume. */
export const createMesh: Analysis<'createMesh'> = async (parameters, inputs, context) => {
  const volume = await context.volume(inputs.sourceDataObjectId);
  const { signal } = context;
  const { level, cells, smoothing, mesh, facts } = await meshOfVolume(volume, parameters, context, 0.8);
  const { targetTriangles, formats } = parameters;
  const simplified = targetTriangles !== undefined && facts.triangles > targetTriangles;
  let shown = { mesh, facts };
  if (simplified) {
    context.progress(0.8, 'Simplifying');
    shown = await runMeshWork('simplify', { mesh, targetTriangles }, signal);
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
      ...meshAlgorithms(parameters, smoothing.filter),
      ...(simplified ? (['simplification'] as const) : []),
    ),
  };
};
