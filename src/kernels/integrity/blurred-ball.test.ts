import { expect, it } from 'vitest';
import { blurVolume } from '../testing/blur.ts';
import { sphere } from '../testing/bodies.ts';
import { renderBody } from '../testing/render-body.ts';
import { averageBlurredBall, readBlurredBall } from './blurred-ball.ts';

it('a blurred ball agrees with one that is rendered and blurred, at a distance and on average', () => {
  const cells = 61;
  const middle = (cells - 1) / 2;
  for (const [radius, deviation] of [
    [8, 2.4],
    [10, 3.5],
  ]) {
    const drawn = renderBody(sphere(radius), { dimensions: [cells, cells, cells], voxelSizeMm: [1, 1, 1] });
    const centre = (middle * cells + middle) * cells + middle;
    const [low, high] = [drawn.data[0], drawn.data[centre]];
    blurVolume(drawn, deviation);
    const values = Float64Array.from(drawn.data);
    const heightAt = (x: number, y: number, z: number) =>
      (values[((middle + z) * cells + middle + y) * cells + middle + x] - low) / (high - low);
    // A discrete Gaussian has slightly heavier tails, less so the wider it is. Cells are averages over their volume,
    // which widens the Gaussian.
    const widened = Math.hypot(deviation, Math.sqrt(1 / 12));
    for (const x of [1, 3, 5, 8])
      expect(heightAt(x, 0, 0)).toBeCloseTo(readBlurredBall(x, radius, widened), 2);
    const within: number[] = [];
    for (let z = -2; z <= 2; z++)
      for (let y = -2; y <= 2; y++)
        for (let x = -2; x <= 2; x++) if (x * x + y * y + z * z <= 4) within.push(heightAt(x, y, z));
    const reach = Math.cbrt((3 * within.length) / (4 * Math.PI));
    const mean = within.reduce((sum, height) => sum + height, 0) / within.length;
    expect(mean).toBeCloseTo(averageBlurredBall(reach, radius, widened), 2);
  }
});
