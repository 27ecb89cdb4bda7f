/** Every GLB that an analysis writes is one to the format's own validator, without an error or a warning. */

import { beforeAll, describe, expect, it } from 'vitest';
import type { StepKind } from '#contract/analyses/steps.ts';
import { joinBytes } from '#formats/bytes/join-bytes.ts';
import { listGlbFaults } from '#formats/testing/check-glb.ts';
import type { KernelPool } from '#kernels/arena.ts';
import { identityDirections, type Volume, voxelArray } from '#kernels/grid/volume.ts';
import { inlinePool } from '#kernels/pool.ts';
import { seededNormal } from '#kernels/random.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { cubesMesh, refined } from '#kernels/testing/meshes.ts';
import type { MeshInput, VolumeInput } from './analysis.ts';
import { runAnalysis } from './registry.ts';
import { noData } from './testing/no-data.ts';
import { makeInput } from './testing/scan-run.ts';

const cells = 30;
const voxelMm = 0.1;

/** A noisy block of one material with a block of another on it, pores within, cut off by the border below. */
function casting(): Volume {
  const data = voxelArray('uint16', cells ** 3);
  const normal = seededNormal(3);
  for (let i = 0; i < data.length; i++) {
    const [x, y, z] = [i % cells, Math.floor(i / cells) % cells, Math.floor(i / cells ** 2)];
    const inPore = [9, 15, 21].some((at) => Math.hypot(x - at, y - 15, z - 8) < 2.4);
    const isLight = x > 4 && x < 25 && y > 6 && y < 23 && z < 16 && !inPore;
    const isDense = x > 7 && x < 22 && y > 9 && y < 20 && z >= 16 && z < 25;
    data[i] = Math.round((isDense ? 50_000 : isLight ? 28_000 : 4000) + 150 * normal());
  }
  return {
    dimensions: [cells, cells, cells],
    voxelSizeMm: [voxelMm, voxelMm, voxelMm],
    originMm: [5, -3, 0],
    directions: identityDirections(),
    dataType: 'uint16',
    data,
  };
}
const reference = (): MeshInput => {
  const { positions, indices } = refined(cubesMesh([[0, 0, 0]]), 2);
  const [size, from] = [
    [2, 1.6, 1.6],
    [5.45, -2.35, -0.05],
  ];
  return { mesh: { positions: positions.map((at, i) => from[i % 3] + at * size[i % 3]), indices } };
};

let pool: KernelPool;
let scan: VolumeInput;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
  scan = await makeInput(casting(), pool);
});

const referenceDataObjectId = '5b1bb1b5-0f0e-4a55-9d42-5f1f7a2c7c11';
const runs: [string, StepKind, Record<string, unknown>, string[]][] = [
  ['a mesh', 'createMesh', {}, ['mesh.glb']],
  ['a mesh of few triangles', 'createMesh', { targetTriangles: 600 }, ['mesh.glb']],
  ['a mesh of a region', 'createMesh', { region: { min: [5.8, -3, 0], max: [7, 0, 1] } }, ['mesh.glb']],
  [
    'meshes of two materials',
    'createMesh',
    { materials: 2 },
    ['mesh.glb', 'material-1.glb', 'material-2.glb'],
  ],
  ['a textured mesh', 'createTexturedMesh', { textureSize: 256 }, ['textured-mesh.glb']],
  [
    'a textured mesh of few triangles',
    'createTexturedMesh',
    { textureSize: 256, texture: 'curvature', targetTriangles: 600 },
    ['textured-mesh.glb'],
  ],
  ['wall thickness', 'runWallThickness', { minThicknessMm: 1, maxThicknessMm: 1.2 }, ['thickness.glb']],
  ['defects', 'runIntegrityAnalysis', {}, ['defects.glb']],
  [
    'a comparison',
    'runMeshCompare',
    { alignment: 'none', tolerance: { lowerMm: -0.1, upperMm: 0.1 }, maxDistanceMm: 0.3 },
    ['deviation.glb', 'missing.glb'],
  ],
];

describe('the GLB of', () => {
  it.each(runs)('%s', async (_, kind, parameters, names) => {
    const { dataObjects } = await runAnalysis(
      kind,
      kind === 'runMeshCompare' ? { ...parameters, referenceDataObjectId } : parameters,
      { sourceDataObjectId: 'scan', referenceDataObjectId },
      {
        ...noData,
        volume: async () => scan,
        part: async (id) => (id === 'scan' ? { volume: scan } : reference()),
        pool,
        signal: new AbortController().signal,
        progress: () => {},
      },
    );
    const files = dataObjects
      .flatMap((made) => made.files)
      .filter(({ fileName }) => fileName.endsWith('.glb'));
    expect(files.map(({ fileName }) => fileName)).toEqual(names);
    for (const { fileName, parts } of files)
      expect(await listGlbFaults(joinBytes(parts)), fileName).toEqual([]);
  });
});
