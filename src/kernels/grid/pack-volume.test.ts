import { describe, expect, it } from 'vitest';
import { packVolume } from './pack-volume.ts';
import { gridMmToWorld } from './plane-transform.ts';
import { identityDirections, type Volume } from './volume.ts';

const ramp = (more: Partial<Volume> = {}): Volume => ({
  dimensions: [4, 3, 2],
  voxelSizeMm: [0.5, 1, 2],
  originMm: [10, 20, 30],
  directions: identityDirections(),
  dataType: 'uint16',
  data: Uint16Array.from({ length: 24 }, (_, i) => 100 + i),
  ...more,
});

describe('a packed volume', () => {
  it('scales its values to 16 bits, and back', () => {
    const { voxels, low, high, grid } = packVolume(ramp(), 256);
    expect([low, high]).toEqual([100, 123]);
    expect([voxels[0], voxels[23]]).toEqual([0, 65535]);
    for (const [i, packed] of voxels.entries())
      expect(low + ((high - low) * packed) / 65535).toBeCloseTo(100 + i, 3);
    expect(grid.dimensions).toEqual([4, 3, 2]);
  });

  it('maps NaN to the lowest value', () => {
    const data = Float32Array.from([0, Number.NaN, -3, Infinity, 5, -Infinity, 1, 2]);
    const { voxels, low, high } = packVolume(ramp({ dimensions: [2, 2, 2], dataType: 'float32', data }), 256);
    expect([low, high]).toEqual([-3, 5]);
    expect([...voxels.subarray(0, 6)]).toEqual([24576, 0, 0, 65535, 65535, 0]);
  });

  it('is not empty when all values are equal', () => {
    const { voxels, low, high } = packVolume(ramp({ data: new Uint16Array(24).fill(7) }), 256);
    expect([low, high, Math.max(...voxels)]).toEqual([7, 8, 0]);
  });

  it('is reduced by whole blocks where it would be too long, in the same position', () => {
    const turned: Volume['directions'] = [0, 1, 0, -1, 0, 0, 0, 0, 1];
    const volume = ramp({
      dimensions: [4, 4, 2],
      data: Uint16Array.from({ length: 32 }, (_, i) => i),
      directions: turned,
    });
    const { grid, voxels, low, high } = packVolume(volume, 2);
    expect(grid.dimensions).toEqual([2, 2, 1]);
    expect(grid.voxelSizeMm).toEqual([1, 2, 4]);
    // The centre of the first eight voxels, in the world.
    const middle = gridMmToWorld(volume, [10 + 0.25, 20 + 0.5, 30 + 1]);
    for (let k = 0; k < 3; k++) expect(grid.originMm[k]).toBeCloseTo(middle[k], 9);
    const first = [0, 1, 4, 5, 16, 17, 20, 21].reduce((sum, each) => sum + each, 0) / 8;
    expect(low).toBeCloseTo(first, 5);
    expect(low + ((high - low) * voxels[1]) / 65535).toBeCloseTo(first + 2, 3);
  });
});
