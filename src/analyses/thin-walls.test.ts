import { beforeAll, describe, expect, it } from 'vitest';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import type { KernelPool } from '#kernels/arena.ts';
import type { Volume } from '#kernels/grid/volume.ts';
import { inlinePool } from '#kernels/pool.ts';
import { type Greys, makeScan, type Scan } from '#kernels/testing/accuracy/scans.ts';
import { box, movedBody } from '#kernels/testing/bodies.ts';
import { carve, partGrey } from '#kernels/testing/carve.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { makeInput, runOnScan } from './testing/scan-run.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

const makePlate = (voxels: number) => box([3.2, 3.4, voxels / 10]);
const scan = (voxels: number, pose: Scan['pose'], greys: Greys = 'blur and noise') =>
  makeScan(makePlate(voxels), { pose, voxels: 'cubic', greys }, 6);

async function measure(volume: Volume, parameters = {}, thinnestWallVoxels: number | null = null) {
  const quality = { hasContrast: true, thinnestWallVoxels, materials: [] } as unknown as ScanQuality;
  const { dataObjects, warnings } = await runOnScan(
    'runWallThickness',
    parameters,
    await makeInput(volume, pool),
    {
      pool,
      ...(thinnestWallVoxels === null ? {} : { quality: async () => ({ ...quality, ...clean }) }),
    },
  );
  return { metadata: dataObjects[0].metadata, warnings };
}
const clean = {
  ...{ contrastToNoise: 20, airGrey: partGrey.air, materials: [{ grey: partGrey.material, share: 1 }] },
  ...{ blurVoxels: 0.6, unevenness: null, gradient: null, rings: null, border: [] as never[] },
  ...{ thinShare: 0.5, saturatedShare: 0, lostSlices: 0 },
};
const listCodes = (warnings: readonly { code: string; invalidates?: boolean | undefined }[]) =>
  warnings.map(({ code, invalidates }) => `${code}${invalidates ? '!' : ''}`);

describe('a part that is thin everywhere', () => {
  it.each([
    { voxels: 2.5, pose: 'tilted' as const },
    { voxels: 3, pose: 'along the axes' as const },
    { voxels: 3.5, pose: 'tilted' as const },
  ])('of $voxels voxels, $pose, has its volume and its thickness', async ({ voxels, pose }) => {
    const volume = scan(voxels, pose);
    const input = await makeInput(volume, pool);
    const mesh = await runOnScan('createMesh', {}, input, { pool });
    expect(mesh.warnings).toEqual([]);
    // Its rims take the rest: blur rounds them.
    const share = (mesh.dataObjects[0].metadata.volumeMm3 ?? 0) / makePlate(voxels).volumeMm3;
    expect(Math.abs(share - 1)).toBeLessThan(0.025);
    const { metadata, warnings } = await measure(volume);
    expect(Math.abs(metadata.percentilesMm.p50 - voxels / 10)).toBeLessThan(0.006);
    expect(metadata.thinWalls?.profileShare).toBeGreaterThan(0.75);
    // The contrast is known to 1.5 %. That shifts a face as much as any edge, whatever the wall thickness.
    expect(metadata.thinWalls?.uncertaintyMm).toBeLessThan(0.0105);
    expect(Math.abs((metadata.thinWalls?.blurMm ?? 0) - 0.06)).toBeLessThan(0.01);
    expect(listCodes(warnings)).toEqual(['SCAN_THIN_WALLS']);
  });

  it('reports that its material is not resolved, and no number on it is valid', async () => {
    const volume = scan(1.5, 'along the axes');
    const { warnings } = await runOnScan('createMesh', {}, await makeInput(volume, pool), { pool });
    expect(listCodes(warnings)).toEqual(['SURFACE_LEVEL!']);
    expect(warnings[0]?.measures).toContain('volumeMm3');
    const thickness = await measure(volume);
    expect(listCodes(thickness.warnings)).toEqual(['SURFACE_LEVEL!', 'SCAN_THIN_WALLS!']);
    expect(thickness.metadata.thinWalls?.uncertaintyMm).toBeNull();
  });

  it('gets a single level where local ones were requested, and reports it', async () => {
    const input = await makeInput(scan(3, 'tilted'), pool);
    const local = { surface: { mode: 'local' } };
    const { air, material } = partGrey;
    const quality: ScanQuality = {
      ...{ hasContrast: true, contrastToNoise: 20, airGrey: air, materials: [{ grey: material, share: 1 }] },
      ...{ blurVoxels: 0.6, unevenness: 0.3, gradient: 0, rings: 0, border: [], thinnestWallVoxels: null },
      ...{ thinShare: 0, saturatedShare: 0, lostSlices: 0 },
    };
    const context = { pool, quality: async () => quality };
    const { warnings, dataObjects } = await runOnScan('createMesh', local, input, context);
    expect(listCodes(warnings)).toContain('SCAN_ONE_LEVEL');
    expect(dataObjects[0].metadata.localLevels).toBeUndefined();
  });
});

describe('a thin wall beside a thick one', () => {
  it('of 2 voxels is measured at the level of the thick one', async () => {
    const volume = scan(2, 'along the axes');
    carve(volume, [movedBody(box([1, 3, 1.2]), [-1.1, 0.1, 0.1])], partGrey.material);
    const { metadata } = await measure(volume, { maxThicknessMm: 0.4 });
    expect(Math.abs(metadata.percentilesMm.p50 - 0.2)).toBeLessThan(0.01);
    expect(metadata.thinWalls?.profileShare).toBeGreaterThan(0.5);
  });

  it('is not measured if the scan’s judge found it too thin to leave a surface', async () => {
    const { warnings } = await measure(scan(3, 'tilted'), {}, 1.2);
    expect(listCodes(warnings)).toContain('SCAN_THIN_WALLS!');
    expect(warnings.find(({ code }) => code === 'SCAN_THIN_WALLS')?.message).toMatch(/may be missing/);
  });
});
