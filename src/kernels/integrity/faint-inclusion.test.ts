import { expect, it } from 'vitest';
import { blurVolume } from '../testing/blur.ts';
import { movedBody, sphere } from '../testing/bodies.ts';
import { renderBody } from '../testing/render-body.ts';
import { modelInclusion } from './faint-inclusion.ts';

it.each([
  [3, 1],
  [4, 0.3],
  [5, 2],
])(
  'the volume of a blurred ball of radius %d and height %d follows from its excess and its cells',
  (radius, height) => {
    const [blur, level] = [0.6, 0.12];
    const volume = renderBody(movedBody(sphere(radius), [0.23, 0.37, -0.11]), {
      ...{ dimensions: [24, 24, 24], voxelSizeMm: [1, 1, 1] },
      ...{ dataType: 'float32', air: 0, material: height },
    });
    blurVolume(volume, blur);
    const values = Array.from(volume.data);
    const excess = values.reduce((sum, value) => sum + value, 0);
    const voxels = values.filter((value) => value > level).length;
    const truth = (4 / 3) * Math.PI * radius ** 3;
    expect(Math.abs(modelInclusion(excess, voxels, level, blur) / truth - 1)).toBeLessThan(0.2);
  },
);
