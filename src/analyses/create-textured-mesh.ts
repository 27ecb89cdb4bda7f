import type { z } from 'zod';
import { texturedMesh } from '#contract/analyses/create-textured-mesh.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { type BakeOptions, bakeTexture, type TextureSource } from '#kernels/texture/bake.ts';
import { meanCurvature, measureOpenness } from '#kernels/texture/vertex-values.ts';
import { type Algorithm, listVersions } from './algorithms.ts';
import { implementAnalysis, type VolumeInput } from './analysis.ts';
import { determineSurface } from './determine-surface.ts';
import { behindNoiseFilter } from './noise-filter.ts';
import { runMeshWork } from './run-mesh-work.ts';
import { makeVolumeMesh, meshAlgorithms, type VertexValues, withoutCut } from './volume-mesh.ts';
import { levelFacts, smoothingFacts, surfaceWarnings } from './volume-surface.ts';

type Parameters = z.infer<typeof texturedMesh.parameters>;

/** Default sampling depth below the surface for grey values, where its blur has ended. */
const depthVoxels = 2;
/** Search radius for openness, as a share of the region's diagonal. */
const openWithin = 0.25;
/** Name of the scalar field that carries values from the full mesh to the simplified one. */
const carried = 'texture';

const looks = {
  grayValue: { algorithm: 'textureGreyValue', unit: '', limits: 'most' },
  curvature: { algorithm: 'textureCurvature', unit: '1/mm', limits: 'symmetric' },
  ambientOcclusion: { algorithm: 'textureAmbientOcclusion', unit: '', limits: { low: 0, high: 1 } },
} as const satisfies Record<
  Parameters['texture'],
  { algorithm: Algorithm; unit: string; limits: BakeOptions['limits'] }
>;

/** Creates a closed mesh of a volume's surface with a texture of grey values, curvature or ambient occlusion. */
export const createTexturedMeshAnalysis = implementAnalysis(
  texturedMesh,
  async (parameters, inputs, context) => {
    const { pool, signal } = context;
    const { texture, textureSize: sizePx, targetTriangles, formats } = parameters;
    const volume = await context.volume(inputs.sourceDataObjectId);
    // Texture colours are taken from the unfiltered scan.
    const filtered = await behindNoiseFilter(volume, parameters, context);
    const found = await determineSurface(inputs.sourceDataObjectId, filtered, parameters, context);
    const made = await makeVolumeMesh(filtered, parameters, context, found, {
      share: 0.4,
      atVertices: valuesFor(parameters, volume),
    });
    const { cells, smoothing, values } = made;
    const simplified = targetTriangles !== undefined && made.facts.triangles > targetTriangles;
    const mesh: TriangleMesh = { ...made.mesh, ...(values ? { scalars: { [carried]: values } } : {}) };
    let shown = { mesh, facts: made.facts };
    if (simplified) {
      context.progress(0.4, 'Simplifying');
      const { mesh: fewer, facts } = await runMeshWork('simplify', { mesh, targetTriangles }, signal);
      shown = { mesh: fewer, facts: withoutCut(facts, made.cut) };
    }
    const unfolding = { mesh: withNormals(shown.mesh), sizePx };
    const unfolded = await runMeshWork('unfold', unfolding, signal, undefined, (fraction, stage) =>
      context.progress(0.45 + 0.25 * fraction, stage),
    );
    const { atlas } = unfolded;
    const depthMm = parameters.depthMm ?? depthVoxels * Math.max(...volume.grid.voxelSizeMm);
    const atVertices = atlas.mesh.scalars?.[carried];
    const source: TextureSource = atVertices
      ? { kind: 'vertices', values: atVertices }
      : { kind: 'volume', volume, depthMm };
    const { algorithm, unit, limits } = looks[texture];
    const { picture, low, high, mean } = await pool.withArena((arena) =>
      bakeTexture(atlas, source, arena, {
        limits,
        progress: (fraction) => context.progress(0.7 + 0.2 * fraction, 'Texture'),
      }),
    );
    context.progress(0.9, 'Writing');
    const meaning = { shows: texture, unit, low, high, mean, ...(atVertices ? {} : { depthMm }) };
    const { scalars: _, ...bare } = atlas.mesh;
    const { scalars: __, ...bareMesh } = unfolded.mesh;
    const files = await runMeshWork(
      'writeTextured',
      {
        mesh: bareMesh,
        unfolded: bare,
        coordinates: atlas.coordinates,
        picture,
        sizePx,
        meaning,
        baseName: 'textured-mesh',
        formats,
      },
      signal,
    );
    return {
      dataObjects: [
        {
          kind: texturedMesh.makes,
          name: 'Textured mesh',
          metadata: {
            ...shown.facts,
            ...levelFacts(made),
            surfaceMode: parameters.surface.mode,
            texture: { ...meaning, ...atlas.facts },
            ...smoothingFacts(parameters, smoothing),
            edgeBlurMm: made.edgeBlurMm,
            curvatureKept: parameters.smoothing === 'auto',
            regionCells: cells,
            ...(simplified ? { trianglesBeforeSimplification: made.facts.triangles } : {}),
          },
          files,
        },
      ],
      warnings: surfaceWarnings(made.doubts, 'volumeMm3', 'areaMm2'),
      algorithms: listVersions(
        ...meshAlgorithms(parameters, made),
        ...(simplified ? (['simplification'] as const) : []),
        'textureAtlas',
        algorithm,
      ),
    };
  },
);

/** Computes the values that need the grid before it is released; grey values are read from the volume later. */
function valuesFor({ texture }: Parameters, { grid }: VolumeInput): VertexValues | undefined {
  if (texture === 'curvature') {
    return {
      stage: 'Curvature',
      find: ({ grid, surface }, arena) => meanCurvature(grid, surface, arena),
    };
  }
  if (texture === 'ambientOcclusion') {
    return {
      stage: 'Ambient occlusion',
      find: ({ surface, grid: layout, cells }, arena, progress) => {
        const edgeMm = (k: 0 | 1 | 2) => grid.voxelSizeMm[k] * (cells.to[k] - cells.from[k]);
        const diagonalMm = Math.hypot(edgeMm(0), edgeMm(1), edgeMm(2));
        return measureOpenness(layout, surface, arena, {
          limitMm: openWithin * diagonalMm,
          progress,
        });
      },
    };
  }
  return undefined;
}

function withNormals(mesh: TriangleMesh): TriangleMesh & { normals: Float32Array } {
  const { normals } = mesh;
  if (!normals) throw new Error('a mesh of a volume has normals');
  return { ...mesh, normals };
}
