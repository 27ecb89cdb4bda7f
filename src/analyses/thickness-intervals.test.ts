import { expect, it } from 'vitest';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { estimateSurfaceUncertainty } from '#kernels/surface/surface-uncertainty.ts';
import { sphereMesh } from '#kernels/testing/meshes.ts';
import { describeShape, findThicknessUncertainties, type WallShape } from './thickness-intervals.ts';

const percentilesMm = { p1: 3, p5: 6, p25: 8, p50: 8, p75: 8, p95: 8, p99: 8 };
const measured = {
  ...{ minMm: 6, maxMm: 9, percentilesMm: { ...percentilesMm, p1: 6 } },
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
const find = (
  of: Partial<Parameters<typeof findThicknessUncertainties>[0]>,
  known: typeof surface | null = surface,
  shape: Partial<WallShape> = {},
) =>
  findThicknessUncertainties(
    { ...measured, ...of },
    known,
    { voxelMm: 1, roundness: 0, rimShare: 0, ...shape },
    [],
  );

it('thick walls are known by both of their faces, a single place less than a mean', () => {
  const found = find({});
  const median = found?.['percentilesMm.p50']?.expanded ?? 0;
  expect(median).toBeGreaterThan(4 * surface.level);
  expect(found?.meanMm?.expanded).toBe(median);
  expect(found?.minMm?.expanded).toBeGreaterThan(2 * median);
});

it('thin walls are known by their profiles, and not at all where some are below the detection limit', () => {
  const some = { thinWalls, percentilesMm, minMm: 2.5 };
  expect(find(some)?.['percentilesMm.p1']?.expanded).toBeCloseTo(0.1, 12);
  expect(find(some)).not.toHaveProperty('minMm');
  expect(find({ ...some, minMm: 1.5 })).not.toHaveProperty(['percentilesMm.p1']);
  expect(find({ ...some, minMm: 1.5 })).toHaveProperty(['percentilesMm.p50']);
});

it('of a surface that is not known there is none', () => {
  expect(find({}, null)).toEqual({});
});

it('a ball loses more to noise in a rod than between faces, and a percentile off the median scatters more', () => {
  const half = (roundness: number, name: 'p5' | 'p50') =>
    find({}, surface, { roundness })?.[`percentilesMm.${name}`]?.expanded ?? 0;
  expect(half(1, 'p50')).toBeGreaterThan(1.1 * half(0, 'p50'));
  expect(half(0, 'p5')).toBeGreaterThan(1.02 * half(0, 'p50'));
});

it('the share below a minimum is as open as there is area near it, rims and all', () => {
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

it('what rims have a say in has none', () => {
  const names = Object.keys(find({}, surface, { rimShare: 0.08 }) ?? {});
  expect(names).toEqual(['percentilesMm.p25', 'percentilesMm.p50', 'percentilesMm.p75']);
});

it('a ball is as round as a rod, and has no rim', () => {
  const { positions, indices } = sphereMesh(4, 40, 80);
  const ball = { positions, indices, normals: positions.map((value) => value / 4) };
  const grid = { voxelSizeMm: [0.5, 0.5, 1] as Vector3 };
  expect(describeShape(ball, 'sphere', 8, grid)).toMatchObject({ voxelMm: 1, roundness: 1 });
  expect(describeShape(ball, 'sphere', 2, grid).roundness).toBeCloseTo(0.5, 1);
  expect(describeShape(ball, 'sphere', 2, grid).rimShare).toBe(0);
  expect(describeShape(ball, 'ray', 8, grid).roundness).toBe(0);
});
