import { beforeAll, describe, expect, it } from 'vitest';
import type { KernelPool } from '../arena.ts';
import { KernelError } from '../kernel-error.ts';
import { inlinePool, stoppedBy } from '../pool.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { anglesOver } from '../testing/radiographs.ts';
import {
  cone,
  fan,
  greyErrors,
  makeScan,
  parallel,
  type Reconstructed,
  reconstructed,
  scanCases,
  shifted,
} from '../testing/reconstructed.ts';
import { angleCover, plainDetector, type ScanGeometry } from './geometry.ts';
import type { Radiographs, ReconstructionOptions } from './plan.ts';

let pool: KernelPool;
let threePool: KernelPool;
beforeAll(async () => {
  const module = await kernelModule();
  pool = inlinePool(module);
  threePool = inlinePool(module, 3);
});

const made = async (radiographs: Radiographs, options: Partial<ReconstructionOptions> = {}, on = pool) => {
  const result = await reconstructed(radiographs, on, options);
  const [nx, ny, nz] = result.facts.grid.dimensions;
  expect(result.values.length).toBe(nx * ny * nz);
  return result;
};

/** Expects grey values within half a percent in the solid, and within the same amount in air. */
function expectGreys(result: Reconstructed): void {
  const { solid, core, air } = greyErrors(result);
  expect(Math.abs(solid)).toBeLessThan(0.005);
  expect(Math.abs(core)).toBeLessThan(0.005);
  expect(Math.abs(air)).toBeLessThan(0.005);
}

let sharp: Radiographs | undefined;
/** Line integrals of the cone beam, averaged over each pixel; computed once. */
const sharpCone = () => {
  sharp ??= makeScan(cone, { oversampling: 2 });
  return sharp;
};

describe('a reconstruction of analytic projections', () => {
  it.each(scanCases)(
    '$name: greys within 0.5 %, the centre within 0.1 pixel',
    async ({ geometry, centerColumn, by }) => {
      const result = await made(makeScan(geometry, { oversampling: 2 }));
      expect(result.facts.howFound).toBe(by);
      expect(Math.abs(result.facts.centerColumn - centerColumn)).toBeLessThan(0.1);
      expectGreys(result);
    },
  );

  it('finds the centre within 0.1 pixel in noise, for a full turn and a short scan', async () => {
    for (const geometry of [scanCases[0].geometry, scanCases[2].geometry]) {
      const { facts } = await made(makeScan(geometry, { noise: 0.03 }), { maxDimension: 16 });
      const off = Math.abs(
        facts.centerOfRotationMm - (scanCases[0].centerColumn - 47.5) * cone.pixelSizeMm[0],
      );
      expect(off).toBeLessThan(0.1 * cone.pixelSizeMm[0]);
      expect(facts.centerUncertaintyMm).toBeGreaterThan(off);
    }
  });

  it('uses the geometry if noise or truncation leaves the centre undetermined', async () => {
    // A part that leaves the field of view on one side.
    const beside = { ...cone, detector: shifted([-40, 0]) };
    for (const scan of [makeScan(cone, { noise: 10 }), makeScan(beside, {})]) {
      const { facts } = await made(scan, { maxDimension: 16 });
      expect(facts.howFound).toBe('geometry');
      expect(facts.centerUncertaintyMm).toBeNull();
      expect(facts.warnings.map(({ code }) => code)).toContain('CENTER_ASSUMED');
    }
  });

  it('keeps the axis of the given geometry, and warns if the radiographs differ', async () => {
    const scan = makeScan(cone, {});
    const detector = plainDetector(cone.sourceToAxisMm, cone.sourceToDetectorMm, { offsetMm: [6, 0] });
    const told = { ...scan, geometry: { ...scan.geometry, detector, isPoseGiven: true } };
    const { facts } = await made(told, { maxDimension: 16 });
    expect(facts.centerColumn).toBeCloseTo((cone.columns - 1) / 2 - 6 / cone.pixelSizeMm[0], 9);
    expect(facts.howFound).toBe('geometry');
    expect(facts.warnings.map(({ code }) => code)).toContain('CENTER_DIFFERS');
    const right = { ...scan, geometry: { ...scan.geometry, isPoseGiven: true } };
    const agreed = await made(right, { maxDimension: 16 });
    expect(agreed.facts.warnings.map(({ code }) => code)).not.toContain('CENTER_DIFFERS');
  });

  it('does not search for the axis in less than half a turn, where the sharpest slice is the one truncated most', async () => {
    for (const [like, rangeDeg] of [
      [fan, 90],
      [fan, 40],
      [cone, 120],
      [parallel, 100],
    ] as const) {
      const geometry = { ...like, anglesDeg: anglesOver(rangeDeg, 90) };
      const { facts } = await made(makeScan(geometry, {}), { maxDimension: 16 });
      expect(facts.howFound).toBe('geometry');
      expect(facts.warnings.find(({ code }) => code === 'CENTER_ASSUMED')?.message).toMatch(
        new RegExp(`cover ${rangeDeg}° only`),
      );
    }
  });

  it('gives the same for counts with flat and dark images, dead pixels and a hidden ring as for line integrals', async () => {
    const level = 50_000;
    const plain = makeScan(cone, { flatLevel: level, oversampling: 2 });
    const [columns, rows, count] = plain.projections.grid.dimensions;
    const pixels = columns * rows;
    const dark = Float32Array.from({ length: pixels }, (_, i) => 200 + (i % 7));
    const flat = Float32Array.from({ length: pixels }, (_, i) => 30_000 + 5000 * Math.sin(i * 0.37));
    const counts = (await plain.projections.readSlab(0, count)).slice() as Uint16Array;
    for (let i = 0; i < counts.length; i++) {
      const pixel = i % pixels;
      counts[i] = Math.round(dark[pixel] + (counts[i] / level) * (flat[pixel] - dark[pixel]));
    }
    const dead = 20 * columns + 30;
    flat[dead] = dark[dead];
    // These are dead only in the projections: one always dark, one always bright.
    for (let at = 0; at < counts.length; at += pixels) {
      counts[at + 15 * columns + 50] = 0;
      counts[at + 8 * columns + 40] = 65_535;
    }
    const projections = {
      ...plain.projections,
      readSlab: async (a: number, b: number) => counts.slice(a * pixels, b * pixels),
    };
    const corrected = await made({ ...plain, projections, flat, dark, flatLevel: undefined });
    expectGreys(corrected);
    expect(corrected.facts.warnings.map(({ message }) => message).join()).toContain('3 dead pixels');
  });

  it('estimates the free beam from the borders of the projections if it was not recorded, and warns', async () => {
    const scan = makeScan(cone, { flatLevel: 40_000, oversampling: 2 });
    const result = await made({ ...scan, flatLevel: undefined });
    expect(result.facts.flatLevel).toBe(40_000);
    expect(result.facts.warnings.map(({ message }) => message).join()).toContain('40000');
    expectGreys(result);
  });

  it('removes the rings of faulty pixels on request', async () => {
    const scan = sharpCone();
    const [columns, rows, count] = scan.projections.grid.dimensions;
    const values = (await scan.projections.readSlab(0, count)).slice() as Float32Array;
    for (let i = 0; i < values.length; i++) if (i % columns === 52) values[i] += 0.1;
    const projections = {
      ...scan.projections,
      readSlab: async (a: number, b: number) => values.slice(a * columns * rows, b * columns * rows),
    };
    const options = { centerOfRotationMm: 0 };
    const [clean, ringed, corrected] = await Promise.all([
      made(scan, options),
      made({ ...scan, projections }, options),
      made({ ...scan, projections }, { ...options, ringCorrection: true }),
    ]);
    const error = ({ values: some }: Reconstructed) =>
      Math.sqrt(some.reduce((sum, value, i) => sum + (value - clean.values[i]) ** 2, 0) / some.length);
    expect(error(corrected)).toBeLessThan(0.5 * error(ringed));
  });

  it('corrects quadratic beam hardening', async () => {
    const scan = sharpCone();
    const [columns, rows, count] = scan.projections.grid.dimensions;
    const b = 0.06;
    // p + b p² = the line integral without hardening
    const hardened = (await scan.projections.readSlab(0, count)).map(
      (truth) => (Math.sqrt(1 + 4 * b * truth) - 1) / (2 * b),
    ) as Float32Array;
    const projections = {
      ...scan.projections,
      readSlab: async (from: number, to: number) =>
        hardened.slice(from * columns * rows, to * columns * rows),
    };
    expect((await made({ ...scan, projections })).mean(5, -3, 0, 2.5)).toBeLessThan(0.095);
    expectGreys(await made({ ...scan, projections }, { beamHardening: b }));
  });

  it.each(['sheppLogan', 'cosine', 'hamming', 'hann'] as const)(
    'keeps the grey values with the filter %s',
    async (filter) => {
      expectGreys(await made(sharpCone(), { filter, centerOfRotationMm: 0 }));
    },
  );

  it('gives the same bytes for any slab size, batch size and number of threads', async () => {
    const scan = makeScan({ ...cone, anglesDeg: anglesOver(360, 31), detector: shifted([0.6, 0.4]) });
    const whole = await made(scan);
    const cut = await made(
      scan,
      { slabBytes: 7 * whole.facts.grid.dimensions[0] ** 2 * 4, batchBytes: 60_000 },
      threePool,
    );
    expect(cut.values).toEqual(whole.values);
    expect(cut.facts).toEqual(whole.facts);
  });

  it('makes a preview of the requested size from binned pixels, with the grey values of the fine one', async () => {
    const result = await made(sharpCone(), { maxDimension: 40 });
    expect(Math.max(...result.facts.grid.dimensions)).toBe(40);
    expect(result.facts.binning).toBe(2);
    expect(Math.abs(result.mean(5, -3, 0, 2.5) / 0.1 - 1)).toBeLessThan(0.005);
  });

  it('reconstructs a single row as a single plane', async () => {
    const { facts, mean } = await made(makeScan({ ...parallel, rows: 1 }, { oversampling: 2 }));
    expect(facts.grid.dimensions[2]).toBe(1);
    expect(Math.abs(mean(5, -3, 0, 2.5) / 0.1 - 1)).toBeLessThan(0.005);
  });
});

describe('a reconstruction with invalid or minimal input', () => {
  const few = makeScan({ ...cone, columns: 8, rows: 4, anglesDeg: anglesOver(360, 4) });
  const refused = (changes: Partial<ScanGeometry>) =>
    made({ ...few, geometry: { ...few.geometry, ...changes } }).then(
      () => '',
      (error: unknown) => (error instanceof KernelError ? error.message : String(error)),
    );

  it('is rejected with an error that names the value', async () => {
    expect(await refused({ sourceToDetectorMm: 100 })).toMatch(/100 mm .* beyond the axis/);
    expect(await refused({ sourceToAxisMm: 0 })).toMatch(/source to axis is 0 mm/);
    expect(await refused({ pixelSizeMm: [0, 1] })).toMatch(/pixel size is 0 × 1 mm/);
    expect(await refused({ anglesDeg: [0, Number.NaN, 1, 2] })).toMatch(/angle/);
    expect(await refused({ anglesDeg: [0] })).toMatch(/too few/);
    // One column has no rays on either side of the axis.
    for (const rows of [1, 4]) {
      const thin = makeScan({ ...parallel, columns: 1, rows, anglesDeg: anglesOver(180, 9) });
      await expect(made(thin)).rejects.toThrow(`A detector of 1 × ${rows} pixels shows nothing`);
    }
    expect(await refused({ columns: 9 })).toMatch(/8 × 4 pixels, but the geometry speaks of .* 9 × 4/);
    const flat = new Float32Array(8 * 4);
    await expect(made({ ...few, values: 'counts', flat })).rejects.toThrow(/No pixel of the flat image/);
    await expect(made({ ...few, flat: flat.subarray(1) })).rejects.toThrow(/31 pixels/);
    await expect(made(few, { centerOfRotationMm: 99 })).rejects.toThrow(/beside the detector/);
  });

  it('gives a finite volume for empty, constant and corrupt projections', async () => {
    for (const value of [0, 7, Number.NaN, Infinity]) {
      const readSlab = async (from: number, to: number) => new Float32Array((to - from) * 32).fill(value);
      const { values, facts } = await made({ ...few, projections: { ...few.projections, readSlab } });
      expect(values.every(Number.isFinite)).toBe(true);
      expect(facts.howFound).toBe('geometry');
    }
  });

  it.each([
    ['one row', parallel, { columns: 31, rows: 1 }],
    ['one row in a cone', cone, { columns: 31, rows: 1 }],
    ['two columns', parallel, { columns: 2, rows: 3 }],
    ['two columns in a cone', cone, { columns: 2, rows: 3 }],
    ['two pixels', parallel, { columns: 2, rows: 1 }],
  ] as const)(
    'gives a finite volume for projections of %s, the same for any number of threads and slabs',
    async (_, like, size) => {
      const scan = makeScan({ ...like, ...size, anglesDeg: anglesOver(360, 9) });
      for (const options of [
        { centerOfRotationMm: 0 },
        { centerOfRotationMm: 0, ringCorrection: true, maxDimension: 7 },
      ]) {
        const one = await made(scan, options);
        expect(one.values.length).toBeGreaterThan(0);
        expect(one.values.every(Number.isFinite)).toBe(true);
        expect(one.facts.grid.dimensions.every((n) => n >= 1)).toBe(true);
        const cut = await made(scan, { ...options, slabBytes: 1, batchBytes: 1 }, threePool);
        expect(cut.values).toEqual(one.values);
        expect(cut.facts).toEqual(one.facts);
      }
    },
  );

  it('aborts with the reason of the signal', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const progress = (fraction: number) => fraction > 0.3 && controller.abort(reason);
    await expect(made(sharpCone(), { progress }, stoppedBy(threePool, controller.signal))).rejects.toBe(
      reason,
    );
  });
});

describe('the weights of projections', () => {
  const sum = (weights: Float64Array) => weights.reduce((total, weight) => total + weight, 0);

  it('sum to the total angle, and share the weight of repeated angles', () => {
    expect(sum(angleCover('cone', anglesOver(360, 50)).weights)).toBeCloseTo(2 * Math.PI, 12);
    const closed = angleCover('cone', [...anglesOver(360, 20), 360]);
    expect(closed.fullTurn).toBe(true);
    expect(sum(closed.weights)).toBeCloseTo(2 * Math.PI, 12);
    expect(closed.weights[0]).toBeCloseTo(closed.weights[20], 12);
    expect(closed.weights[0]).toBeCloseTo(closed.weights[1] / 2, 12);
    expect(sum(angleCover('parallel', anglesOver(180, 30)).weights)).toBeCloseTo(Math.PI, 12);
    expect(sum(angleCover('parallel', [...anglesOver(180, 30), 180]).weights)).toBeCloseTo(Math.PI, 12);
    expect(sum(angleCover('parallel', anglesOver(360, 31)).weights)).toBeCloseTo(Math.PI, 12);
  });

  it('follow uneven steps', () => {
    const { weights } = angleCover('cone', [0, 10, 30, 60, 200, 300, 345]);
    expect([...weights].map((weight) => (weight * 180) / Math.PI)).toEqual(
      [12.5, 15, 25, 85, 120, 72.5, 30].map((angle) => expect.closeTo(angle, 9)),
    );
  });
});
