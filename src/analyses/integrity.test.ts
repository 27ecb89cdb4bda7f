import { beforeAll, describe, expect, it } from 'vitest';
import { joinBytes } from '#formats/bytes/join-bytes.ts';
import { readGlb } from '#formats/glb/read-glb.ts';
import type { Vector3, Volume } from '#kernels/grid/volume.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import { inlinePool } from '#kernels/pool.ts';
import type { WasmModule } from '#kernels/simd/webassembly.ts';
import { blurVolume } from '#kernels/testing/blur.ts';
import { box, hollowCylinder, movedBody, type Pore, scatterPores, sphere } from '#kernels/testing/bodies.ts';
import { addNoise, blockWith, carve, poreBodies } from '#kernels/testing/carve.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import type { VolumeInput } from './analysis.ts';
import {
  ballVolume,
  between,
  crackErrors,
  poreErrors,
  runIntegrity,
  scatterDiscs,
  trueShare,
} from './testing/integrity-run.ts';
import { crackClasses, poreClasses } from './testing/integrity-sections.ts';
import { makeInput } from './testing/scan-run.ts';

let kernels: WasmModule;
beforeAll(async () => {
  kernels = await kernelModule();
});

/** A twentieth of the contrast. */
const noise = 1600;

const analyse = (volume: Volume | VolumeInput, parameters: object = {}, lanes = 1) =>
  runIntegrity(volume, inlinePool(kernels, lanes), parameters);

describe('intervals', () => {
  it('are omitted where a warning invalidates the number, and completely for a scan that could not be judged', async () => {
    const volume = renderBody(sphere(4), { dimensions: [32, 32, 32], voxelSizeMm: [1, 1, 1] });
    const { metadata, warnings } = await analyse(volume);
    const denied = warnings.filter(({ invalidates }) => invalidates).flatMap(({ measures }) => measures);
    expect(denied).toContain('porosity');
    expect(Object.keys(metadata.uncertainties ?? {})).toContain('cutPorosity');
    expect(metadata.uncertainties).not.toHaveProperty('porosity');
    const unjudged = await runIntegrity(volume, inlinePool(kernels), {}, 'unjudged');
    expect(unjudged.metadata.uncertainties).toEqual({});
  });
});

describe('pores', () => {
  for (const { radii, count, bound } of poreClasses) {
    it(`of ${radii[0]} to ${radii[1]} voxels radius are all found, none invented, volume within ${bound} %`, async () => {
      const blockMm: Vector3 = [83.6, 82.3, 84.7];
      const pores = scatterPores(blockMm, count, radii, 11 + radii[0]);
      const volume = blockWith(poreBodies(pores), {
        dimensions: [96, 96, 96],
        blockMm,
        noise,
        seed: radii[1],
      });
      const { defects, metadata } = await analyse(volume);
      expect(pores.length).toBe(count);
      expect(defects.length).toBe(count);
      const errors = poreErrors(defects, pores);
      expect(errors.missed).toBe(0);
      expect(errors.volume * 100).toBeLessThan(bound);
      expect(errors.position).toBeLessThan(0.1);
      expect(errors.diameter).toBeLessThan(0.4);
      expect(errors.sphericity).toBeGreaterThan(0.9);
      expect(Math.min(...defects.map(({ probability }) => probability))).toBeGreaterThan(0.95);
      const truth = trueShare(pores, blockMm);
      expect(Math.abs((metadata['porosity'] as number) - truth) * 100).toBeLessThan(0.02);
      const { porosity, closedPorosity } = metadata.uncertainties ?? {};
      expect(Math.abs(metadata.porosity - truth)).toBeLessThanOrEqual(porosity?.expanded ?? 0);
      expect(closedPorosity).toEqual(porosity);
      expect(defects.every((defect) => !defect.surfaceConnected)).toBe(true);
    });
  }

  it('have their true distance from the outer surface', async () => {
    const pores: Pore[] = [
      { centerMm: [0, 0, 0], radiusMm: 5 },
      { centerMm: [0.3, 10, 12.2], radiusMm: 3 },
    ];
    const volume = blockWith(poreBodies(pores), { dimensions: [52, 50, 48], blockMm: [40, 40, 36] });
    const { defects } = await analyse(volume);
    expect(defects.map((defect) => defect.distanceToSurfaceMm)).toEqual([
      expect.closeTo(13, 0),
      expect.closeTo(18 - 15.2, 0),
    ]);
    const [along] = defects.map((defect) => defect.projectedAreasMm2);
    for (const area of along) expect(Math.abs(area / (Math.PI * 25) - 1)).toBeLessThan(0.1);
  });

  it('are the same with anisotropic voxels, in mm of the scan', async () => {
    const pores: Pore[] = [{ centerMm: [0.21, -0.13, 0.32], radiusMm: 1 }];
    const volume = blockWith(poreBodies(pores), {
      dimensions: [70, 40, 30],
      voxelSizeMm: [0.1, 0.2, 0.25],
      blockMm: [5.5, 6, 5.6],
      noise,
    });
    const { defects } = await analyse(volume);
    expect(defects.length).toBe(1);
    expect(defects[0].volumeMm3 / ballVolume(1)).toBeCloseTo(1, 1);
    expect(between(defects[0].centerMm, pores[0].centerMm)).toBeLessThan(0.02);
    expect(Math.abs(defects[0].enclosingDiameterMm - 2)).toBeLessThan(0.1);
    expect(defects[0].distanceToSurfaceMm).toBeCloseTo(2.75 - 1.21, 0);
  });

  it('yield the same bytes for any slab size and number of threads', async () => {
    const pores = scatterPores([50, 50, 50], 20, [1.5, 5], 3);
    const holes = [...poreBodies(pores), movedBody(sphere(4), [0, 0, 26])];
    const volume = blockWith(holes, { dimensions: [60, 60, 60], blockMm: [52, 52, 52], noise });
    const input = await makeInput(volume, inlinePool(kernels));
    const [one, many] = [await analyse(input), await analyse(input, {}, 3)];
    expect(many.files.map(({ parts }) => joinBytes(parts))).toEqual(
      one.files.map(({ parts }) => joinBytes(parts)),
    );
    expect(many.metadata).toEqual(one.metadata);
  });
});

describe('voids at the surface', () => {
  const dimensions: Vector3 = [56, 56, 56];
  const blockMm: Vector3 = [44.4, 44.4, 44.4];

  it('are distinguished from closed ones, and omitted on request', async () => {
    // A ball of radius 5 that breaks through the top with an opening of 3.2 radius, and one that is closed.
    const holes = [movedBody(sphere(5), [0, 0, 22.2 - 3.85]), movedBody(sphere(4), [0, 0, -8])];
    const volume = blockWith(holes, { dimensions, blockMm, noise });
    const { defects, metadata } = await analyse(volume);
    expect(defects.map((defect) => defect.surfaceConnected)).toEqual([true, false]);
    expect(defects[0].distanceToSurfaceMm).toBe(0);
    // Up to the lid that the ball forms, which sinks in a little.
    expect(defects[0].volumeMm3).toBeGreaterThan(0.8 * ballVolume(5));
    expect(defects[0].volumeMm3).toBeLessThan(1.02 * ballVolume(5));
    expect(metadata['surfaceConnectedCount']).toBe(1);
    const closedOnly = await analyse(volume, { includeSurfaceConnected: false });
    expect(closedOnly.defects.length).toBe(1);
    expect(closedOnly.defects[0].volumeMm3).toBeCloseTo(defects[1].volumeMm3, 9);
  });

  it('do not include inner edges and corners, or wide pockets', async () => {
    // Open at two sides: three inner edges that meet in corners.
    const holes = [movedBody(box([24, 24, 24]), [12, 3, 14])];
    const { defects } = await analyse(blockWith(holes, { dimensions, blockMm, noise }));
    expect(defects).toEqual([]);
  });
});

describe('voids cut by the border of the scan', () => {
  const dimensions: Vector3 = [56, 56, 56];
  /** Half of a ball at the upper end of x, a third at the lower end of y, a whole one, and a channel along z. */
  const pores: Pore[] = [
    { centerMm: [0, 0, 0], radiusMm: 4 },
    { centerMm: [28, 0, 0], radiusMm: 6 },
    { centerMm: [0, -29.5, 8], radiusMm: 4.5 },
  ];
  const channel = movedBody(hollowCylinder(3, 0, 100), [15, 15, 0]);
  const cap = (radius: number, height: number) => (Math.PI * height ** 2 * (3 * radius - height)) / 3;
  const volumes = [Math.PI * 9 * 56, ballVolume(6) / 2, ballVolume(4), cap(4.5, 3)];

  it('are counted with their visible part under a separate heading, or excluded, by the chosen rule', async () => {
    const holes = [...poreBodies(pores), channel];
    const block = blockWith(holes, { dimensions, blockMm: [80, 80, 80], noise });
    const volume = await makeInput(block, inlinePool(kernels));
    const { defects, metadata, warnings, csv } = await analyse(volume);
    expect(defects.map(({ cutAt }) => cutAt)).toEqual(['z- z+', 'x+', null, 'y-']);
    for (const [i, { volumeMm3 }] of defects.entries())
      expect(Math.abs(volumeMm3 / volumes[i] - 1)).toBeLessThan(0.04);
    const whole = 56 ** 3;
    const sum = volumes.reduce((total, each) => total + each);
    // The lid of the ball sinks into the channel's ends.
    expect(Math.abs(metadata.porosity / (sum / whole) - 1)).toBeLessThan(0.03);
    expect(metadata).toMatchObject({
      cutCount: 3,
      openPorosity: 0,
      cutSides: expect.arrayContaining(['x-']),
    });
    const closed = defects[2].volumeMm3 / whole;
    expect(Math.abs((metadata.closedPorosity ?? 0) / closed - 1)).toBeLessThan(0.01);
    expect((metadata.closedPorosity ?? 0) + (metadata.cutPorosity ?? 0)).toBeCloseTo(metadata.porosity, 12);
    expect(warnings).toMatchObject([
      { code: 'SCAN_CUT', invalidates: true, measures: expect.arrayContaining(['defectCount']) },
      { code: 'SCAN_CUT', invalidates: true, measures: expect.arrayContaining(['porosity']) },
      // The channel has one width from end to end, as a bore has.
      { code: 'GAPS_COUNTED', invalidates: true, measures: expect.arrayContaining(['porosity']) },
    ]);
    expect(csv.split('\r\n')[1]).toMatch(/,z- z\+,/);
    const lower = await analyse(volume, { borderDefects: 'lowerSides' });
    expect(lower.defects.map(({ cutAt }) => cutAt)).toEqual([null, 'y-']);
    const none = await analyse(volume, { borderDefects: 'exclude' });
    expect(none.defects.map(({ cutAt }) => cutAt)).toEqual([null]);
    expect(none.metadata.materialVolumeMm3).toBeCloseTo(metadata.materialVolumeMm3, 3);
  });

  it('do not include the air outside, or a bore or cup that continues beyond the border', async () => {
    // A block that reaches out of the scan at z−, with a blind bore that does so too and a wide one all along x.
    const holes = [
      movedBody(box([20, 20, 40]), [8, 8, -40]),
      movedBody(hollowCylinder(8, 0, 90), [-14, -14, 0]),
    ];
    const volume = blockWith(holes, { dimensions: [64, 64, 40], blockMm: [60, 60, 70], noise });
    const { defects, metadata } = await analyse(volume);
    expect(defects).toEqual([]);
    expect(metadata.cutSides).toEqual(['z-', 'z+']);
  });
});

describe('inclusions', () => {
  it('are found above the second peak or a given grey value, and are not voids', async () => {
    const volume = blockWith([movedBody(sphere(4), [-9, 0, 0])], {
      dimensions: [56, 50, 50],
      blockMm: [44, 40, 40],
    });
    const balls = [movedBody(sphere(6), [9, 2, 1])];
    carve(volume, balls, 60000);
    addNoise(volume, noise, 9);
    const { defects, metadata, algorithms } = await analyse(volume, { kinds: ['porosity', 'inclusion'] });
    expect(defects.map((defect) => defect.kind)).toEqual(['inclusion', 'porosity']);
    expect(defects[0].volumeMm3 / ballVolume(6)).toBeCloseTo(1, 1);
    expect(between(defects[0].centerMm, [9, 2, 1])).toBeLessThan(0.1);
    expect(metadata['inclusionThreshold']).toBeCloseTo(50000, -3);
    expect(algorithms).toHaveProperty('inclusions');
    expect(algorithms).toHaveProperty('surfaceLevel');
    expect(algorithms).not.toHaveProperty('localLevels');
    const given = await analyse(volume, { kinds: ['inclusion'], inclusionAbove: 52000 });
    expect(given.defects.length).toBe(1);
    expect(given.warnings.map(({ code }) => code)).not.toContain('INCLUSIONS_FAINT');
    const sound = blockWith([], { dimensions: [30, 30, 30], blockMm: [20, 20, 20], noise });
    for (const inclusionAbove of [35000, 40100]) {
      const { warnings, metadata } = await analyse(sound, { kinds: ['inclusion'], inclusionAbove });
      expect(metadata['inclusionVolumeMm3']).toBeGreaterThan(100);
      const [warning] = warnings.filter(({ code }) => code === 'INCLUSIONS_FAINT');
      expect(warning).toMatchObject({ invalidates: true });
      const right = Number(
        /Set it to ([\d\s,.]+) or more/.exec(warning?.message ?? '')?.[1]?.replace(/\D/g, ''),
      );
      const raised = await analyse(sound, { kinds: ['inclusion'], inclusionAbove: right });
      expect(raised.defects).toEqual([]);
      expect(raised.warnings.map(({ code }) => code)).not.toContain('INCLUSIONS_FAINT');
    }
    const without = await analyse(sound, { kinds: ['inclusion'] });
    expect(without.defects).toEqual([]);
    expect(without.warnings.map(({ code }) => code)).toContain('INCLUSIONS_FAINT');
  });

  for (const [name, body] of [
    ['ball', sphere(12)],
    ['cylinder', hollowCylinder(12, 0, 20)],
    ['box', box([24, 18, 21])],
  ] as const) {
    it(`are not found in a blurred ${name} that has none`, async () => {
      const volume = renderBody(body, { dimensions: [32, 32, 32], voxelSizeMm: [1, 1, 1] });
      blurVolume(volume, 1.2);
      addNoise(volume, noise, 3);
      expect((await analyse(volume, { kinds: ['inclusion'] })).defects).toEqual([]);
    });
  }
});

describe('cracks', () => {
  for (const { openingMm, found, area } of crackClasses) {
    it(`of ${openingMm} voxels opening are found at contrast/noise 10, area within ${area} %`, async () => {
      const discs = scatterDiscs(27, openingMm, 21);
      const volume = blockWith(
        discs.map(({ body }) => body),
        { dimensions: [108, 108, 108], blockMm: [98, 98, 98], noise: 3200, seed: 4 },
      );
      const { defects } = await analyse(volume, { kinds: ['crack'] });
      const errors = crackErrors(defects, discs, openingMm);
      expect(100 * errors.foundShare).toBeGreaterThanOrEqual(found);
      expect(errors.invented).toBe(0);
      expect(errors.area * 100).toBeLessThan(area);
      expect(Math.abs(errors.opening)).toBeLessThan(0.15);
    });
  }

  it('are not detected in pores, edges and noise', async () => {
    const pores = scatterPores([50, 50, 50], 12, [2, 7], 5);
    const holes = [...poreBodies(pores), movedBody(box([20, 20, 20]), [26, 3, 20])];
    const volume = blockWith(holes, { dimensions: [64, 64, 64], blockMm: [54, 54, 54], noise: 3200 });
    const { defects } = await analyse(volume, { kinds: ['crack'] });
    expect(defects).toEqual([]);
  });
});

describe('the integrity analysis', () => {
  it('writes one table as JSON and CSV, and surfaces that carry the volume of their defect', async () => {
    const pores = scatterPores([30, 30, 30], 4, [2, 4], 8);
    const volume = blockWith(poreBodies(pores), { dimensions: [40, 40, 40], blockMm: [30, 30, 30], noise });
    const { defects, csv, files, stages } = await analyse(volume);
    const [header, ...rows] = csv.trim().split('\r\n');
    expect(rows.length).toBe(defects.length);
    expect(rows[0].split(',').length).toBe(header.split(',').length);
    expect(rows.map((row) => Number(row.split(',')[0]))).toEqual(defects.map(({ id }) => id));
    const glb = readGlb(joinBytes(files.find(({ fileName }) => fileName === 'defects.glb')?.parts ?? []));
    const volumes = new Set([...(glb.scalars?.['volumeMm3'] ?? [])].map((v) => v.toPrecision(5)));
    expect([...volumes].sort()).toEqual(defects.map((d) => Math.fround(d.volumeMm3).toPrecision(5)).sort());
    expect(stages.size).toBeGreaterThan(3);
  });

  it('respects the requested region and sizes', async () => {
    const pores: Pore[] = [
      { centerMm: [-12, 0, 0], radiusMm: 4 },
      { centerMm: [12, 0, 0], radiusMm: 3 },
      { centerMm: [0, 10, 0], radiusMm: 2 },
    ];
    const input = await makeInput(
      blockWith(poreBodies(pores), { dimensions: [54, 40, 40], blockMm: [44, 34, 34], noise }),
      inlinePool(kernels),
    );
    const half = await analyse(input, { region: { min: [3, -30, -30], max: [30, 30, 30] } });
    expect(half.defects.map((d) => Math.round(d.centerMm[0]))).toEqual([12]);
    const sized = await analyse(input, { minDefectSizeMm: 5, maxDefectSizeMm: 7 });
    expect(sized.defects.map((d) => Math.round(d.equivalentDiameterMm))).toEqual([6]);
    expect((await analyse(input, { minVoxels: 100 })).defects.length).toBe(2);
  });

  it('flags defects smaller than three voxels across', async () => {
    const pores: Pore[] = [
      { centerMm: [-6, 0, 0], radiusMm: 1.3 },
      { centerMm: [6, 0, 0], radiusMm: 2.5 },
    ];
    const { defects, metadata } = await analyse(
      blockWith(poreBodies(pores), { dimensions: [32, 28, 28], blockMm: [24, 20, 20] }),
    );
    expect(defects.map((d) => d.belowDetectionLimit)).toEqual([false, true]);
    expect(metadata).toMatchObject({ detectionLimitMm: 3, belowDetectionLimitCount: 1 });
  });

  it('reports a volume with a single grey value, and a region without material', async () => {
    const flat = blockWith([], { dimensions: [12, 12, 12], blockMm: [40, 40, 40] });
    await expect(analyse(flat)).rejects.toThrow(KernelError);
    const volume = blockWith([], { dimensions: [32, 24, 24], blockMm: [10, 10, 10], noise });
    await expect(analyse(volume, { region: { min: [9, -9, -9], max: [14, 9, 9] } })).rejects.toThrow(
      /no voxel of the region lies above/,
    );
  });
});
