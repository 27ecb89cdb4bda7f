import { expect, it } from 'vitest';
import { type Camera, frame, orbited, rolled, standardView, standardViews } from '#kernels/grid/camera.ts';
import { placeCamera, readCameraNumbers } from './camera-numbers.ts';

const bounds = { min: [-1, -2, -3], max: [3, 2, 1] } as {
  min: [number, number, number];
  max: [number, number, number];
};

/** Axes of the picture, its centre and its height: everything that determines the picture. */
const describe = (camera: Camera) => [
  ...Object.values(frame(camera)).flat(),
  ...camera.target,
  camera.heightMm,
];

it('numbers of the standard views are what an engineer expects', () => {
  const read = (name: (typeof standardViews)[number]) => {
    const { azimuth, elevation, roll } = readCameraNumbers(standardView(name, bounds, 1));
    return [azimuth, elevation, roll].map((each) => Math.round(each * 1e6) / 1e6 + 0);
  };
  expect(read('front')).toEqual([-90, 0, 0]);
  expect(read('right')).toEqual([0, 0, 0]);
  expect(read('back')).toEqual([90, 0, 0]);
  expect(read('top')).toEqual([0, 90, 0]);
  expect(read('isometric')[1]).toBeCloseTo(30, 1);
});

it('a camera placed by its own numbers shows the same picture, however it was rotated', () => {
  for (const name of standardViews)
    for (const projection of ['orthographic', 'perspective'] as const)
      for (const [yaw, pitch, roll] of [
        [0, 0, 0],
        [0.4, -0.3, 0],
        [-2, 1.1, 0.7],
      ] as const) {
        const camera = rolled(orbited(standardView(name, bounds, 1.3, projection), yaw, pitch), roll);
        const again = placeCamera(camera, readCameraNumbers(camera));
        expect(again.projection).toBe(projection);
        for (const [i, each] of describe(camera).entries()) expect(describe(again)[i]).toBeCloseTo(each, 6);
        for (const k of [0, 1, 2]) expect(again.position[k]).toBeCloseTo(camera.position[k] ?? NaN, 5);
      }
});

it('typing one number changes nothing else', () => {
  const camera = standardView('isometric', bounds, 1);
  const before = readCameraNumbers(camera);
  const after = readCameraNumbers(placeCamera(camera, { ...before, azimuth: 20 }));
  expect(after.azimuth).toBeCloseTo(20, 6);
  expect(after.elevation).toBeCloseTo(before.elevation, 6);
  expect(after.roll).toBeCloseTo(before.roll, 6);
  expect(after.target).toEqual(before.target);
});
