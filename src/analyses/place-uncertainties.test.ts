import { beforeAll, expect, it } from 'vitest';
import { joinBytes } from '#formats/bytes/join-bytes.ts';
import { readGlb } from '#formats/glb/read-glb.ts';
import type { KernelPool } from '#kernels/arena.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { inlinePool } from '#kernels/pool.ts';
import {
  type Body,
  box,
  hollowCylinder,
  movedBody,
  sphere,
  torus,
  turnedBody,
} from '#kernels/testing/bodies.ts';
import { type Impairment, impairedScan } from '#kernels/testing/impaired-scans.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { runOnJudgedScan } from './testing/scan-run.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

async function meshScan(volume: ReturnType<typeof impairedScan>) {
  const { dataObjects } = await runOnJudgedScan('createMesh', volume, pool);
  const [{ metadata, files }] = dataObjects;
  const { positions, scalars } = readGlb(joinBytes(files?.[0]?.parts ?? []));
  return { metadata, positions, uncertainties: scalars?.['positionUncertaintyMm'] ?? new Float32Array() };
}

const combined = (distanceMm: Body['distanceMm']): Body => ({
  ...box([58, 58, 58]),
  distanceMm,
});
const bore = turnedBody(hollowCylinder(4, 0, 60), [19, 33, 0]);
const casting = turnedBody(box([42, 28, 36]), [8, 21, 14]);
/** Each with the voxels along an edge of its scan. */
const bodies: [Body, number][] = [
  [movedBody(sphere(17), [0.2, 0.4, 0.1]), 46],
  [combined((x, y, z) => Math.max(casting.distanceMm(x, y, z), -bore.distanceMm(x, y, z))), 64],
  [turnedBody(box([40, 5, 38]), [12, 7, 9]), 56],
  [turnedBody(torus(17, 6), [24, 31, 0]), 56],
  [turnedBody(hollowCylinder(17, 12.5, 36), [26, 9, 0]), 56],
];
const impairments: Impairment[] = [
  { blur: 0.6, contrastToNoise: 20 },
  { blur: 0.8, contrastToNoise: 8 },
  { blur: 1.1, contrastToNoise: 30 },
];

it('intervals of single places contain the body’s surface', async () => {
  const all: { hold: number; ratio: number }[] = [];
  for (const [i, [body, edge]] of bodies.entries()) {
    for (const [k, impairment] of impairments.entries()) {
      const scan = impairedScan(body, [edge, edge, edge], { ...impairment, seed: 100 * i + k });
      const { positions, uncertainties, metadata } = await meshScan(scan);
      let [held, error, width] = [0, 0, 0];
      const known = uncertainties.reduce((count, value, v) => {
        if (Number.isNaN(value)) return count;
        const [x = 0, y = 0, z = 0] = positions.subarray(3 * v, 3 * v + 3);
        const off = Math.abs(body.distanceMm(x, y, z));
        held += Number(off <= value);
        error += off;
        width += value;
        return count + 1;
      }, 0);
      expect(known / uncertainties.length).toBeGreaterThan(0.99);
      expect(metadata.placeUncertainty?.undeterminedShare).toBeCloseTo(1 - known / uncertainties.length, 2);
      all.push({ hold: held / known, ratio: width / error });
    }
  }
  const mean = (of: (each: (typeof all)[number]) => number) =>
    all.reduce((sum, each) => sum + of(each), 0) / all.length;
  console.info(
    `places held ${mean(({ hold }) => hold).toFixed(3)}, width ${mean(({ ratio }) => ratio).toFixed(2)} times the error`,
  );
  expect(mean(({ hold }) => hold)).toBeGreaterThan(0.95);
  expect(Math.min(...all.map(({ hold }) => hold))).toBeGreaterThan(0.85);
  expect(mean(({ ratio }) => ratio)).toBeLessThan(4);
});

it('a place with lighter material than the rest has a wider interval, or none', async () => {
  const body = turnedBody(box([44, 30, 30]), [4, 7, 3]);
  const volume = impairedScan(body, [64, 64, 64], { blur: 0.6 });
  const dense = 0.7;
  // Beyond the middle the material has 70 % of the contrast and the same noise.
  volume.data.forEach((grey, i) => {
    if (i % 64 > 40) volume.data[i] = 8000 + dense * (grey - 8000);
    volume.data[i] += 640 * Math.sin(12.9898 * i) * Math.SQRT2;
  });
  const { positions, uncertainties } = await meshScan(volume);
  const looked = { held: 0, wide: 0, all: 0 };
  uncertainties.forEach((value, v) => {
    const [x = 0, y = 0, z = 0] = positions.subarray(3 * v, 3 * v + 3);
    if (x < 13) return;
    looked.all++;
    const off = Math.abs(body.distanceMm(x, y, z));
    if (Number.isNaN(value) || off <= value) looked.held++;
    if (Number.isNaN(value) || value > 0.3) looked.wide++;
  });
  expect(looked.all).toBeGreaterThan(500);
  expect(looked.held / looked.all).toBeGreaterThan(0.95);
  expect(looked.wide / looked.all).toBeGreaterThan(0.9);
});

it('the surface is unknown where the scan ends within the part', async () => {
  const volume = impairedScan(movedBody(sphere(20), [20, 0, 0]), [64, 64, 64] as Vector3, {
    blur: 0.6,
    contrastToNoise: 20,
  });
  const { positions, uncertainties } = await meshScan(volume);
  uncertainties.forEach((value, v) => {
    if ((positions[3 * v] ?? 0) > 31.4) expect(value).toBeNaN();
  });
});

it('a mesh written by a thread has the same intervals as a small one', async () => {
  const truth = sphere(60);
  const volume = impairedScan(truth, [128, 128, 128], { blur: 0.6, contrastToNoise: 30 });
  const { metadata } = await meshScan(volume);
  expect(metadata.triangles).toBeGreaterThan(100_000);
  for (const name of ['areaMm2', 'volumeMm3'] as const) {
    const { expanded } = metadata.uncertainties?.[name] ?? { expanded: Number.NaN };
    expect(expanded).toBeGreaterThan(Math.abs((metadata[name] ?? 0) - truth[name]));
    expect(expanded).toBeGreaterThan(1e-4 * truth[name]);
  }
  const bend = metadata.uncertainties?.['areaMm2']?.contributions.find(({ name }) => name === 'curvature');
  expect(bend?.value).toBeGreaterThan(0);
});
