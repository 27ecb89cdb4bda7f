import { expect, it } from 'vitest';
import { listPowers, paintHistogram } from './paint-histogram.ts';

it('the axis of a logarithmic histogram has a power of ten where a bar with as many voxels ends', () => {
  const counts = [1, 10, 100, 1000, 20_000];
  const tops: number[] = [];
  const context = {
    rect: (_x: number, y: number) => tops.push(100 - y),
    beginPath: () => undefined,
    fill: () => undefined,
  };
  const histogram = { minimum: 0, maximum: 5, counts };
  paintHistogram(context as unknown as CanvasRenderingContext2D, histogram, (value) => value, 100, 80);
  const powers = listPowers(histogram);
  expect(powers.map(([, label]) => label)).toEqual(['1', '10', '10²', '10³', '10⁴']);
  for (const [i, [share]] of powers.slice(0, 4).entries()) expect(80 * share).toBeCloseTo(tops[i] ?? 0, 9);
});

it('has at most five powers, and one if all bins are empty', () => {
  expect(listPowers({ counts: [3e10] }).map(([, label]) => label)).toEqual(['1', '10³', '10⁶', '10⁹']);
  expect(listPowers({ counts: [0, 0] }).every(([share]) => Number.isFinite(share))).toBe(true);
});
