import { beforeAll, describe, expect, it } from 'vitest';
import { judgeResult } from '#contract/analyses/gates.ts';
import type { KernelPool } from '#kernels/arena.ts';
import { inlinePool } from '#kernels/pool.ts';
import { makeScan } from '#kernels/testing/accuracy/scans.ts';
import { box, movedBody, sphere } from '#kernels/testing/bodies.ts';
import { without } from '#kernels/testing/families/flawed-parts.ts';
import { emptyVolume, renderPart } from '#kernels/testing/families/render-part.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import type { VolumeInput } from './analysis.ts';
import { renderScan } from './testing/families/reconstruct-case.ts';
import { makeInput, runOnScan } from './testing/scan-run.ts';

let pool: KernelPool;
let scan: VolumeInput;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
  const block = box([3, 2.6, 1.2]);
  scan = await makeInput(makeScan(block, { pose: 'along the axes', voxels: 'cubic', greys: 'blur' }), pool);
});

const gate = {
  ...({ key: 'porosity', measure: 'integrity.porosity', comparison: '<=', unit: '' } as const),
  guardBand: null,
};

/** Halves the block across x; its last cells end at zero. */
const region = { min: [-9, -9, -9], max: [0, 9, 9] };
/** Length of that half: the block lies 0.013 mm off the middle. */
const length = 1.487;

describe('a part cut by a region', () => {
  it('uses the level of the whole scan, excludes the area of the cut, and states where it is', async () => {
    const run = (parameters: object) => runOnScan('createMesh', parameters, scan, { pool });
    const [whole, half] = [await run({}), await run({ region })];
    const { metadata } = half.dataObjects[0];
    expect(metadata.isoValue).toBe(whole.dataObjects[0].metadata.isoValue);
    expect(metadata.closedAt).toEqual(['x+']);
    expect(Math.abs((metadata.closedAreaMm2 ?? 0) / (2.6 * 1.2) - 1)).toBeLessThan(0.1);
    const area = 2 * length * (2.6 + 1.2) + 2.6 * 1.2;
    expect(Math.abs(metadata.areaMm2 / area - 1)).toBeLessThan(0.04);
    expect(half.warnings).toMatchObject([
      { code: 'SCAN_CUT', message: expect.stringMatching(/at x\+ by the region/) },
    ]);
    expect(half.warnings[0]?.invalidates).toBeUndefined();
    expect(whole.warnings).toEqual([]);
    expect(whole.dataObjects[0].metadata.closedAt).toBeUndefined();
    const simplified = await run({ region, targetTriangles: 2000 });
    expect(simplified.dataObjects[0].metadata.closedAt).toEqual(['x+']);
    expect(Math.abs(simplified.dataObjects[0].metadata.areaMm2 / metadata.areaMm2 - 1)).toBeLessThan(0.02);
  });

  it('ends exactly where the last voxels of the region do', async () => {
    const measure = async (box: object) => {
      const run = await runOnScan('createMesh', { region: box }, scan, { pool });
      return run.dataObjects[0].metadata;
    };
    const half = await measure(region);
    expect(Math.abs((half.volumeMm3 ?? 0) / (length * 2.6 * 1.2) - 1)).toBeLessThan(0.004);
    expect(Math.abs((half.closedAreaMm2 ?? 0) / (2.6 * 1.2) - 1)).toBeLessThan(0.01);
    const inner = await measure({ min: [-0.51, -0.41, -0.31], max: [0.49, 0.39, 0.29] });
    const { from, to } = inner.regionCells;
    const cells = [0, 1, 2].map((k) => to[k] - from[k]);
    expect(inner.volumeMm3).toBeCloseTo(cells[0] * cells[1] * cells[2] * 0.001, 5);
    expect(inner.areaMm2).toBeCloseTo(0, 5);
  });

  it('has no wall at the cut', async () => {
    const { dataObjects } = await runOnScan('runWallThickness', { region, method: 'ray' }, scan, { pool });
    const { metadata } = dataObjects[0];
    // Of the cut face every ray would be as long as the half block.
    expect(metadata.notMeasured).toBeGreaterThan(200);
    const away = runOnScan('runWallThickness', { method: 'ray' }, scan, { pool });
    expect((await away).dataObjects[0].metadata.notMeasured).toBeLessThan(50);
  });

  it('has no known volume if the end of the scan cuts it', async () => {
    const { dimensions, data, ...rest } = makeScan(box([3, 2.6, 1.2]), {
      ...({ pose: 'along the axes', voxels: 'cubic', greys: 'blur' } as const),
    });
    const planes = Math.floor(dimensions[2] / 2);
    const cut = { ...rest, dimensions: [dimensions[0], dimensions[1], planes] as [number, number, number] };
    const volume = { ...cut, data: data.slice(0, dimensions[0] * dimensions[1] * planes) };
    const { warnings } = await runOnScan('createMesh', {}, await makeInput(volume, pool), { pool });
    expect(warnings).toMatchObject([{ code: 'SCAN_CUT', invalidates: true }]);
    expect(warnings[0]?.message).toMatch(/at z\+ by the end of the scan/);
  });

  it('has a judged porosity if a region was selected, but not if the scan misses the rest of the part', async () => {
    const pore = movedBody(sphere(0.3), [0.2, 0.1, -0.3]);
    const body = without(box([3, 2.6, 6]), [pore]);
    const { dimensions, data, ...rest } = makeScan(body, {
      ...({ pose: 'along the axes', voxels: 'cubic', greys: 'blur' } as const),
    });
    const planes = Math.floor(0.7 * dimensions[2]);
    const cells: [number, number, number] = [dimensions[0], dimensions[1], planes];
    const cut = { ...rest, dimensions: cells, data: data.slice(0, dimensions[0] * dimensions[1] * planes) };
    const input = await makeInput(cut, pool);
    const judgePorosity = async (parameters: object) => {
      const { dataObjects, warnings } = await runOnScan('runIntegrityAnalysis', parameters, input, { pool });
      const { porosity, uncertainties } = dataObjects[0].metadata;
      const { expanded } = uncertainties?.porosity ?? { expanded: null };
      expect(expanded).not.toBeNull();
      const found = { warnings, uncertainty: expanded, isCount: false };
      return judgeResult({ ...gate, limit: 2 * porosity }, porosity, found);
    };
    expect(await judgePorosity({})).toMatchObject({
      verdict: 'indeterminate',
      reason: expect.stringMatching(/continues beyond the scan at z\+.*That of the whole part is not known/),
    });
    const top = cut.originMm[2] + (planes - 3) * cut.voxelSizeMm[2];
    const within = { min: [-9, -9, -9], max: [9, 9, top] };
    expect(await judgePorosity({ region: within })).toMatchObject({ verdict: 'pass', reason: null });
    // Its corner lies in the pore, of which an eighth counts as outside.
    const corner = { min: [0.2, 0.1, -0.3], max: [9, 9, top] };
    const { dataObjects, warnings } = await runOnScan('runIntegrityAnalysis', { region: corner }, input, {
      pool,
    });
    const { porosity, uncertainties } = dataObjects[0].metadata;
    expect(uncertainties).not.toHaveProperty('porosity');
    const found = { warnings, uncertainty: null, isCount: false };
    expect(judgeResult({ ...gate, limit: porosity + 0.01 }, porosity, found)).toMatchObject({
      verdict: 'indeterminate',
      reason: expect.stringMatching(/count as outside/),
    });
  });
});

it('is cut by voxels without a value within a region, and not by those outside of it', async () => {
  const part = { body: box([21.3, 19.7, 20.6]), edgesMm: 0, pores: [], phases: [] };
  const rendered = renderPart(part, [36, 36, 36], [1, 1, 1], 0.6);
  const data = Float32Array.from(rendered.heights);
  for (let i = 0; i < data.length; i++) {
    const [x, y, z] = [i % 36, Math.floor(i / 36) % 36, Math.floor(i / 36 ** 2)];
    if (Math.hypot(x - 21, y - 18, z - 18) < 4.5) data[i] = Number.NaN;
  }
  const { input, quality } = await renderScan({ ...emptyVolume(rendered), dataType: 'float32', data }, pool);
  const measure = async (region: object) => {
    const context = { pool, quality: async () => quality };
    const { dataObjects, warnings } = await runOnScan('createMesh', { region }, input, context);
    const isRefused = warnings.some(({ code, invalidates }) => code === 'SCAN_CUT' && invalidates);
    return { isRefused, uncertainty: dataObjects[0].metadata.uncertainties?.['volumeMm3'] };
  };
  const wide = { min: [-16, -16, -16], max: [16, 16, 16] };
  expect(await measure(wide)).toEqual({ isRefused: true, uncertainty: undefined });
  // The region itself cuts the part, too.
  expect(await measure({ ...wide, min: [-4, -16, -16] })).toMatchObject({ isRefused: true });
  expect(await measure({ ...wide, max: [-3, 16, 16] })).toMatchObject({ isRefused: false });
});
