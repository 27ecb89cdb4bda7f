import { describe, expect, it } from 'vitest';
import { seededRandom } from '../random.ts';
import { hollowCylinder, sphere } from '../testing/bodies.ts';
import { addNoise } from '../testing/carve.ts';
import { renderBody } from '../testing/render-body.ts';
import { collectLabels } from './labels.ts';
import { wholeGrid } from './region.ts';
import {
  type DataType,
  identityDirections,
  makeSlabs,
  type Vector3,
  type Volume,
  voxelArray,
} from './volume.ts';

function renderVolume(
  dimensions: Vector3,
  value: (x: number, y: number, z: number) => number,
  dataType: DataType = 'uint8',
): Volume {
  const [nx, ny, nz] = dimensions;
  const data = voxelArray(dataType, nx * ny * nz);
  let i = 0;
  for (let z = 0; z < nz; z++) {
    for (let y = 0; y < ny; y++) for (let x = 0; x < nx; x++) data[i++] = value(x, y, z);
  }
  return {
    dimensions,
    voxelSizeMm: [0.1, 0.2, 0.3],
    originMm: [0, 0, 0],
    directions: identityDirections(),
    dataType,
    data,
  };
}
const labels = (volume: Volume) => collectLabels(makeSlabs(volume), wholeGrid(makeSlabs(volume).grid));
const boxes = (values: readonly number[]) => (x: number, y: number, z: number) =>
  values[(Math.floor(x / 5) + Math.floor(y / 5) + Math.floor(z / 5)) % values.length];

describe('the labels of a segmented volume', () => {
  it('are its few distinct values, for each type, including negative ones, with missing cells ignored', async () => {
    for (const dataType of ['uint8', 'int16', 'uint16', 'float32'] as const) {
      expect(await labels(renderVolume([21, 17, 13], boxes([0, 170, 85]), dataType))).toEqual([0, 85, 170]);
    }
    const signed = boxes([-1000, 40, 300]);
    const holed = (x: number, y: number, z: number) => (x === 7 ? Number.NaN : signed(x, y, z));
    expect(await labels(renderVolume([21, 17, 13], holed, 'float32'))).toEqual([-1000, 40, 300]);
    expect(await labels(renderVolume([9, 9, 9], () => 3))).toEqual([3]);
  });

  it('are found in layers of three cells, and across slab boundaries', async () => {
    // Slabs of 32 MB contain 49 of these planes.
    const thin = renderVolume([800, 800, 60], (x, _, z) =>
      z >= 46 && z < 49 && x > 9 ? 2 : x < 400 ? 0 : 1,
    );
    expect(await labels(thin)).toEqual([0, 1, 2]);
  });

  it('exclude one-cell-wide transitions at sharp edges', async () => {
    const half = renderVolume([24, 24, 24], (x, y) => (x < 10 ? 0 : x === 10 ? (y < 12 ? 50 : 51) : 100));
    expect(await labels(half)).toEqual([0, 100]);
  });

  it('are null for a scan, with or without noise, and for a volume with more values', async () => {
    const options = { dimensions: [30, 28, 26] as Vector3, voxelSizeMm: [0.1, 0.1, 0.1] as Vector3 };
    const tube = renderBody(hollowCylinder(1.1, 0.6, 2), options);
    expect(await labels(tube)).toBeNull();
    const noisy = renderBody(sphere(1), options);
    addNoise(noisy, 300, 1);
    expect(await labels(noisy)).toBeNull();
    expect(await labels(renderVolume([40, 40, 40], boxes([0, 1, 2, 3, 4, 5, 6])))).toBeNull();
    const random = seededRandom(4);
    // Few values, but none with inner cells.
    expect(await labels(renderVolume([20, 20, 20], () => Math.floor(6 * random())))).toEqual([]);
  });

  it('are empty for a volume without inner cells', async () => {
    for (const dimensions of [
      [1, 1, 1],
      [30, 1, 1],
      [2, 9, 9],
      [9, 9, 2],
    ] as Vector3[]) {
      expect(await labels(renderVolume(dimensions, () => 1))).toEqual([]);
    }
  });
});
