import { type MeshFacts, measureMesh } from '#kernels/mesh/measure.ts';
import { meshOf } from '#kernels/surface/extract.ts';
import { versionsOf } from './algorithms.ts';
import type { Analysis } from './analysis.ts';
import { meshFiles } from './mesh-files.ts';
import { simplifyMesh } from './simplify.ts';
import { surfaceOfVolume } from './volume-surface.ts';

/** A closed mesh of the surface between air and material of a volume. */
export const createMesh: Analysis<'createMesh'> = async (parameters, inputs, context) => {
  const volume = await context.volume(inputs.sourceDataObjectId);
  const { level, cells, mesh, facts } = await context.pool.withArena(async (arena) => {
    const { surface, level, cells } = await surfaceOfVolume(volume, arena, parameters, context, 0.7);
    context.progress(0.7, 'Measuring the mesh');
    const { positions, indices, vertices, triangles } = surface;
    const input = { memory: arena.memory, positions, indices, vertices, triangles };
    const facts = await context.pool.run('measureMesh', input, { signal: context.signal });
    return { level, cells, facts, mesh: meshOf(arena, surface, volume.grid, cells) };
  });
  context.signal.throwIfAborted();
  const { targetTriangles } = parameters;
  let shown = mesh;
  if (targetTriangles !== undefined && facts.triangles > targetTriangles) {
    context.progress(0.8, 'Simplifying');
    shown = await simplifyMesh(mesh, targetTriangles);
    context.signal.throwIfAborted();
  }
  const shownFacts =
    shown === mesh ? inScanFrame(facts, mesh.positions) : measureMesh(shown.positions, shown.indices);
  context.progress(0.9, 'Writing');
  const files = await meshFiles(shown, 'mesh', parameters.formats, context.signal);
  return {
    dataObjects: [
      {
        kind: 'mesh',
        name: 'Mesh',
        metadata: {
          ...shownFacts,
          isoValue: level.isoValue,
          surfaceMode: parameters.surface.mode,
          smoothing: parameters.smoothing,
          regionCells: cells,
          ...(shown === mesh ? {} : { trianglesBeforeSimplification: facts.triangles }),
        },
        files,
      },
    ],
    algorithms: versionsOf(
      'surfaceLevel',
      'isosurface',
      ...(parameters.smoothing > 0 ? (['gaussFilter'] as const) : []),
      ...(shown === mesh ? [] : (['simplification'] as const)),
    ),
  };
};

/** Facts of the surface along the grid's axes → in the scan's frame; turning and mirroring keep volume and area. */
export function inScanFrame(facts: MeshFacts, positions: Float32Array): MeshFacts {
  const min: [number, number, number] = [Infinity, Infinity, Infinity];
  const max: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i += 3) {
    for (let k = 0; k < 3; k++) {
      min[k] = Math.min(min[k], positions[i + k]);
      max[k] = Math.max(max[k], positions[i + k]);
    }
  }
  return { ...facts, boundsMm: { min, max } };
}
