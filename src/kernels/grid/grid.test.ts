import { beforeAll, describe, expect, it } from 'vitest';
import type { KernelPool } from '../arena.ts';
import { inlinePool } from '../pool.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { computeTotal, findPercentile, greyPeaks, otsuLevel } from './histogram.ts';
import { cellsAbove, type GreyOutline } from './outline.ts';
import type { CellBox } from './region.ts';
import { summarizeVolume } from './summarize.ts';
import { type DataType, identityDirections, makeSlabs, type Vector3, voxelArray } from './volume.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule(), 2);
});

/** @param period after this many values they repeat */
const makeSource = (
  dataType: DataType,
  dimensions: Vector3,
  value: (i: number) => number,
  period = Number.POSITIVE_INFINITY,
) => {
  const data = voxelArray(dataType, dimensions[0] * dimensions[1] * dimensions[2]);
  for (let i = 0; i < Math.min(period, data.length); i++) data[i] = value(i);
  for (let done = period; done < data.length; done *= 2) data.copyWithin(done, 0, done);
  return makeSlabs({
    dimensions,
    voxelSizeMm: [1, 1, 1],
    originMm: [0, 0, 0],
    directions: identityDirections(),
    dataType,
    data,
  });
};

describe('histograms', () => {
  const twoPeaks = { min: 0, max: 100, counts: [0, 8, 20, 8, 0, 0, 0, 4, 10, 4] };

  it('split two peaks in the middle of the gap between them', () => {
    // Values end at 40 and resume at 70: every level in between is equally good.
    expect(otsuLevel(twoPeaks)).toBeCloseTo(55, 10);
  });

  it('find peaks and the level midway between them', () => {
    const counts = Array.from(
      { length: 1000 },
      (_, i) =>
        900 * Math.exp(-0.5 * ((i - 200.3) / 30) ** 2) + 500 * Math.exp(-0.5 * ((i - 700.6) / 40) ** 2),
    );
    const peaks = greyPeaks({ min: -1, max: 1, counts });
    expect(peaks?.air).toBeCloseTo(-1 + 0.002 * 200.8, 3);
    expect(peaks?.material).toBeCloseTo(-1 + 0.002 * 701.1, 3);
    expect(peaks?.iso50).toBeCloseTo(-1 + 0.002 * 450.95, 3);
  });

  it('have no level when there is only one kind of value', () => {
    expect(otsuLevel({ min: 0, max: 3, counts: [0, 7, 0] })).toBeNull();
    expect(greyPeaks({ min: 0, max: 3, counts: [0, 7, 0] })).toBeNull();
  });

  it('give percentiles, linear within a bin', () => {
    const flat = { min: 10, max: 30, counts: [5, 5] };
    expect(computeTotal(flat)).toBe(10);
    for (const [share, value] of [
      [0, 10],
      [0.25, 15],
      [0.5, 20],
      [1, 30],
      [7, 30],
    ])
      expect(findPercentile(flat, share)).toBeCloseTo(value, 10);
    expect(findPercentile({ min: 0, max: 1, counts: [0, 0] }, 0.5)).toBeNaN();
  });
});

describe('the summary of a volume', () => {
  it.each([
    ['int8', -100, 90],
    ['uint16', 3, 65_000],
    ['int16', -30_000, 12],
    ['int32', -2_000_000, 5],
    ['float32', -0.5, 0.25],
    ['float64', 1e-9, 1e9],
  ] as [DataType, number, number][])(
    'counts every value of %s once and finds their range',
    async (type, low, high) => {
      const source = makeSource(type, [7, 5, 3], (i) => (i % 3 === 0 ? high : low));
      const { range, histogram, isoValue } = await summarizeVolume(source, pool);
      expect(range).toEqual([low, high]);
      expect(computeTotal(histogram)).toBe(105);
      expect(histogram.min).toBeLessThanOrEqual(low);
      expect(histogram.max).toBeGreaterThanOrEqual(high);
      expect(isoValue).toBeGreaterThan(low);
      expect(isoValue).toBeLessThan(high);
    },
  );

  it.each(['uint8', 'int16', 'float32', 'float64'] as DataType[])(
    'counts every value of %s once, for any number of planes per read and any number of threads',
    async (dataType) => {
      const module = await kernelModule();
      for (const [dimensions, atOnce] of [
        [[401, 400, 3], 1],
        [[1, 1, 5], 1],
        [[131, 3, 67], 4 * 131 * 3],
        [[131, 3, 67], undefined],
        // One of these planes exceeds the default number of cells read at a time.
        ...(dataType === 'uint8' ? ([[[4001, 4000, 2], undefined]] as const) : []),
      ] as [Vector3, number | undefined][]) {
        const cells = dimensions[0] * dimensions[1] * dimensions[2];
        const bias = dataType === 'uint8' ? 0 : -50;
        const source = makeSource(dataType, dimensions, (i) => bias + ((i * 7919) % 101), 101);
        const options = atOnce === undefined ? {} : { cells: atOnce };
        const first = await summarizeVolume(source, inlinePool(module, 1), options);
        expect(first.range).toEqual(cells > 101 ? [bias, bias + 100] : expect.anything());
        expect(computeTotal(first.histogram)).toBe(cells);
        for (const threads of [2, 5]) {
          expect(await summarizeVolume(source, inlinePool(module, threads), options)).toEqual(first);
        }
      }
    },
    60_000,
  );

  it('ignores NaN and infinities', async () => {
    const odd = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1, 2];
    const { range, histogram } = await summarizeVolume(
      makeSource('float32', [5, 4, 2], (i) => odd[i % 5]),
      pool,
    );
    expect(range).toEqual([1, 2]);
    expect(computeTotal(histogram)).toBe(16);
  });

  it('throws when no value is finite', async () => {
    const source = makeSource('float64', [2, 2, 2], () => Number.NaN);
    await expect(summarizeVolume(source, pool)).rejects.toThrow('no finite grey value');
  });

  it('has one bin and no level for a constant volume', async () => {
    const { range, isoValue, otsuValue } = await summarizeVolume(
      makeSource('uint8', [3, 3, 3], () => 9),
      pool,
    );
    expect(range).toEqual([9, 9]);
    expect([isoValue, otsuValue]).toEqual([null, null]);
  });
});

describe('the outline of grey values', () => {
  it.each(['uint8', 'int8', 'uint16', 'int16', 'uint32', 'int32', 'float32', 'float64'] as DataType[])(
    'has the greatest value of each eight planes of %s',
    async (dataType) => {
      for (const dimensions of [
        [19, 26, 9],
        [8, 16, 24],
        [1, 3, 1],
      ] as Vector3[]) {
        const [nx, ny] = dimensions;
        const sign = /^u/.test(dataType) ? 1 : -1;
        const value = (i: number) => sign * (1 + ((i * 7919) % 113));
        const { outline } = await summarizeVolume(makeSource(dataType, dimensions, value), pool);
        const expected = dimensions.map((n) =>
          new Array<number>(Math.ceil(n / 8)).fill(Number.NEGATIVE_INFINITY),
        );
        for (let i = 0; i < dimensions.reduce((all, n) => all * n); i++) {
          const cell = [i % nx, Math.floor(i / nx) % ny, Math.floor(i / (nx * ny))];
          for (const [k, n] of cell.entries()) expected[k][n >> 3] = Math.max(expected[k][n >> 3], value(i));
        }
        expect(outline).toEqual({ step: 8, greatest: expected });
      }
    },
  );

  it('has no value for slabs that contain no number or an infinite one', async () => {
    const values = [Number.NaN, 2, Number.POSITIVE_INFINITY];
    const { outline } = await summarizeVolume(
      makeSource('float32', [24, 1, 1], (i) => values[i >> 3]),
      pool,
    );
    expect(outline.greatest).toEqual([[null, 2, null], [null], [null]]);
  });

  const region = { from: [0, 5, 0], to: [100, 100, 60] } as CellBox;
  const outline: GreyOutline = {
    step: 8,
    greatest: [
      [1, 1, 1, 1, 1, 9, 9, 1, 1, 1, 1, 1, 1],
      [1, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
      [1, 1, 1, 1, 1, 1, null, 1],
    ],
  };

  it('restricts a region to the cells above the level, with a margin within the region', () => {
    expect(cellsAbove(region, outline, 5, 10)).toEqual({ from: [30, 5, 38], to: [66, 26, 60] });
    expect(cellsAbove(region, outline, 0.5, 0)).toEqual(region);
  });

  it('keeps all of a region without an outline, or without values above the level', () => {
    expect(cellsAbove(region, undefined, 5, 10)).toBe(region);
    expect(cellsAbove(region, outline, 9, 10)).toBe(region);
    const beside: CellBox = { from: [0, 0, 0], to: [20, 100, 60] };
    expect(cellsAbove(beside, outline, 5, 10)).toBe(beside);
  });
});
