import { describe, expect, it } from 'vitest';
import { curvatureKeepingWeights, gaussWeights } from './filter-weights.ts';
import { directionSteps, type PointSpread, spreadTable } from './point-spread.ts';

/** xx, yy, zz and the mixed ones over the direction's parts, of a direction whose squares are i, j and the rest. */
function momentsOf(spread: PointSpread, i: number, j: number): number[] {
  const table = spreadTable(spread);
  return [...table.subarray(8 * (j * (directionSteps + 1) + i), 8 * (j * (directionSteps + 1) + i) + 6)];
}
const none = [[1], [1], [1]];
const cubic: PointSpread = { voxelSizeMm: [1, 1, 1], blurVariance: 0, weights: none, byLines: false };

describe('the point spread across a direction', () => {
  it('is that of a cell’s own length where a face lies along the axes', () => {
    const [xx, yy, zz] = momentsOf({ ...cubic, voxelSizeMm: [0.1, 0.1, 0.15] }, directionSteps, 0);
    expect(xx).toBeLessThan(1e-5);
    expect(yy).toBeCloseTo(0.1 ** 2 / 12, 6);
    expect(zz).toBeCloseTo(0.15 ** 2 / 12, 6);
  });

  it('is as wide as the blur in every direction of the plane, and nothing across it', () => {
    const variance = 4;
    const [i, j] = [directionSteps / 4, directionSteps / 2];
    const moments = momentsOf({ ...cubic, blurVariance: variance }, i, j);
    const [x, y, z] = [i, j, directionSteps - i - j].map((step) => Math.sqrt(step / directionSteps));
    // The projection onto the plane, times the blur and a cell's own variance.
    const width = variance + 1 / 12;
    for (const [k, part] of [x, y, z].entries()) expect(moments[k] / width).toBeCloseTo(1 - part ** 2, 2);
    for (const mixed of moments.slice(3)) expect(mixed / width).toBeCloseTo(-1, 2);
    // Whatever the plane holds lies in it.
    expect(moments[0] * x + moments[3] * x * y * y + moments[4] * x * z * z).toBeCloseTo(0, 3);
  });

  it('grows by the variance of a filter, and by none where the filter takes back what a cell adds', () => {
    const along = (weights: number[]) =>
      momentsOf({ ...cubic, weights: [weights, weights, weights] }, 0, 0)[0];
    expect(along(gaussWeights(1))).toBeCloseTo(1 + 1 / 12, 1);
    expect(Math.abs(along(curvatureKeepingWeights(1)))).toBeLessThan(0.01);
  });
});
