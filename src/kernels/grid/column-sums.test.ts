import { expect, it } from 'vitest';
import { hollowCylinder } from '../testing/bodies.ts';
import { renderBody } from '../testing/render-body.ts';
import { columnSums } from './column-sums.ts';
import { packVolume } from './pack-volume.ts';
import type { Vector3 } from './volume.ts';

/** A cylinder along z in a box of 40 mm: 24 mm across with a wall of 3 mm, 30 mm long. */
function thicknessOf(dimensions: Vector3, maxEdge = 256): number {
  const voxelSizeMm = dimensions.map((n) => 40 / n) as Vector3;
  const packed = packVolume(renderBody(hollowCylinder(12, 9, 30), { dimensions, voxelSizeMm }), maxEdge);
  return columnSums(packed, (value) => (value > 32768 ? 1 : 0));
}

it('how dense an X-ray picture is does not depend on the voxels that it is drawn from', () => {
  const fine = thicknessOf([128, 128, 128]);
  // Across the axis nine of ten lines pass less than the wall along its chord; along it they pass all of its length.
  expect(fine).toBeGreaterThan(6);
  expect(fine).toBeLessThan(16);
  expect(Math.abs(thicknessOf([128, 128, 128], 64) / fine - 1)).toBeLessThan(0.08);
  expect(Math.abs(thicknessOf([64, 64, 64]) / fine - 1)).toBeLessThan(0.08);
  expect(Math.abs(thicknessOf([128, 128, 32]) / fine - 1)).toBeLessThan(0.08);
});
