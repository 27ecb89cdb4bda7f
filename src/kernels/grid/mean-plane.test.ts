import { expect, it } from 'vitest';
import { seededRandom } from '../random.ts';
import { meanPlane } from './mean-plane.ts';
import { type DataType, voxelArray } from './volume.ts';

/** The full range of each type; means must stay within it. */
const ends: Record<DataType, [number, number]> = {
  uint8: [0, 2 ** 8 - 1],
  int8: [-(2 ** 7), 2 ** 7 - 1],
  uint16: [0, 2 ** 16 - 1],
  int16: [-(2 ** 15), 2 ** 15 - 1],
  uint32: [0, 2 ** 32 - 1],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  float32: [-1e6, 1e6],
  float64: [-1e6, 1e6],
};

it.each(Object.keys(ends) as DataType[])(
  'each cell of a coarser plane is the mean of the %s cells that it covers, rounded half up',
  (dataType) => {
    const seed = 5;
    const random = seededRandom(seed);
    const [low, high] = ends[dataType];
    const isFloat = dataType.startsWith('float');
    for (const [width, height, planes] of [
      [8, 6, 2],
      [7, 5, 2],
      [6, 4, 1],
    ]) {
      const source = voxelArray(dataType, width * height * planes).map(() => {
        const kind = random();
        if (kind < 0.2) return kind < 0.1 ? low : high;
        const value = low + random() * (high - low);
        return isFloat ? value : Math.floor(value);
      });
      // Includes blocks of eight values at either end of the range.
      for (let z = 0; z < planes; z++)
        for (let y = 0; y < 2; y++) {
          source.fill(low, z * width * height + y * width, z * width * height + y * width + 2);
          source.fill(high, z * width * height + y * width + 2, z * width * height + y * width + 4);
        }
      const [across, down] = [Math.ceil(width / 2), Math.ceil(height / 2)];
      const target = voxelArray(dataType, across * down);
      meanPlane(source, 0, planes, width, height, target);
      for (let at = 0; at < target.length; at++) {
        const [x, y] = [2 * (at % across), 2 * Math.floor(at / across)];
        let [sum, count] = [0, 0];
        for (let cell = 0; cell < 4 * planes; cell++) {
          const [i, j, k] = [x + (cell & 1), y + ((cell >> 1) & 1), cell >> 2];
          if (i >= width || j >= height) continue;
          sum += source[(k * height + j) * width + i];
          count++;
        }
        const where = `cell ${at} of ${width} × ${height} × ${planes}, seed ${seed}`;
        if (isFloat) expect(target[at] / 1e6, where).toBeCloseTo(sum / count / 1e6, 6);
        else expect(target[at], where).toBe(Math.floor(sum / count + 0.5));
      }
    }
  },
);
