/** Slices as a stack of files in the wrong order leaves them, and a part that shakes. */
import type { Volume } from '../../grid/volume.ts';
import { addNoise } from '../../phantoms/carve.ts';
import { seededNormal } from '../../phantoms/random.ts';

/** A copy whose slices are in turn those of other places. @param from the number of the slice at each place, and how far it is moved along x and y, in whole voxels */
function copySlices(
  volume: Volume,
  from: (z: number) => [slice: number, dx: number, dy: number],
  planes = volume.dimensions[2],
): Volume {
  const { dimensions, data: before } = volume;
  const [nx, ny, nz] = dimensions;
  const data = new Uint16Array(nx * ny * planes);
  const clamp = (n: number, end: number) => Math.min(end - 1, Math.max(0, n));
  for (let z = 0, i = 0; z < planes; z++) {
    const [slice, dx, dy] = from(z);
    for (let y = 0; y < ny; y++)
      for (let x = 0; x < nx; x++, i++)
        data[i] = before[(clamp(slice, nz) * ny + clamp(y + dy, ny)) * nx + clamp(x + dx, nx)];
  }
  return { ...volume, dimensions: [nx, ny, planes], dataType: 'uint16', data };
}

/** Each two neighbours are swapped. */
export const swapSlices = (volume: Volume): Volume => copySlices(volume, (z) => [z ^ 1, 0, 0]);

/** Each is moved along x and y. @param deviation standard deviation, in voxels */
export function shakeSlices(volume: Volume, deviation: number, seed: number): Volume {
  const normal = seededNormal(seed);
  return copySlices(volume, (z) => [z, Math.round(deviation * normal()), Math.round(deviation * normal())]);
}

/**
 * Two scans joined at three eighths of their height that overlap by other than was thought: so many slices are doubled, or, below 0, missing.
 * @param noise standard deviation of what each slice gets of its own; 0: doubled slices are copies
 */
export function joinScans(volume: Volume, doubled: number, noise = 0): Volume {
  const planes = volume.dimensions[2];
  const joined = copySlices(volume, (z) => [z < (3 * planes) >> 3 ? z : z - doubled, 0, 0], planes + doubled);
  addNoise(joined, noise, planes);
  return joined;
}
