/**
 * Extreme volumes in every analysis of a single volume: the result is finite and the same for any number of threads, or
 * the analysis reports an error.
 */

import { beforeAll, describe, expect, it } from 'vitest';
import type { StepKind } from '#contract/analyses/steps.ts';
import { joinBytes } from '#formats/bytes/join-bytes.ts';
import { readGlb } from '#formats/glb/read-glb.ts';
import type { KernelPool } from '#kernels/arena.ts';
import { identityDirections, type Vector3, type Volume, voxelArray } from '#kernels/grid/volume.ts';
import { KernelError, type KernelErrorCode } from '#kernels/kernel-error.ts';
import { inlinePool } from '#kernels/pool.ts';
import { seededNormal } from '#kernels/random.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { cubesMesh, refined } from '#kernels/testing/meshes.ts';
import type { MeshInput } from './analysis.ts';
import { runAnalysis } from './registry.ts';
import { noData } from './testing/no-data.ts';
import { makeInput } from './testing/scan-run.ts';

let pools: KernelPool[];
beforeAll(async () => {
  const module = await kernelModule();
  pools = [inlinePool(module), inlinePool(module, 3)];
});

/** A lump with a hole in it that reaches from border to border along x, of any size and type. */
function lump(dimensions: Vector3, dataType: Volume['dataType'], air: number, material: number): Volume {
  const [nx, ny, nz] = dimensions;
  const data = voxelArray(dataType, nx * ny * nz);
  const normal = seededNormal(4);
  const noise = 0.01 * (material - air);
  let i = 0;
  for (let z = 0; z < nz; z++) {
    for (let y = 0; y < ny; y++) {
      for (let x = 0; x < nx; x++) {
        const [u, v] = [(y + 0.5) / ny - 0.47, (z + 0.5) / nz - 0.53];
        const hole = Math.hypot(x / nx - 0.5, u + 0.11, v - 0.07) < 0.13;
        const isMaterial = Math.max(Math.abs(u) * 1.3, Math.abs(v)) < 0.36 && !hole;
        data[i++] = (isMaterial ? material : air) + noise * normal();
      }
    }
  }
  return {
    dimensions,
    voxelSizeMm: [0.1, 0.12, 0.15],
    originMm: [3, -2, 1],
    directions: identityDirections(),
    dataType,
    data,
  };
}
/** Material up to the border on all sides, with the lump's shape as air within. */
const hollowed = (dimensions: Vector3, dataType: Volume['dataType']) =>
  lump(dimensions, dataType, 40_000, 8000);
function withOneCell(volume: Volume, value: number): Volume {
  volume.data[volume.data.length >> 1] = value;
  return volume;
}
const filled = (volume: Volume, value: number): Volume => {
  volume.data.fill(value);
  return volume;
};
function withGaps(volume: Volume): Volume {
  for (let i = 0; i < volume.data.length; i += 37) volume.data[i] = Number.NaN;
  volume.data[5] = Number.POSITIVE_INFINITY;
  return volume;
}

/** A reference about as large as the lump: a block with twelve CAD faces. */
function blockAround({ dimensions, voxelSizeMm, originMm }: Volume): MeshInput {
  const { positions, indices } = refined(cubesMesh([[0, 0, 0]]), 1);
  const sizeMm = dimensions.map((n, k) => (k === 0 ? 1 : 0.6) * n * voxelSizeMm[k]);
  return {
    mesh: {
      positions: positions.map((at, i) => {
        const k = i % 3;
        const middle = originMm[k] + ((dimensions[k] - 1) / 2) * voxelSizeMm[k];
        return middle + (at - 0.5) * sizeMm[k];
      }),
      indices,
    },
    faces: Uint32Array.from({ length: indices.length / 3 }, (_, t) => t % 6),
    deflectionMm: 0.01,
  };
}

/** `result or NO_SURFACE`: a filter may remove a part of a single cell. */
type Outcome = 'result' | KernelErrorCode | 'result or NO_SURFACE';
const allows = (expected: Outcome, found: 'result' | KernelErrorCode) =>
  expected === 'result or NO_SURFACE' ? ['result', 'NO_SURFACE'].includes(found) : expected === found;
const inputs: [string, () => Volume, Outcome][] = [
  ['odd sizes, touching the border', () => lump([19, 23, 17], 'uint16', 8000, 40_000), 'result'],
  ['signed values', () => lump([18, 22, 20], 'int16', -1000, 900), 'result'],
  // Of three lengths: of two that are alike a hundred poses would be tried.
  ['float, NaN and infinity', () => withGaps(lump([12, 22, 20], 'float32', -0.1, 0.6)), 'result'],
  ['bytes, a row longer than a word of bits', () => lump([67, 5, 9], 'uint8', 20, 220), 'result'],
  ['nothing but negative whole numbers', () => lump([15, 16, 13], 'int32', -90_000, -2000), 'result'],
  ['material on all borders', () => hollowed([17, 18, 19], 'uint16'), 'result'],
  [
    'one cell of material',
    () => withOneCell(filled(lump([9, 8, 7], 'uint16', 0, 1), 100), 900),
    'result or NO_SURFACE',
  ],
  [
    'one cell of air',
    () => withOneCell(filled(lump([9, 8, 7], 'uint16', 0, 1), 900), 100),
    'result or NO_SURFACE',
  ],
  ['a plane one cell wide', () => lump([1, 26, 21], 'int16', -1000, 900), 'result'],
  ['a plane one cell deep', () => lump([70, 1, 21], 'float32', 0, 1), 'result'],
  ['one plane', () => lump([21, 26, 1], 'uint16', 8000, 40_000), 'result'],
  ['one row', () => lump([1, 1, 24], 'float64', 0, 1), 'result'],
  ['one cell', () => lump([1, 1, 1], 'uint16', 8000, 40_000), 'NO_SURFACE'],
  ['one value', () => filled(lump([9, 8, 7], 'uint16', 8000, 40_000), 500), 'NO_SURFACE'],
  ['nothing but NaN', () => filled(lump([9, 8, 7], 'float32', 0, 1), Number.NaN), 'BAD_INPUT'],
];
const referenceDataObjectId = '5b1bb1b5-0f0e-4a55-9d42-5f1f7a2c7c11';
const unmoved = { alignment: 'none', tolerance: { lowerMm: -0.3, upperMm: 0.3 } };
const analyses: [string, StepKind, Record<string, unknown>][] = [
  ['createMesh', 'createMesh', {}],
  ['createMesh of as many materials as there are', 'createMesh', { materials: 'auto' }],
  ['createMesh behind a median filter', 'createMesh', { noiseFilter: 'median' }],
  ['createTexturedMesh', 'createTexturedMesh', { textureSize: 256 }],
  ['runWallThickness, sphere', 'runWallThickness', { method: 'sphere', minThicknessMm: 1 }],
  ['runWallThickness, ray', 'runWallThickness', { method: 'ray', minThicknessMm: 1 }],
  ['runIntegrityAnalysis', 'runIntegrityAnalysis', {}],
  [
    'runIntegrityAnalysis of all kinds',
    'runIntegrityAnalysis',
    { kinds: ['porosity', 'inclusion', 'crack'], minVoxels: 1, widestOpeningMm: 0.3 },
  ],
  ['runMeshCompare', 'runMeshCompare', { referenceDataObjectId, ...unmoved }],
  [
    'runDecomposeMeshCompare, by CAD face',
    'runDecomposeMeshCompare',
    { referenceDataObjectId, ...unmoved, groupBy: 'cadFace' },
  ],
];

/** Every number inside is one. */
function expectFinite(value: unknown, where: string): void {
  if (typeof value === 'number') expect(Number.isFinite(value), `${where}: ${value}`).toBe(true);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) expectFinite(part, `${where}.${key}`);
  }
}

async function runToOutcome<Kind extends StepKind>(
  kind: Kind,
  parameters: Record<string, unknown>,
  make: () => Volume,
  pool: KernelPool,
  reference?: MeshInput,
) {
  try {
    const made = make();
    const volume = await makeInput(made, pool);
    return await runAnalysis(
      kind,
      parameters,
      { sourceDataObjectId: 'scan', referenceDataObjectId },
      {
        ...noData,
        volume: async () => volume,
        part: async (id) => (id === 'scan' ? { volume } : (reference ?? blockAround(made))),
        pool,
        signal: new AbortController().signal,
        progress: () => {},
      },
    );
  } catch (error) {
    if (error instanceof KernelError) return { code: error.code, message: error.message };
    throw error;
  }
}

/** Their whole surface is within two voxels of the border, where it is not compared. */
const allAtTheBorder = /^(bytes, a row longer|one cell of|a plane one cell|one plane|one row)/;

describe.each(analyses)('%s', (name, kind, parameters) => {
  it.each(inputs)('of %s', async (input, make, usual) => {
    const expected = /Compare/.test(kind) && allAtTheBorder.test(input) ? 'NO_SURFACE' : usual;
    const one = await runToOutcome(kind, parameters, make, pools[0]);
    expect(await runToOutcome(kind, parameters, make, pools[1])).toEqual(one);
    if ('code' in one) {
      expect(one).toEqual({
        code: expect.toSatisfy((code: KernelErrorCode) => allows(expected, code)),
        message: expect.stringMatching(/^[A-Z“0-9].{20,}\.$/s),
      });
      return;
    }
    expect(allows(expected, 'result')).toBe(true);
    for (const { metadata, files = [] } of one.dataObjects) {
      expectFinite(metadata, name);
      for (const { fileName, parts } of files) {
        if (!fileName.endsWith('.glb')) continue;
        const { positions, indices } = readGlb(joinBytes(parts));
        expect(positions.every(Number.isFinite), fileName).toBe(true);
        expect(
          indices.every((index) => index < positions.length / 3),
          fileName,
        ).toBe(true);
      }
    }
  });
});

// To align takes a second or two however small the volume: one of each sort.
it.each(inputs.filter(([name]) => /NaN|one plane$|one cell$|one value/.test(name)))(
  'runAutoAlignLite of %s, with its own surface',
  async (name, make, expected) => {
    const mesh = await runToOutcome('createMesh', { smoothing: 0 }, make, pools[0]);
    const own = 'code' in mesh ? undefined : { mesh: readGlb(joinBytes(mesh.dataObjects[0].files[0].parts)) };
    const made = await runToOutcome('runAutoAlignLite', { referenceDataObjectId }, make, pools[1], own);
    if ('code' in made) {
      expect([made.code, made.message]).toEqual([expected, expect.stringMatching(/^[A-Z“0-9].{20,}\.$/s)]);
      return;
    }
    expect(expected).toBe('result');
    const { metadata } = made.dataObjects[0];
    expectFinite(metadata, name);
    expect(metadata['rmsMm']).toBeLessThan(0.01);
    expect(metadata['inlierShare']).toBeGreaterThan(0.9);
  },
);
