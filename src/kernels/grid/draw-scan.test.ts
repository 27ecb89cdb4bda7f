import { expect, it } from 'vitest';
import { drawScan, findVoxel, invertPose, placePoint, sampleVoxels } from './draw-scan.ts';
import type { Volume } from './volume.ts';

/** Grey values increase by 1 along x, 10 along y and 100 along z per voxel. */
const ramp: Volume = {
  dimensions: [6, 5, 4],
  voxelSizeMm: [0.5, 1, 2],
  originMm: [10, -3, 1],
  directions: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  dataType: 'uint16',
  data: Uint16Array.from(
    { length: 120 },
    (_, at) => (at % 6) + 10 * (Math.floor(at / 6) % 5) + 100 * Math.floor(at / 30),
  ),
};

/** A quarter turn about z, then a translation. */
const pose = [0, -1, 0, 4, 1, 0, 0, -2, 0, 0, 1, 7, 0, 0, 0, 1];

it('a pose and its inverse return a point to its position', () => {
  const there = placePoint(pose, [1, 2, 3]);
  expect(there).toEqual([2, -1, 10]);
  expect(placePoint(invertPose(pose), there)).toEqual([1, 2, 3]);
  expect(() => invertPose(new Array(16).fill(0))).toThrow(RangeError);
});

it('values between voxels are linear along each axis, and NaN outside', () => {
  expect(sampleVoxels(ramp, 1.5, 2.25, 0.5)).toBeCloseTo(1.5 + 22.5 + 50, 9);
  expect(sampleVoxels(ramp, -0.4, 0, 0)).toBe(0);
  expect(sampleVoxels(ramp, -0.6, 0, 0)).toBeNaN();
  expect(sampleVoxels(ramp, 5.4, 4.4, 3.4)).toBe(5 + 40 + 300);
});

/** Grey of a one-pixel picture centred at a point of the scan. */
function greyAt(
  place: [number, number, number],
  toScan: readonly number[] | null,
  plane: 'xy' | 'xz' | 'yz',
) {
  const pixels = new Uint32Array(1);
  drawScan(ramp, toScan, { plane, centre: place, heightMm: 1 }, [0, 510], {
    widthPx: 1,
    heightPx: 1,
    pixels,
  });
  return pixels[0] === 0 ? null : (pixels[0] ?? 0) & 0xff;
}

it.each(['xy', 'xz', 'yz'] as const)('the middle of a pane shows the voxel that lies there: %s', (plane) => {
  // Voxel 2, 3, 1 has the value 132; its grey is half of that.
  expect(findVoxel(ramp, [11, 0, 3])).toEqual([2, 3, 1]);
  expect(greyAt([11, 0, 3], null, plane)).toBe(66);
  expect(greyAt([9, 0, 3], null, plane)).toBeNull();
});

it('an aligned scan shows the same voxel at its aligned position', () => {
  expect(greyAt(placePoint(pose, [11, 0, 3]), invertPose(pose), 'xz')).toBe(66);
  expect(greyAt([11, 0, 3], invertPose(pose), 'xz')).toBeNull();
});

it('rows run down the second axis, columns along the first', () => {
  const pixels = new Uint32Array(9);
  drawScan(ramp, null, { plane: 'xy', centre: [11, 0, 1], heightMm: 3 }, [0, 255], {
    widthPx: 3,
    heightPx: 3,
    pixels,
  });
  // Voxels of 0.5 mm along x and 1 mm along y, pixels of 1 mm.
  expect([...pixels].map((pixel) => pixel & 0xff)).toEqual([40, 42, 44, 30, 32, 34, 20, 22, 24]);
});
