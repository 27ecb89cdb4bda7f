import { beforeAll, describe, expect, it } from 'vitest';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import type { KernelPool } from '#kernels/arena.ts';
import type { Volume } from '#kernels/grid/volume.ts';
import { measureMesh } from '#kernels/mesh/measure.ts';
import { inlinePool } from '#kernels/pool.ts';
import { judgeScan } from '#kernels/quality/judge-scan.ts';
import { accuracyNoise, bodyFrame, makeScan } from '#kernels/testing/accuracy/scans.ts';
import { type Body, box, movedBody, sphere } from '#kernels/testing/bodies.ts';
import { addNoise, carve, partGrey } from '#kernels/testing/carve.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { partSurface } from './part-surface.ts';
import { runIntegrity } from './testing/integrity-run.ts';
import { noData } from './testing/no-data.ts';
import { makeInput, runOnScan } from './testing/scan-run.ts';

let one: KernelPool;
let three: KernelPool;
beforeAll(async () => {
  const module = await kernelModule();
  [one, three] = [inlinePool(module), inlinePool(module, 3)];
});

const contrast = partGrey.material - partGrey.air;
const local = { surface: { mode: 'local' } };

/** `height`: grey value of material above air; `ramp`: added to all grey values; as shares of the contrast. Positions from −1 to 1. */
interface Shading {
  height?: (x: number, y: number, z: number) => number;
  ramp?: (x: number, y: number, z: number) => number;
}
/** Beam hardening: the middle of a part comes out darker than its outside. */
const cupping = (share: number): Shading => ({
  height: (x, y) => 1 - share * Math.max(0, 1 - 1.6 * (x * x + y * y)),
});
const ramp = (share: number): Shading => ({ ramp: (x) => (share * (x + 1)) / 2 });

/** A scan without noise, shaded, then with noise of 5 % of the contrast. */
function shadedScan(body: Body, { height = () => 1, ramp = () => 0 }: Shading, pores: Body[] = []): Volume {
  const volume = makeScan(body, { pose: 'along the axes', voxels: 'cubic', greys: 'blur' }, 8);
  carve(volume, pores, partGrey.air);
  const [nx, ny, nz] = volume.dimensions;
  const place = (i: number, n: number) => (2 * i) / (n - 1) - 1;
  for (let i = 0; i < volume.data.length; i++) {
    const at = [
      place(i % nx, nx),
      place(Math.floor(i / nx) % ny, ny),
      place(Math.floor(i / (nx * ny)), nz),
    ] as const;
    const above = (volume.data[i] - partGrey.air) * height(...at);
    volume.data[i] = Math.round((partGrey.air + above + contrast * ramp(...at)) * 0.6);
  }
  addNoise(volume, 0.6 * accuracyNoise, 1);
  return volume;
}

/** Of a scan that its judge has found uneven. */
const quality: ScanQuality = {
  ...{ hasContrast: true, contrastToNoise: 20, airGrey: 4800, materials: [{ grey: 24_000, share: 1 }] },
  ...{ blurVoxels: 0.6, unevenness: 0.3, gradient: 0, rings: 0, border: [], thinnestWallVoxels: null },
  ...{ thinShare: 0, saturatedShare: 0, lostSlices: 0 },
};
const uneven = (pool: KernelPool) => ({ pool, quality: async () => quality });

async function volumeError(volume: Volume, body: Body, parameters: object, pool = one) {
  const { dataObjects } = await runOnScan(
    'createMesh',
    parameters,
    await makeInput(volume, pool),
    uneven(pool),
  );
  return (dataObjects[0].metadata.volumeMm3 as number) / body.volumeMm3 - 1;
}

describe('a surface at local levels', () => {
  const ball = sphere(2);
  const block = box([4.03, 3.47, 3.91]);

  it.each([
    { name: 'a ball under cupping of 35 %', body: ball, shading: cupping(0.35), within: 0.004 },
    { name: 'a block under cupping of 35 %', body: block, shading: cupping(0.35), within: 0.004 },
    { name: 'a block on a ramp of the whole contrast', body: block, shading: ramp(1), within: 0.002 },
    { name: 'a ball on a ramp of the whole contrast', body: ball, shading: ramp(1), within: 0.002 },
  ])('gives the volume of $name', async ({ body, shading, within }) => {
    const volume = shadedScan(body, shading);
    expect(Math.abs(await volumeError(volume, body, local))).toBeLessThan(within);
  });

  it('leaves an even scan unchanged', async () => {
    const volume = shadedScan(ball, {});
    const before = await volumeError(volume, ball, { surface: { mode: 'iso50' } });
    expect(Math.abs((await volumeError(volume, ball, local)) - before)).toBeLessThan(0.0002);
  });

  it('states its position in grey values of the scan, and how much the levels differ', async () => {
    const scan = await makeInput(shadedScan(block, cupping(0.35)), one);
    const { dataObjects, algorithms } = await runOnScan('createMesh', local, scan, uneven(one));
    const { metadata } = dataObjects[0];
    expect(metadata.surfaceMode).toBe('local');
    expect(algorithms).toHaveProperty('localLevels');
    const { airGray, materialGray, localShare, contrastSpread } = metadata.localLevels as Record<
      'airGray' | 'materialGray' | 'localShare' | 'contrastSpread',
      number
    >;
    expect(Math.abs(airGray / (0.6 * partGrey.air) - 1)).toBeLessThan(0.02);
    expect(metadata.isoValue).toBeCloseTo((airGray + materialGray) / 2, 6);
    expect(localShare).toBeGreaterThan(0.99);
    expect(contrastSpread).toBeGreaterThan(0.15);
    expect(contrastSpread).toBeLessThan(0.5);
  });

  it('yields equal bytes for any number of threads', async () => {
    const volume = shadedScan(ball, cupping(0.35));
    const bytesWith = async (pool: KernelPool) => {
      const parameters = { ...local, formats: ['stl'] };
      const { dataObjects } = await runOnScan(
        'createMesh',
        parameters,
        await makeInput(volume, pool),
        uneven(pool),
      );
      return dataObjects[0].files.map(({ parts }) => Buffer.concat(parts).toString('base64'));
    };
    expect(await bytesWith(three)).toEqual(await bytesWith(one));
  });

  describe('where local levels were not requested', () => {
    const judged = (found: Partial<ScanQuality>) => ({
      pool: one,
      quality: async () => ({ ...quality, ...found }),
    });

    it('is used for a scan with cupping, which then no longer invalidates its numbers', async () => {
      const scan = await makeInput(shadedScan(block, cupping(0.35)), one);
      const { dataObjects, warnings } = await runOnScan('createMesh', {}, scan, judged({}));
      const { metadata } = dataObjects[0];
      expect(metadata.surfaceMode).toBe('local');
      expect(Math.abs((metadata.volumeMm3 ?? 0) / block.volumeMm3 - 1)).toBeLessThan(0.004);
      expect(warnings).toMatchObject([
        { code: 'SCAN_UNEVEN', message: expect.stringMatching(/Local levels compensate this/) },
      ]);
      expect(warnings[0]?.invalidates).toBeUndefined();
      const asked = await runOnScan('createMesh', { surface: { mode: 'iso50' } }, scan, judged({}));
      expect(asked.dataObjects[0].metadata.surfaceMode).toBe('iso50');
      expect(asked.warnings).toMatchObject([{ code: 'SCAN_UNEVEN', invalidates: true }]);
    });

    it('has a single level on an even scan, and states so', async () => {
      const scan = await makeInput(shadedScan(ball, {}), one);
      const { dataObjects, algorithms } = await runOnScan(
        'createMesh',
        {},
        scan,
        judged({ unevenness: 0.02 }),
      );
      const { metadata } = dataObjects[0];
      expect(metadata).toMatchObject({ surfaceMode: 'local', oneLevel: 'even' });
      expect(metadata.localLevels).toBeUndefined();
      expect(algorithms).not.toHaveProperty('localLevels');
    });

    it('is used for a comparison with such a scan', async () => {
      const volume = await makeInput(shadedScan(block, cupping(0.35)), one);
      const findSurface = (found: Partial<ScanQuality>) => {
        const context = {
          ...noData,
          ...judged(found),
          doubts: [],
          judged: null,
          part: async () => ({ volume }),
        };
        const { signal } = new AbortController();
        const range = { from: 0, to: 1, stage: 'Scan' };
        return partSurface('scan', { ...context, signal, progress: () => undefined }, 'faired', range);
      };
      const [local, single] = [await findSurface({}), await findSurface({ unevenness: 0 })];
      expect(local.algorithms).toContain('localLevels');
      const measureError = ({ mesh }: typeof local) =>
        (measureMesh(mesh.positions, mesh.indices).volumeMm3 ?? 0) / block.volumeMm3 - 1;
      expect(Math.abs(measureError(local))).toBeLessThan(0.007);
      expect(Math.abs(measureError(single))).toBeGreaterThan(0.01);
    });
  });

  it('is used for wall thickness', async () => {
    const plate = box([4.4, 4.6, 1.2]);
    const scan = await makeInput(shadedScan(plate, ramp(1)), one);
    const { dataObjects } = await runOnScan(
      'runWallThickness',
      { ...local, method: 'ray' },
      scan,
      uneven(one),
    );
    const { percentilesMm, localLevels } = dataObjects[0].metadata;
    expect(localLevels).toBeDefined();
    expect(Math.abs((percentilesMm as { p50: number }).p50 - 1.2)).toBeLessThan(0.02);
  });

  it.each([
    { name: 'cupping of 35 %, in the middle', shading: cupping(0.35), center: [0, 0, 0] as const },
    { name: 'a ramp of 50 %, a mm below the surface', shading: ramp(0.5), center: [-0.6, 0.2, 0.1] as const },
  ])('measures a pore under $name', async ({ shading, center }) => {
    const pore = sphere(0.4);
    const { point } = bodyFrame('along the axes');
    const shift = point([0, 0, 0]).map((n) => -n);
    const places = center.map((n, k) => n + shift[k]) as [number, number, number];
    const volume = shadedScan(block, shading, [movedBody(pore, places)]);
    const input = await makeInput(volume, one);
    const quality = await judgeScan(input);
    const { defects } = await runIntegrity(input, one, {}, quality);
    expect(defects).toHaveLength(1);
    expect(Math.abs(defects[0].volumeMm3 / pore.volumeMm3 - 1)).toBeLessThan(0.05);
  });
});
