import { beforeAll, describe, expect, it } from 'vitest';
import type { StepKind } from '#contract/analyses/steps.ts';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import { joinBytes } from '#formats/bytes/join-bytes.ts';
import { readGlb } from '#formats/glb/read-glb.ts';
import type { KernelPool } from '#kernels/arena.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { measureMesh } from '#kernels/mesh/measure.ts';
import { inlinePool } from '#kernels/pool.ts';
import { type Body, hollowCylinder, movedBody, steppedWedge } from '#kernels/testing/bodies.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import type { AnalysisContext, VolumeInput } from './analysis.ts';
import { makeInput, runOnScan } from './testing/scan-run.ts';

let pool: KernelPool;
let tube: VolumeInput;
let wedge: VolumeInput;
const tubeBody = hollowCylinder(1.5, 1, 2.4);

async function renderVolume(body: Body, dimensions: Vector3, originMm: Vector3): Promise<VolumeInput> {
  const volume = renderBody(movedBody(body, originMm), {
    dimensions,
    voxelSizeMm: [0.08, 0.08, 0.08],
    originMm: originMm.map((o, k) => o - (dimensions[k] - 1) * 0.04) as Vector3,
    noise: 800,
  });
  return makeInput(volume, pool);
}
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
  tube = await renderVolume(tubeBody, [44, 44, 38], [10, -20, 30]);
  wedge = await renderVolume(steppedWedge([0.6, 1.2], 1.6, 1.6), [48, 28, 24], [0, 0, 0]);
});

const run = <Kind extends StepKind>(
  kind: Kind,
  parameters: unknown,
  volume = tube,
  context: Partial<AnalysisContext> = {},
) => runOnScan(kind, parameters, volume, { pool, ...context });

const thinWalled: ScanQuality = {
  ...{ hasContrast: true, contrastToNoise: 20, airGrey: 8000, materials: [{ grey: 40_000, share: 1 }] },
  ...{ blurVoxels: 0.6, unevenness: 0.01, gradient: 0, rings: 0, border: [], thinnestWallVoxels: 3 },
  ...{ thinShare: 0.1, saturatedShare: 0, lostSlices: 0 },
};

describe('createMesh', () => {
  it('returns a watertight GLB in the scan’s own frame, with its measurements', async () => {
    const { dataObjects, algorithms } = await run('createMesh', {});
    const [{ kind, metadata, files }] = dataObjects;
    expect(kind).toBe('mesh');
    expect(files.map((file) => file.fileName)).toEqual(['mesh.glb']);
    expect(metadata).toMatchObject({ watertight: true, components: 1 });
    expect(Math.abs((metadata.volumeMm3 as number) / tubeBody.volumeMm3 - 1)).toBeLessThan(0.01);
    const { min, max } = metadata.boundsMm as { min: number[]; max: number[] };
    for (const [k, expected] of [8.5, -21.5, 28.8].entries())
      expect(Math.abs(min[k] - expected)).toBeLessThan(0.04);
    for (const [k, expected] of [11.5, -18.5, 31.2].entries())
      expect(Math.abs(max[k] - expected)).toBeLessThan(0.04);
    expect(readGlb(joinBytes(files[0].parts)).indices.length).toBe(3 * (metadata.triangles as number));
    expect(algorithms).toHaveProperty('isosurface');
  });

  it('writes every requested format', async () => {
    const { dataObjects } = await run('createMesh', { formats: ['stl', 'ply', '3mf'] });
    const names = dataObjects[0].files.map((file) => file.fileName);
    expect(names).toEqual(['mesh.glb', 'mesh.stl', 'mesh.ply', 'mesh.3mf']);
    expect(dataObjects[0].files.every((file) => joinBytes(file.parts).length > 1000)).toBe(true);
  });

  it('simplifies to about the requested number of triangles and stays closed', async () => {
    const { dataObjects } = await run('createMesh', { targetTriangles: 3000 });
    const { metadata, files } = dataObjects[0];
    expect(metadata).toMatchObject({ watertight: true, components: 1 });
    expect(metadata.triangles).toBeLessThanOrEqual(3000);
    expect(metadata.triangles).toBeGreaterThan(2000);
    expect(Math.abs((metadata.volumeMm3 as number) / tubeBody.volumeMm3 - 1)).toBeLessThan(0.02);
    const mesh = readGlb(joinBytes(files[0].parts));
    expect(measureMesh(mesh.positions, mesh.indices).watertight).toBe(true);
  });

  it('cuts a closed part out of a region', async () => {
    const region = { min: [10, -30, 0], max: [40, -10, 60] };
    const { dataObjects } = await run('createMesh', { region });
    expect(dataObjects[0].metadata).toMatchObject({ watertight: true });
    const share = (dataObjects[0].metadata.volumeMm3 as number) / tubeBody.volumeMm3;
    expect(share).toBeGreaterThan(0.46);
    expect(share).toBeLessThan(0.54);
  });

  it('reports the scan’s extent if the region misses it', async () => {
    const region = { min: [100, 100, 100], max: [110, 110, 110] };
    await expect(run('createMesh', { region })).rejects.toThrow(
      /No voxel of the scan lies in the region.*mm/,
    );
  });
});

describe('runWallThickness', () => {
  it('colours every vertex and finds the thin step', async () => {
    const { dataObjects } = await run('runWallThickness', { minThicknessMm: 0.9 }, wedge);
    const { kind, metadata, files } = dataObjects[0];
    expect(kind).toBe('wallThickness');
    expect(files.map((file) => file.fileName)).toEqual([
      'thickness.glb',
      'thickness.json',
      'regions.csv',
      'histogram.csv',
    ]);
    const mesh = readGlb(joinBytes(files[0].parts));
    expect(mesh.scalars?.['thicknessMm']).toHaveLength(metadata.vertices as number);
    const regions = metadata.regions as { areaMm2: number; minMm: number; centerMm: number[] }[];
    expect(regions[0].minMm).toBeGreaterThan(0.5);
    expect(regions[0].minMm).toBeLessThan(0.64);
    expect(regions[0].centerMm[0]).toBeLessThan(-0.4);
    expect(metadata.belowMinimumShare).toBeGreaterThan(0.2);
    expect(metadata.belowMinimumShare).toBeLessThan(0.5);
    // Near edges the ray is longer than the sphere's diameter: reported for the part, for each region and at each vertex.
    expect(metadata.disagreementShare).toBeGreaterThan(0.01);
    expect(metadata.disagreementShare).toBeLessThan(0.6);
    const flags = mesh.scalars?.['raySphereDisagreement'] ?? new Float32Array();
    expect(new Set(flags)).toEqual(new Set([0, 1]));
    const [heading, first] = new TextDecoder().decode(joinBytes(files[2].parts)).split('\r\n');
    expect(heading).toMatch(/^region,areaMm2,minMm,.*disagreementShare$/);
    expect(Number(first.split(',')[2])).toBeCloseTo(regions[0].minMm, 4);
    expect(Number(first.split(',').at(-1))).toBeLessThan(0.5);
  });

  it('with walls too thin for the scan, still judges the largest thickness, but not the smallest', async () => {
    const { warnings } = await run('runWallThickness', {}, wedge, { quality: async () => thinWalled });
    const thin = warnings.filter(({ code }) => code === 'SCAN_THIN_WALLS');
    expect(thin).toMatchObject([{ invalidates: true }]);
    expect(thin[0].measures).toEqual(expect.arrayContaining(['minMm', 'meanMm', 'percentilesMm.p99']));
    expect(thin[0].measures).not.toContain('maxMm');
  });

  it('excludes walls beyond the maximum', async () => {
    const { dataObjects } = await run('runWallThickness', { method: 'ray', maxThicknessMm: 0.8 }, wedge);
    expect(dataObjects[0].metadata.maxMm).toBeLessThanOrEqual(0.8);
    expect(dataObjects[0].metadata.disagreementShare).toBeNull();
    expect(dataObjects[0].metadata.notMeasured).toBeGreaterThan(100);
  });

  it('reports progress that never decreases, with a stage', async () => {
    const seen: number[] = [];
    const progress = (fraction: number, stage: string) => {
      expect(stage).not.toBe('');
      seen.push(fraction);
    };
    await run('runWallThickness', {}, tube, { progress });
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toBeLessThanOrEqual(1);
  });
});

describe('the registry', () => {
  it('names no size of 0 where grey values only change sizes', async () => {
    const stepped = { ...thinWalled, thinShare: 0, thinnestWallVoxels: null, greyStep: 0.1 };
    const context = { quality: async () => stepped };
    const { warnings, dataObjects } = await run('runIntegrityAnalysis', {}, tube, context);
    expect(dataObjects[0].metadata).toMatchObject({ porosity: 0, largestVolumeMm3: 0 });
    const steps = warnings.filter(({ code }) => code === 'SCAN_GREY_STEPS');
    expect(steps).toMatchObject([{ measures: ['materialVolumeMm3'] }]);
  });

  it('says that replaced specks lose voids only where voids that small count', async () => {
    const specked = { ...thinWalled, thinShare: 0, thinnestWallVoxels: null };
    const readCodes = async (parameters: object, share: number) => {
      const quality = async () => ({ ...specked, specks: { share, leastStep: 16_000 } });
      const { warnings } = await run('runIntegrityAnalysis', parameters, tube, { quality });
      return warnings.map(({ code }) => code);
    };
    expect(await readCodes({}, 0.001)).not.toContain('SCAN_SPECKS');
    expect(await readCodes({ minVoxels: 1 }, 0.001)).toContain('SCAN_SPECKS');
    expect(await readCodes({}, 0.02)).toContain('SCAN_SPECKS');
  });

  it('rejects parameters that the contract does not define', async () => {
    await expect(run('createMesh', { smothing: 1 })).rejects.toThrow(/smothing/);
  });
});
