import { expect, it } from 'vitest';
import { sphereMesh } from '../testing/meshes.ts';
import { estimateSurfaceUncertainty, findBrightening, findCurvature } from './surface-uncertainty.ts';

it('a level that is off moves the whole surface by its share of the contrast over the steepness of the edges', () => {
  const shift = (levelShare: number, blurVoxels: number) =>
    estimateSurfaceUncertainty({ blurVoxels, noiseShare: 0, levelShare }).level;
  expect(shift(0.1, 1.5)).toBeCloseTo(0.1 * Math.sqrt(2 * Math.PI) * Math.hypot(1.5, Math.sqrt(1 / 12)), 2);
  expect(shift(0.2, 1)).toBeGreaterThan(1.9 * shift(0.1, 1));
});

it('noise scatters single places, the more the wider the edges are', () => {
  const scatter = (noiseShare: number, blurVoxels: number) =>
    estimateSurfaceUncertainty({ blurVoxels, noiseShare, levelShare: 0 }).noise;
  expect(scatter(0.1, 0.6)).toBeCloseTo(2 * scatter(0.05, 0.6), 12);
  expect(scatter(0.05, 1.5)).toBeGreaterThan(1.4 * scatter(0.05, 0.6));
});

/** Grey values of noise alone about a mean. */
function countNormal(mean: number, sd: number, amount: number): number[] {
  return Array.from({ length: 200 }, (_, bin) =>
    Math.round(amount * Math.exp(-(((bin + 0.5 - mean) / sd) ** 2) / 2)),
  );
}

it('a rim that is brighter than the inside shows beyond the noise of the peak, noise alone does not', () => {
  const inside = countNormal(120, 5, 1e5);
  const peaks = { air: 20, material: 120 };
  const brightening = (counts: number[]) => findBrightening({ min: 0, max: 200, counts }, peaks, 5);
  expect(brightening(inside)).toBeLessThan(0.006);
  const rim = countNormal(150, 5, 4e4);
  expect(brightening(inside.map((count, bin) => count + rim[bin]))).toBeCloseTo(0.26, 1);
});

it('the mean curvature of a sphere is one over its radius, of a sheet none', () => {
  const radius = 4;
  const { positions, indices } = sphereMesh(radius, 40, 80);
  const normals = positions.map((value) => value / radius);
  const ball = { positions, normals, indices };
  expect(findCurvature(ball).mean).toBeCloseTo(1 / radius, 2);
  expect(findCurvature(ball, 1.2 / radius).sharpShare).toBe(0);
  expect(findCurvature(ball, 0.8 / radius).sharpShare).toBeGreaterThan(0.95);
  const sheet = {
    positions: new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0]),
    normals: new Float32Array([0, 0, 1, 0, 0, 1, 0, 0, 1]),
    indices: new Uint32Array([0, 1, 2]),
  };
  expect(findCurvature(sheet)).toEqual({ mean: 0, sharpShare: 0 });
});
