import { beforeAll, expect, it } from 'vitest';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import type { KernelPool } from '#kernels/arena.ts';
import { inlinePool } from '#kernels/pool.ts';
import { judgeScan } from '#kernels/quality/judge-scan.ts';
import { blurVolume } from '#kernels/testing/blur.ts';
import { sphere } from '#kernels/testing/bodies.ts';
import { fins, gyroid, porousPart, randomPart } from '#kernels/testing/families/bodies.ts';
import { type Impairments, impairPart } from '#kernels/testing/families/impair.ts';
import { renderPart } from '#kernels/testing/families/render-part.ts';
import { addGrain } from '#kernels/testing/impaired-scans.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { partSurface } from './part-surface.ts';
import { noData } from './testing/no-data.ts';
import { makeInput, runOnJudgedScan, runOnScan, shareSurfaces } from './testing/scan-run.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

const cubic = { dimensions: [56, 56, 56], voxelSizeMm: [1.1, 1.1, 1.1] } as const;
const cases: { name: string; part: ReturnType<typeof fins>; impairments?: Impairments; isLong?: true }[] = [
  { name: 'a clean scan', part: randomPart(11) },
  { name: 'cupping of 35 %', part: randomPart(12), impairments: { cupping: 0.35 } },
  { name: 'a ramp of 50 %', part: porousPart(13), impairments: { ramp: 0.5 } },
  { name: 'contrast to noise of 3.5', part: porousPart(14), impairments: { contrastToNoise: 3.5 } },
  { name: 'voxels of 1:3', part: porousPart(15), isLong: true },
  { name: 'walls of three voxels', part: fins(3.3, 16) },
  { name: 'a gyroid of three voxels', part: gyroid(3.3, 26, 17) },
];

it.each(cases)(
  'mesh, wall thickness, comparison and integrity have one surface under $name',
  async (each) => {
    const { part, impairments, isLong } = each;
    const { dimensions, voxelSizeMm } = isLong
      ? ({ dimensions: [56, 56, 20], voxelSizeMm: [1.1, 1.1, 3.3] } as const)
      : cubic;
    const rendered = renderPart(part, [...dimensions], [...voxelSizeMm], 0.66);
    const input = await makeInput(impairPart(rendered, { contrastToNoise: 20, ...impairments }), pool);
    const judged = await judgeScan(input);
    const scan: ScanQuality | 'unjudged' = judged ?? 'unjudged';
    const { surface, determined } = shareSurfaces();
    const context = { pool, quality: async () => scan, surface };
    const made = await runOnScan('createMesh', {}, input, context);
    const looked = await runOnScan('runIntegrityAnalysis', {}, input, context);
    const alone = await runOnScan('runIntegrityAnalysis', {}, input, { pool, quality: async () => scan });
    const mesh = made.dataObjects[0].metadata;
    const integrity = looked.dataObjects[0].metadata;
    const walls = (await runOnScan('runWallThickness', {}, input, context)).dataObjects[0].metadata;
    const compared = await partSurface(
      'scan',
      {
        ...{ ...noData, ...context, part: async () => ({ volume: input }), doubts: [], judged: null },
        ...{ signal: new AbortController().signal, progress: () => undefined },
      },
      'raw',
      { from: 0, to: 1, stage: 'Scan' },
    );
    // Values measured with the mesh are reused, and equal those measured without it.
    expect(integrity.materialVolumeMm3).toBe(mesh.volumeMm3);
    expect({ ...alone, dataObjects: alone.dataObjects.map(({ metadata }) => metadata) }).toEqual({
      ...looked,
      dataObjects: looked.dataObjects.map(({ metadata }) => metadata),
    });
    expect(looked.algorithms).toMatchObject(made.algorithms);
    expect(integrity.thresholdMode).toBe(mesh.surfaceMode);
    expect(integrity.localLevels).toEqual(mesh.localLevels);
    expect(integrity.oneLevel).toBe(mesh.oneLevel);
    // The first analysis determined the surface for all of them.
    expect(determined.size).toBe(1);
    for (const level of [integrity.threshold, walls.isoValue, compared.isoValue])
      expect(level).toBeCloseTo(mesh.isoValue ?? Number.NaN, 6);
  },
);

it('measurements stored with the surface are reused for the whole scan if their algorithms are current', async () => {
  const rendered = renderPart(porousPart(5), [56, 56, 56], [1.1, 1.1, 1.1], 0.66);
  const input = await makeInput(impairPart(rendered, { contrastToNoise: 20 }), pool);
  const { surface, determined } = shareSurfaces();
  await runOnScan('createMesh', {}, input, { pool, surface });
  const [stored] = determined.values();
  const { part } = stored?.metadata ?? {};
  if (!stored || !part) throw new Error('the mesh has stored no measures');
  const integrityWith = async (change: Partial<typeof part>, parameters = {}) => {
    const metadata = { ...stored.metadata, part: { ...part, ...change } };
    const { dataObjects, warnings } = await runOnScan('runIntegrityAnalysis', parameters, input, {
      pool,
      surface: async () => ({ ...stored, metadata, keepPart: () => undefined }),
    });
    return { volumeMm3: dataObjects[0].metadata.materialVolumeMm3, codes: warnings.map(({ code }) => code) };
  };
  const changed = { volumeMm3: 2 * part.volumeMm3, closedAt: ['z+'], closedAreaMm2: 1 };
  const taken = await integrityWith(changed);
  expect(taken.volumeMm3).toBe(changed.volumeMm3);
  expect(taken.codes).toContain('SCAN_CUT');
  const measured = await integrityWith({ ...changed, algorithms: { ...part.algorithms, isosurface: '0' } });
  expect(measured.volumeMm3).toBe(part.volumeMm3);
  expect(measured.codes).not.toContain('SCAN_CUT');
  const region = { min: [-10, -10, -10], max: [10, 10, 10] };
  expect((await integrityWith(changed, { region })).volumeMm3).toBeLessThan(part.volumeMm3);
});

it('finds a part of a thousandth of the scan that has no peak in the histogram', async () => {
  const ball = sphere(7.3);
  const volume = renderBody(ball, {
    ...{ dimensions: [110, 110, 110], voxelSizeMm: [1, 1, 1], dataType: 'float32', material: 24_000 },
  });
  blurVolume(volume, 0.6);
  addGrain(volume, 800, 0, 5);
  const input = await makeInput(volume, pool);
  const judged = await judgeScan(input);
  const quality: ScanQuality | 'unjudged' = judged ?? 'unjudged';
  const context = { pool, quality: async () => quality };
  for (const kind of ['createMesh', 'runIntegrityAnalysis'] as const) {
    const { dataObjects, warnings } = await runOnScan(kind, {}, input, context);
    const metadata: object = dataObjects[0].metadata;
    const volumeMm3 = Reflect.get(metadata, 'volumeMm3') ?? Reflect.get(metadata, 'materialVolumeMm3');
    expect(Math.abs(Number(volumeMm3) / ball.volumeMm3 - 1)).toBeLessThan(0.01);
    expect(warnings.map(({ code }) => code)).not.toContain('SCAN_LEVEL');
  }
});

it('places ISO 50 midway between air and material if noise merges both into one peak', async () => {
  const part = porousPart(5);
  const rendered = renderPart(part, [56, 56, 56], [1.1, 1.1, 1.1], 0.66);
  const scan = impairPart(rendered, { contrastToNoise: 3 });
  const parameters = { surface: { mode: 'iso50' } };
  const { dataObjects, algorithms } = await runOnJudgedScan('createMesh', scan, pool, parameters);
  expect(Math.abs((dataObjects[0].metadata.volumeMm3 ?? 0) / rendered.volumeMm3 - 1)).toBeLessThan(0.01);
  expect(algorithms).toHaveProperty('medianFilter');
});
