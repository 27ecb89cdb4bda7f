import { expect, it } from 'vitest';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { inlinePool } from '#kernels/pool.ts';
import { estimateSurfaceUncertainty } from '#kernels/surface/surface-uncertainty.ts';
import {
  type Body,
  box,
  hollowCylinder,
  movedBody,
  sphere,
  torus,
  turnedBody,
} from '#kernels/testing/bodies.ts';
import { impairPart } from '#kernels/testing/families/impair.ts';
import { renderPart } from '#kernels/testing/families/render-part.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { sphereMesh } from '#kernels/testing/meshes.ts';
import { runOnJudgedScan } from './testing/scan-run.ts';
import { describeShape, findThicknessUncertainties, type WallShape } from './thickness-intervals.ts';

const percentilesMm = { p1: 3, p5: 6, p25: 8, p50: 8, p75: 8, p95: 8, p99: 8 };
const measured = {
  ...{ minMm: 6, meanMm: 8, maxMm: 9, percentilesMm: { ...percentilesMm, p1: 6 } },
  ...{ narrowed: null, rimless: null },
  histogram: { edgesMm: [6, 9], areaMm2: [5000] },
  ...{ belowMinimumShare: null, minThicknessMm: null },
};
const thinWalls = {
  ...{ areaShare: 0.02, profileShare: 0.9, detectionLimitMm: 1.7 },
  ...{ uncertaintyMm: 0.1, contrastGray: 100, blurMm: 0.6 },
};
const surface = estimateSurfaceUncertainty({
  blurVoxels: 0.6,
  noiseShare: 0.05,
  stretch: 1,
  levelShare: 0.02,
  levelOffset: 0,
  inwardVoxels: 0,
});
const flat = { roundness: 0, curvature: 0 };
const find = (
  of: Partial<Parameters<typeof findThicknessUncertainties>[0]>,
  known: typeof surface | null = surface,
  shape: Partial<WallShape> = {},
) =>
  findThicknessUncertainties(
    { ...measured, ...of },
    known,
    { voxelMm: 1, all: flat, atMedian: flat, rimShare: 0, ...shape },
    [],
  );

it('thick walls have intervals from both of their faces, wider for a single place than for a mean', () => {
  const found = find({});
  const median = found?.['percentilesMm.p50']?.expanded ?? 0;
  expect(median).toBeGreaterThan(4 * surface.level);
  expect(found?.meanMm?.expanded).toBe(median);
  expect(found?.minMm?.expanded).toBeGreaterThan(2 * median);
});

it('thin walls have intervals from their profiles, and none if some are below the detection limit', () => {
  const some = { thinWalls, percentilesMm, minMm: 2.5 };
  expect(find(some)?.['percentilesMm.p1']?.expanded).toBeCloseTo(0.1, 12);
  expect(find(some)).not.toHaveProperty('minMm');
  expect(find({ ...some, minMm: 1.5 })).not.toHaveProperty(['percentilesMm.p1']);
  expect(find({ ...some, minMm: 1.5 })).toHaveProperty(['percentilesMm.p50']);
});

it('an unknown surface has no intervals', () => {
  expect(find({}, null)).toEqual({});
});

it('noise affects a ball more in a rod than between faces, and a percentile more than the median', () => {
  const half = (roundness: number, name: 'p5' | 'p50') =>
    find({}, surface, { atMedian: { ...flat, roundness }, all: { ...flat, roundness } })?.[
      `percentilesMm.${name}`
    ]?.expanded ?? 0;
  expect(half(1, 'p50')).toBeGreaterThan(1.1 * half(0, 'p50'));
  expect(half(0, 'p5')).toBeGreaterThan(1.02 * half(0, 'p50'));
});

it('the interval of the share below a minimum includes the area near the minimum, including rims', () => {
  const edgesMm = Array.from({ length: 31 }, (_, i) => 6 + i / 10);
  const histogram = { edgesMm, areaMm2: edgesMm.slice(1).map(() => 100) };
  const openAt = (minThicknessMm: number, rimShare = 0) =>
    find({ histogram, minThicknessMm, belowMinimumShare: 0.5 }, surface, { rimShare })?.belowMinimumShare
      ?.expanded;
  expect(openAt(7.5)).toBeGreaterThan(0.02);
  expect(openAt(7.5)).toBeLessThan(0.3);
  expect(openAt(7.5, 0.1)).toBeGreaterThan(openAt(7.5) ?? 1);
  expect(openAt(4.9)).toBe(0);
  expect(find({ histogram, minThicknessMm: 7, belowMinimumShare: 0.3 }, null)).toEqual({});
});

it('figures that rims affect have an interval only if those without rims are known', () => {
  const names = Object.keys(find({}, surface, { rimShare: 0.08 }) ?? {});
  expect(names).toEqual(['percentilesMm.p25', 'percentilesMm.p50', 'percentilesMm.p75']);
  const rimless = { ...measured, minMm: 7, percentilesMm };
  const extended = find({ rimless }, surface, { rimShare: 0.08 });
  expect(extended?.minMm?.expanded).toBeGreaterThan(1);
  expect(extended?.maxMm?.expanded).toBeCloseTo(find({})?.maxMm?.expanded ?? 0, 12);
});

it('a median has the roundness of its own walls, unaffected by the curvature of rims', () => {
  const rims = { ...flat, roundness: 1, curvature: 0.1 };
  const half = (shape: Partial<WallShape>, name: 'p25' | 'p50') =>
    find({}, surface, shape)?.[`percentilesMm.${name}`]?.expanded ?? 0;
  expect(half({ all: rims }, 'p50')).toBe(half({}, 'p50'));
  expect(half({ all: rims }, 'p25')).toBeGreaterThan(1.05 * half({}, 'p25'));
  expect(half({ atMedian: rims }, 'p50')).toBeGreaterThan(1.05 * half({}, 'p50'));
});

it('a ball is as round as a rod, convex, and has no rim', () => {
  const { positions, indices } = sphereMesh(4, 40, 80);
  const ball = { positions, indices, normals: positions.map((value) => value / 4) };
  const grid = { voxelSizeMm: [0.5, 0.5, 1] as Vector3 };
  const describe = (method: 'ray' | 'sphere', mm: number) =>
    describeShape(ball, method, new Float32Array(positions.length / 3).fill(mm), mm, grid);
  expect(describe('sphere', 8)).toMatchObject({ voxelMm: 1, rimShare: 0 });
  expect(describe('sphere', 8).all.roundness).toBeCloseTo(2, 1);
  expect(describe('sphere', 8).atMedian.curvature).toBeCloseTo(1 / 4, 2);
  expect(describe('sphere', 2).all.roundness).toBeCloseTo(0.5, 1);
  expect(describe('sphere', 2).rimShare).toBe(0);
  expect(describe('ray', 8).all.roundness).toBe(0);
});

const pool = inlinePool(await kernelModule());

async function measureWalls(body: Body, contrastToNoise: number, blur = 0.6) {
  const rendered = renderPart({ body, edgesMm: 0, pores: [], phases: [] }, [42, 42, 42], [1, 1, 1], blur);
  const scan = impairPart(rendered, { contrastToNoise, seed: 8 });
  const { dataObjects } = await runOnJudgedScan('runWallThickness', scan, pool);
  const { percentilesMm, uncertainties } = dataObjects[0].metadata;
  return { p50: percentilesMm.p50, expanded: uncertainties?.['percentilesMm.p50']?.expanded ?? 0 };
}

it.each([
  [6, [40, 32]],
  [9, [30, 27]],
] as const)(
  'intervals of a plate of %i voxels contain its thickness, although balls at its rims differ',
  async (thick, sides) => {
    const plate = turnedBody(box([...sides, thick]), [9, 14, 5]);
    const size: Vector3 = [sides[0] + 14, sides[1] + 14, 32];
    const rendered = renderPart({ body: plate, edgesMm: 0, pores: [], phases: [] }, size, [1, 1, 1], 0.6);
    const scan = impairPart(rendered, { contrastToNoise: 20, seed: 8 });
    const { dataObjects } = await runOnJudgedScan('runWallThickness', scan, pool);
    const { minMm, maxMm, meanMm, percentilesMm, uncertainties } = dataObjects[0].metadata;
    expect(maxMm).toBeGreaterThan(1.2 * thick);
    for (const [path, value] of [
      ['minMm', minMm],
      ['meanMm', meanMm],
      ['maxMm', maxMm],
      ['percentilesMm.p1', percentilesMm.p1],
      ['percentilesMm.p75', percentilesMm.p75],
      ['percentilesMm.p95', percentilesMm.p95],
      ['percentilesMm.p99', percentilesMm.p99],
    ] as const) {
      const { expanded = 0 } = uncertainties?.[path] ?? {};
      expect(Math.abs(value - thick), path).toBeLessThan(expanded);
      expect(expanded, path).toBeLessThan(2 * Math.abs(value - thick) + 0.8);
    }
  },
);

it('the rims of a plate, where balls are slightly larger, leave its median as certain as its faces', async () => {
  for (const [turn, thick, contrastToNoise, blur] of [
    [[0, 0, 20], 5.3, 20, 0.6],
    [[6, 11, 20], 6, 25, 1.1],
    [[90, 0, 10], 5.4, 30, 1],
  ] as const) {
    const plate = movedBody(turnedBody(box([30, 29, thick]), [...turn]), [0.2, 0.3, 0.1]);
    const { p50, expanded } = await measureWalls(plate, contrastToNoise, blur);
    expect(Math.abs(p50 - thick)).toBeLessThan(expanded);
    // Its rims made it 0.3 and more.
    expect(expanded, `of ${thick} voxels`).toBeLessThan(0.25);
  }
});

it.each([
  ['a small ball', sphere(6.4), 12.8],
  ['a ball', sphere(10.7), 21.4],
  ['a tilted rod', turnedBody(hollowCylinder(5.6, 0, 30), [25, 10, 40]), 11.2],
  ['a ring', turnedBody(torus(13, 4.3), [25, 10, 40]), 8.6],
])('the interval of %s includes the effect of roundness on thickness', async (_, body, truthMm) => {
  const { p50, expanded } = await measureWalls(body, 25);
  expect(Math.abs(p50 - truthMm)).toBeLessThan(expanded);
  expect(expanded).toBeLessThan(0.09 * truthMm);
});
