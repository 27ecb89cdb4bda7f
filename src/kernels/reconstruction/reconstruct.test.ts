import { beforeAll, describe, expect, it } from 'vitest';
import { KernelError } from '../kernel-error.ts';
import { inlinePool, type KernelPool } from '../pool.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { anglesOver, type RayBody, type SimulatedScan, simulateRadiographs } from '../testing/radiographs.ts';
import { angleCover, plainDetector, type ScanGeometry } from './geometry.ts';
import {
  type Radiographs,
  type ReconstructionFacts,
  type ReconstructionOptions,
  reconstruct,
} from './reconstruct.ts';

let pool: KernelPool;
let threePool: KernelPool;
beforeAll(async () => {
  const module = await kernelModule();
  pool = inlinePool(module);
  threePool = inlinePool(module, 3);
});

/** An ellipsoid with a denser core off its middle, and a small ball beside. */
const bodies: RayBody[] = [
  { kind: 'ellipsoid', attenuation: 0.1, center: [2, -1, 0.5], radiiMm: [12, 9, 8] },
  { kind: 'cylinder', attenuation: 0.1, center: [-4, 2, 0], radiusMm: 3, heightMm: 5 },
  { kind: 'ellipsoid', attenuation: 0.2, center: [12, 10, 0], radiiMm: [2, 2, 2] },
];
const cone: ScanGeometry = {
  beam: 'cone',
  sourceToAxisMm: 150,
  sourceToDetectorMm: 450,
  columns: 96,
  rows: 24,
  pixelSizeMm: [1.2, 1.2],
  anglesDeg: anglesOver(360, 150),
  detector: plainDetector(150, 450),
};

interface Made {
  facts: ReconstructionFacts;
  values: Float32Array;
  /** mean over a ball */
  mean: (x: number, y: number, z: number, radiusMm: number) => number;
}

async function made(
  radiographs: Radiographs,
  options: Partial<ReconstructionOptions> = {},
  on = pool,
): Promise<Made> {
  const parts: Float32Array[] = [];
  const all = { maxDimension: 256, filter: 'ramLak' as const, ...options };
  const facts = await reconstruct(
    radiographs,
    on,
    all,
    async () => async (planes) => void parts.push(planes),
  );
  const values = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    values.set(part, at);
    at += part.length;
  }
  const { dimensions, originMm, voxelSizeMm } = facts.grid;
  expect(values.length).toBe(dimensions[0] * dimensions[1] * dimensions[2]);
  const mean: Made['mean'] = (x, y, z, radiusMm) => {
    let sum = 0;
    let count = 0;
    for (let n = 0; n < values.length; n++) {
      const [i, j] = [n % dimensions[0], Math.floor(n / dimensions[0]) % dimensions[1]];
      const k = Math.floor(n / (dimensions[0] * dimensions[1]));
      const distance = Math.hypot(
        originMm[0] + i * voxelSizeMm - x,
        originMm[1] + j * voxelSizeMm - y,
        originMm[2] + k * voxelSizeMm - z,
      );
      if (distance > radiusMm) continue;
      sum += values[n];
      count++;
    }
    return sum / count;
  };
  return { facts, values, mean };
}

const scanOf = (geometry: ScanGeometry, more: Partial<SimulatedScan> = {}) =>
  simulateRadiographs({ bodies, geometry, ...more });

/** Half a percent in the solid, and as much of it in air. */
function expectGreys({ mean }: Made): void {
  expect(Math.abs(mean(5, -3, 0, 2.5) / 0.1 - 1)).toBeLessThan(0.005);
  expect(Math.abs(mean(-4, 2, 0, 1.5) / 0.2 - 1)).toBeLessThan(0.005);
  expect(Math.abs(mean(-11, -9, 0, 2))).toBeLessThan(0.0005);
}

let sharp: Radiographs | undefined;
/** Line integrals of the cone beam, each the mean over its pixel; made once. */
const sharpCone = () => {
  sharp ??= scanOf(cone, { oversampling: 2 });
  return sharp;
};

const shifted = (offsetMm: [number, number]) => plainDetector(150, 450, { offsetMm });
const tilted = (rollDeg: number, slantDeg: number) => {
  const [roll, slant] = [(rollDeg * Math.PI) / 180, (slantDeg * Math.PI) / 180];
  return {
    centerMm: [-300, 0, 0] as [number, number, number],
    alongColumns: [Math.sin(slant) * Math.cos(roll), Math.cos(slant) * Math.cos(roll), Math.sin(roll)] as [
      number,
      number,
      number,
    ],
    alongRows: [Math.sin(slant) * Math.sin(roll), Math.cos(slant) * Math.sin(roll), -Math.cos(roll)] as [
      number,
      number,
      number,
    ],
  };
};
const parallel: ScanGeometry = {
  ...cone,
  beam: 'parallel',
  pixelSizeMm: [0.4, 0.4],
  rows: 8,
  anglesDeg: anglesOver(180, 150),
  detector: plainDetector(0, 1, { offsetMm: [-0.7, 0] }),
};
const fan: ScanGeometry = {
  ...cone,
  beam: 'fan',
  rows: 8,
  pixelSizeMm: [1.2, 0.4],
  detector: shifted([-1.5, 0]),
};

const scans: { name: string; geometry: ScanGeometry; centerColumn: number; by: string }[] = [
  {
    name: 'cone, full turn',
    geometry: { ...cone, detector: shifted([-1.47, 0]) },
    centerColumn: 47.5 + 1.47 / 1.2,
    by: 'symmetry',
  },
  {
    name: 'cone, mirrored pictures with rows upward, turning backward from 70°',
    geometry: {
      ...cone,
      anglesDeg: anglesOver(-360, 150, 70),
      detector: plainDetector(150, 450, { mirrored: true, rowsUp: true, offsetMm: [2.1, 1.4] }),
    },
    centerColumn: 47.5 - 2.1 / 1.2,
    by: 'symmetry',
  },
  {
    name: 'cone, short scan with Parker weights',
    geometry: { ...cone, anglesDeg: anglesOver(205, 120, 30), detector: shifted([-1.47, 0]) },
    centerColumn: 47.5 + 1.47 / 1.2,
    by: 'slice',
  },
  {
    name: 'cone, detector rolled by 15° and slanted by 2°',
    geometry: { ...cone, detector: tilted(15, 2) },
    centerColumn: 47.5,
    by: 'symmetry',
  },
  { name: 'parallel, half a turn', geometry: parallel, centerColumn: 47.5 + 0.7 / 0.4, by: 'slice' },
  {
    name: 'parallel, half a turn with both ends',
    geometry: { ...parallel, anglesDeg: [...anglesOver(180, 150), 180] },
    centerColumn: 47.5 + 0.7 / 0.4,
    by: 'slice',
  },
  {
    name: 'parallel, full turn',
    geometry: { ...parallel, anglesDeg: anglesOver(360, 150) },
    centerColumn: 47.5 + 0.7 / 0.4,
    by: 'symmetry',
  },
  { name: 'fan, full turn', geometry: fan, centerColumn: 47.5 + 1.5 / 1.2, by: 'symmetry' },
  {
    name: 'fan, short scan clockwise',
    geometry: { ...fan, anglesDeg: anglesOver(-220, 130) },
    centerColumn: 47.5 + 1.5 / 1.2,
    by: 'slice',
  },
];

describe('a reconstruction of analytic projections', () => {
  it.each(scans)(
    '$name: greys within 0.5 %, the centre within 0.1 pixel',
    async ({ geometry, centerColumn, by }) => {
      const result = await made(scanOf(geometry, { oversampling: 2 }));
      expect(result.facts.howFound).toBe(by);
      expect(Math.abs(result.facts.centerColumn - centerColumn)).toBeLessThan(0.1);
      expectGreys(result);
    },
  );

  it('finds the centre within 0.1 pixel in noise, of a full turn and of a short scan', async () => {
    for (const geometry of [scans[0].geometry, scans[2].geometry]) {
      const { facts } = await made(scanOf(geometry, { noise: 0.03 }), { maxDimension: 16 });
      expect(Math.abs(facts.centerColumn - scans[0].centerColumn)).toBeLessThan(0.1);
    }
  });

  it('gives the same from counts with flat and dark images, dead pixels and a hidden ring as from line integrals', async () => {
    const level = 50_000;
    const plain = scanOf(cone, { flatLevel: level, oversampling: 2 });
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
    const projections = {
      ...plain.projections,
      readSlab: async (a: number, b: number) => counts.slice(a * pixels, b * pixels),
    };
    const corrected = await made({ ...plain, projections, flat, dark, flatLevel: undefined });
    expectGreys(corrected);
    expect(corrected.facts.warnings.join()).toContain('1 dead pixels');
  });

  it('takes the free beam from the borders of the projections where nobody recorded it, and says so', async () => {
    const scan = scanOf(cone, { flatLevel: 40_000, oversampling: 2 });
    const result = await made({ ...scan, flatLevel: undefined });
    expect(result.facts.flatLevel).toBe(40_000);
    expect(result.facts.warnings.join()).toContain('40000');
    expectGreys(result);
  });

  it('turns pixels that err in every projection into no rings when asked to', async () => {
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
    const error = ({ values: some }: Made) =>
      Math.sqrt(some.reduce((sum, value, i) => sum + (value - clean.values[i]) ** 2, 0) / some.length);
    expect(error(corrected)).toBeLessThan(0.5 * error(ringed));
  });

  it('straightens beam hardening that is quadratic', async () => {
    const scan = sharpCone();
    const [columns, rows, count] = scan.projections.grid.dimensions;
    const b = 0.06;
    // p + b p² = what would have been measured without hardening
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
    'keeps the greys with the filter %s',
    async (filter) => {
      expectGreys(await made(sharpCone(), { filter, centerOfRotationMm: 0 }));
    },
  );

  it('gives the same bytes for any slab, batch and number of threads', async () => {
    const scan = scanOf({ ...cone, anglesDeg: anglesOver(360, 31), detector: shifted([0.6, 0.4]) });
    const whole = await made(scan);
    const cut = await made(
      scan,
      { slabBytes: 7 * whole.facts.grid.dimensions[0] ** 2 * 4, batchBytes: 60_000 },
      threePool,
    );
    expect(cut.values).toEqual(whole.values);
    expect(cut.facts).toEqual(whole.facts);
  });

  it('makes a preview of the wanted size from binned pixels, with the greys of the fine one', async () => {
    const result = await made(sharpCone(), { maxDimension: 40 });
    expect(Math.max(...result.facts.grid.dimensions)).toBe(40);
    expect(result.facts.binning).toBe(2);
    expect(Math.abs(result.mean(5, -3, 0, 2.5) / 0.1 - 1)).toBeLessThan(0.005);
  });

  it('reconstructs a single row as a single plane', async () => {
    const { facts, mean } = await made(scanOf({ ...parallel, rows: 1 }, { oversampling: 2 }));
    expect(facts.grid.dimensions[2]).toBe(1);
    expect(Math.abs(mean(5, -3, 0, 2.5) / 0.1 - 1)).toBeLessThan(0.005);
  });
});

describe('what can’t be reconstructed', () => {
  const few = scanOf({ ...cone, columns: 8, rows: 4, anglesDeg: anglesOver(360, 4) });
  const refused = (changes: Partial<ScanGeometry>) =>
    made({ ...few, geometry: { ...few.geometry, ...changes } }).then(
      () => '',
      (error: unknown) => (error instanceof KernelError ? error.message : String(error)),
    );

  it('is refused with a sentence that names the figure', async () => {
    expect(await refused({ sourceToDetectorMm: 100 })).toMatch(/100 mm .* beyond the axis/);
    expect(await refused({ sourceToAxisMm: 0 })).toMatch(/source to axis is 0 mm/);
    expect(await refused({ pixelSizeMm: [0, 1] })).toMatch(/pixel size is 0 × 1 mm/);
    expect(await refused({ anglesDeg: [0, Number.NaN, 1, 2] })).toMatch(/angle/);
    expect(await refused({ anglesDeg: [0] })).toMatch(/too few/);
    expect(await refused({ columns: 9 })).toMatch(/8 × 4 pixels, but the geometry speaks of .* 9 × 4/);
    const flat = new Float32Array(8 * 4);
    await expect(made({ ...few, values: 'counts', flat })).rejects.toThrow(/No pixel of the flat image/);
    await expect(made({ ...few, flat: flat.subarray(1) })).rejects.toThrow(/31 pixels/);
    await expect(made(few, { centerOfRotationMm: 99 })).rejects.toThrow(/beside the detector/);
  });

  it('empty, constant and broken projections give a finite volume', async () => {
    for (const value of [0, 7, Number.NaN, Infinity]) {
      const readSlab = async (from: number, to: number) => new Float32Array((to - from) * 32).fill(value);
      const { values, facts } = await made({ ...few, projections: { ...few.projections, readSlab } });
      expect(values.every(Number.isFinite)).toBe(true);
      expect(facts.howFound).toBe('geometry');
    }
  });

  it('stops with the signal’s reason', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const progress = (fraction: number) => fraction > 0.3 && controller.abort(reason);
    await expect(made(sharpCone(), { signal: controller.signal, progress })).rejects.toBe(reason);
  });
});

describe('the weights of projections', () => {
  const sum = (weights: Float64Array) => weights.reduce((total, weight) => total + weight, 0);

  it('add up to the whole angle, and count what was taken twice once', () => {
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
