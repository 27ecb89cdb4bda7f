import { expect, test } from 'vitest';
import { mappedToUint16, percentileRange } from '#kernels/grid/map-grey-values.ts';
import { planView, reducedSlabs } from '#kernels/grid/reduce-slabs.ts';
import { identityDirections, makeSlabs, type Volume } from '#kernels/grid/volume.ts';

const volume = (dimensions: [number, number, number], value: (i: number) => number): Volume => ({
  dimensions,
  voxelSizeMm: [0.1, 0.2, 0.3],
  originMm: [1, 2, 3],
  directions: identityDirections(),
  dataType: 'int16',
  data: Int16Array.from({ length: dimensions[0] * dimensions[1] * dimensions[2] }, (_, i) => value(i)),
});

const levels = [
  { dimensions: [128, 100, 90] as [number, number, number] },
  { dimensions: [64, 50, 45] as [number, number, number] },
];

test('a view uses the finest level within the limits', () => {
  expect(planView(levels, { maxDimension: 2048 })).toEqual({
    level: 0,
    factor: 1,
    dimensions: [128, 100, 90],
  });
  expect(planView(levels, { maxDimension: 100 }).level).toBe(1);
  expect(planView(levels, { maxDimension: 2048, maxVoxelCount: 200_000 }).level).toBe(1);
});

test('limits below the coarsest level reduce that level further', () => {
  expect(planView(levels, { maxDimension: 20 })).toEqual({ level: 1, factor: 4, dimensions: [16, 13, 12] });
  const one = planView(levels, { maxDimension: 2048, maxVoxelCount: 1 });
  expect(one.dimensions).toEqual([1, 1, 1]);
});

test('reducing averages, rounds integers, averages the remainder at the ends and shifts the origin', async () => {
  const source = makeSlabs(volume([3, 2, 2], (i) => i));
  const reduced = reducedSlabs(source, 2);
  expect(reduced.grid.dimensions).toEqual([2, 1, 1]);
  // cells 0 1 3 4 6 7 9 10 → 5, cells 2 5 8 11 → 6.5
  expect(await reduced.readSlab(0, 1)).toEqual(Int16Array.from([5, 7]));
  expect(reduced.grid.voxelSizeMm).toEqual([0.2, 0.4, 0.6]);
  expect(reduced.grid.originMm.map((value) => Number(value.toFixed(6)))).toEqual([1.05, 2.1, 3.15]);
});

test('percentiles of integers are values that occur, and mapping clamps beyond them', async () => {
  const source = makeSlabs(volume([10, 10, 10], (i) => i - 500));
  expect(await percentileRange(source, [0, 100])).toEqual([-500, 499]);
  const [low, high] = await percentileRange(source, [10, 90]);
  expect([low, high]).toEqual([-401, 399]);
  const mapped = await mappedToUint16(source, [low, high]).readSlab(0, 10);
  expect([mapped[0], mapped[99], mapped[899], mapped[999]]).toEqual([0, 0, 65_535, 65_535]);
  expect(Math.abs(mapped[499] - 32_768)).toBeLessThan(82);
});

test('a volume with a single value has a range and maps to 0', async () => {
  const source = makeSlabs(volume([2, 2, 2], () => 7));
  expect(await percentileRange(source, [1, 99])).toEqual([7, 7]);
  expect([...(await mappedToUint16(source, [7, 7]).readSlab(0, 2))]).toEqual(new Array(8).fill(0));
});
