import { beforeAll, expect, it } from 'vitest';
import type { KernelPool } from '#kernels/arena.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { inlinePool } from '#kernels/pool.ts';
import { judgeScan } from '#kernels/quality/judge-scan.ts';
import { seededRandom } from '#kernels/random.ts';
import { type Body, box, hollowCylinder, movedBody, sphere, turnedBody } from '#kernels/testing/bodies.ts';
import { type Impairment, impairedScan } from '#kernels/testing/impaired-scans.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { ballVolume, between, runIntegrity } from './testing/integrity-run.ts';
import { makeInput } from './testing/scan-run.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

const dimensions: Vector3 = [64, 64, 64];
const gap = 2.5;

function joinBodies(bodies: readonly Body[]): Body {
  return {
    ...bodies[0],
    distanceMm: (x, y, z) => Math.min(...bodies.map((body) => body.distanceMm(x, y, z))),
    boundsMm: { min: [-29, -29, -29], max: [29, 29, 29] },
  };
}

const parts = {
  block: turnedBody(box([45, 41, 43]), [7, 4, 11]),
  impeller: joinBodies([
    hollowCylinder(15, 0, 46),
    ...[0, 60, 120].map((degrees) => turnedBody(box([56, 15, 40]), [0, 0, degrees])),
  ]),
  casting: joinBodies([
    movedBody(box([52, 46, 18]), [0, 0, -14]),
    movedBody(hollowCylinder(15, 0, 36), [-6, 4, 5]),
    movedBody(turnedBody(box([46, 15, 32]), [0, 0, 33]), [2, -3, 3]),
  ]),
};

/** Balls of radius 2 to 5 voxels in a part, with 2.5 voxels of material between them and to the surface. */
function scatterIn(part: Body, count: number, seed: number) {
  const random = seededRandom(seed);
  const pores: { at: Vector3; radius: number }[] = [];
  while (pores.length < count) {
    const radius = 2 + 3 * random() ** 1.5;
    const at = [0, 1, 2].map(() => 29 * (2 * random() - 1)) as Vector3;
    if (part.distanceMm(...at) > -(radius + gap)) continue;
    if (pores.some((pore) => between(pore.at, at) < pore.radius + radius + gap)) continue;
    pores.push({ at, radius });
  }
  return pores;
}

async function measurePores(part: Body, impairment: Impairment, seed: number) {
  const pores = scatterIn(part, 14, seed);
  const holes = pores.map(({ at, radius }) => movedBody(sphere(radius), at));
  const volume = impairedScan(part, dimensions, { contrastToNoise: 20, ...impairment, seed }, holes);
  const input = await makeInput(volume, pool);
  const quality = await judgeScan(input);
  const { defects: all, warnings, metadata } = await runIntegrity(input, pool, {}, quality);
  // Between the blades of the impeller there are hollows, which are open.
  const defects = all.filter(({ surfaceConnected }) => !surfaceConnected);
  const found = pores.map(({ at, radius }) => {
    const truth = ballVolume(radius);
    const [defect] = defects.filter(({ centerMm }) => between(centerMm, at) < 1);
    const [low, high] = defect?.volumeBandMm3 ?? [Number.NaN, Number.NaN];
    return {
      holds: low <= truth && truth <= high,
      error: Math.abs((defect?.volumeMm3 ?? Number.NaN) / truth - 1),
      width: (high - low) / 2 / truth,
    };
  });
  const trueMm3 = pores.reduce((sum, { radius }) => sum + ballVolume(radius), 0);
  return {
    found,
    warnings,
    bandWidth: (metadata.uncertainties?.['porosity']?.expanded ?? Number.NaN) / metadata.porosity,
    invented: defects.filter(({ centerMm }) => pores.every(({ at }) => between(centerMm, at) >= 1)).length,
    missedMm3: pores
      .filter(({ at }) => defects.every(({ centerMm }) => between(centerMm, at) >= 1))
      .map(({ radius }) => ballVolume(radius)),
    total: defects.reduce((sum, { volumeMm3 }) => sum + volumeMm3, 0),
    trueMm3,
  };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

it('volumes of pores are within their intervals, whatever shading the scan has', async () => {
  const scans = [
    await measurePores(parts.block, { blur: 0.6, cupping: 0.5 }, 1),
    await measurePores(parts.impeller, { blur: 0.3, ramp: 0.5 }, 2),
    await measurePores(parts.casting, { blur: 1, contrastToNoise: 12 }, 4),
  ];
  for (const { invented, missedMm3, total, trueMm3 } of scans) {
    expect(invented).toBe(0);
    expect(missedMm3).toEqual([]);
    expect(Math.abs(total / trueMm3 - 1)).toBeLessThan(0.025);
  }
  // Cupping and a ramp are reported; they invalidate volumes only when levels differ by more than half of the contrast.
  const ofScans = scans.map(({ warnings }) => warnings.filter(({ code }) => code.startsWith('SCAN_')));
  expect(ofScans.map((warnings) => warnings.some(({ invalidates }) => invalidates))).toEqual([
    true,
    false,
    false,
  ]);
  // Pores 2.5 voxels below the surface leave walls of that thickness.
  expect(ofScans[1]?.map(({ code }) => code)).toEqual(['SCAN_GRADIENT', 'SCAN_THIN_WALLS']);
  // The gaps between the impeller's blades are reported as counted.
  expect(scans[1]?.warnings.map(({ code }) => code)).toContain('GAPS_COUNTED');
  const all = scans.flatMap(({ found }) => found);
  expect(mean(all.map(({ holds }) => Number(holds)))).toBeGreaterThan(0.9);
  expect(mean(all.map(({ width }) => width))).toBeLessThan(3.2 * mean(all.map(({ error }) => error)));
});

const grainWarnings = (warnings: readonly { code: string; invalidates?: boolean | undefined }[]) =>
  warnings.filter(({ code, invalidates }) => code === 'SCAN_NOISE' && invalidates);

it('noise of a third of the contrast creates no pores, and moves none out of its interval', async () => {
  const { found, invented, missedMm3, total, trueMm3, bandWidth, warnings } = await measurePores(
    parts.block,
    { blur: 0.6, contrastToNoise: 3 },
    5,
  );
  expect(invented).toBe(0);
  expect(missedMm3).toEqual([]);
  // The sum of so few pores also scatters, within its reported band.
  expect(Math.abs(total / trueMm3 - 1)).toBeLessThan(bandWidth);
  expect(bandWidth).toBeLessThan(0.08);
  expect(found.filter(({ holds }) => holds).length).toBeGreaterThanOrEqual(13);
  expect(grainWarnings(warnings)).toEqual([]);
});

it('detection of small pores behind the filter invents none, whatever else the noise contains', async () => {
  for (const [seed, impairment] of [
    [7, { contrastToNoise: 3 }],
    [8, { contrastToNoise: 5, cupping: 0.35 }],
    [9, { contrastToNoise: 4, rings: 0.1 }],
    [10, { contrastToNoise: 5, blur: 0.9, ramp: 0.3 }],
  ] as const) {
    const { invented } = await measurePores(parts.block, { blur: 0.6, ...impairment }, seed);
    expect(invented).toBe(0);
  }
});

it('correlated noise makes the numbers invalid', async () => {
  const impairment = { blur: 0.6, contrastToNoise: 5, grain: 0.8 };
  const { warnings } = await measurePores(parts.block, impairment, 6);
  expect(grainWarnings(warnings)).toMatchObject([{ code: 'SCAN_NOISE' }]);
});
