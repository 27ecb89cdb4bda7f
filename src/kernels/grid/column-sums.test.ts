import { expect, it } from 'vitest';
import { hollowCylinder } from '../testing/bodies.ts';
import { renderBody } from '../testing/render-body.ts';
import { columnSums } from './column-sums.ts';
import { packVolume } from './pack-volume.ts';
import type { Vector3 } from './volume.ts';

/** A tube along z in a box of 40 mm: diameter 24 mm, wall 3 mm, length 30 mm. */
function measureThickness(dimensions: Vector3, maxEdge = 256): number {
  const voxelSizeMm = dimensions.map((n) => 40 / n) as Vector3;
  const packed = packVolume(renderBody(hollowCylinder(12, 9, 30), { dimensions, voxelSizeMm }), maxEdge);
  return columnSums(packed, (value) => (value > 32768 ? 1 : 0));
}

it('the density of an X-ray picture does not depend on the voxel size', () => {
  const fine = measureThickness([128, 128, 128]);
  // Across the axis, 90 % of the rays pass less than a chord through the wall; along the axis they pass its full
  // length.
  expect(fine).toBeGreaterThan(6);
  expect(fine).toBeLessThan(16);
  expect(Math.abs(measureThickness([128, 128, 128], 64) / fine - 1)).toBeLessThan(0.08);
  expect(Math.abs(measureThickness([64, 64, 64]) / fine - 1)).toBeLessThan(0.08);
  expect(Math.abs(measureThickness([128, 128, 32]) / fine - 1)).toBeLessThan(0.08);
});
