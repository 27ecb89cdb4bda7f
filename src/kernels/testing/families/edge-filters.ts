/** Edge-preserving smoothing filters as other CT software offers them; the product has none of these. */
import type { Volume } from '../../grid/volume.ts';

/** Grey value at an offset from the current voxel, in voxels; border values are repeated outside. */
type Around = (dx: number, dy: number, dz: number) => number;

/** A copy in which each grey value is computed from its neighbourhood. */
function mapAround(volume: Volume, greyOf: (around: Around) => number): Volume & { data: Uint16Array } {
  const { dimensions, data: before } = volume;
  const [nx, ny, nz] = dimensions;
  const data = new Uint16Array(before.length);
  const clamp = (n: number, end: number) => Math.min(end - 1, Math.max(0, n));
  let [x, y, z] = [0, 0, 0];
  const around: Around = (dx, dy, dz) =>
    before[(clamp(z + dz, nz) * ny + clamp(y + dy, ny)) * nx + clamp(x + dx, nx)];
  for (let i = 0; i < data.length; i++) {
    x = i % nx;
    y = Math.floor(i / nx) % ny;
    z = Math.floor(i / (nx * ny));
    data[i] = Math.round(greyOf(around));
  }
  return { ...volume, dataType: 'uint16', data };
}

/** Offsets of all voxels within this distance along each axis. */
const stepsWithin = (reach: number): [number, number, number][] => {
  const width = 2 * reach + 1;
  return Array.from({ length: width ** 3 }, (_, n) => [
    (n % width) - reach,
    (Math.floor(n / width) % width) - reach,
    Math.floor(n / width ** 2) - reach,
  ]);
};

/** Median of 3³ voxels, applied this many times. */
export function filterMedian(volume: Volume, times: number): Volume {
  const steps = stepsWithin(1);
  const near = new Float64Array(steps.length);
  let filtered = volume;
  for (let turn = 0; turn < times; turn++) {
    filtered = mapAround(filtered, (around) => {
      for (let n = 0; n < steps.length; n++) near[n] = around(...steps[n]);
      return near.sort()[steps.length >> 1];
    });
  }
  return filtered;
}

/**
 * Bilateral filter: means of voxels that are near and similar (Tomasi, Manduchi 1998).
 * @param reach standard deviation in voxels @param range standard deviation in grey values
 * @see https://doi.org/10.1109/ICCV.1998.710815
 */
export function filterBilateral(volume: Volume, reach: number, range: number): Volume {
  const steps = stepsWithin(Math.ceil(1.5 * reach));
  const weights = steps.map((step) => Math.exp(-(Math.hypot(...step) ** 2) / (2 * reach ** 2)));
  return mapAround(volume, (around) => {
    const own = around(0, 0, 0);
    let [sum, all] = [0, 0];
    for (let n = 0; n < steps.length; n++) {
      const value = around(...steps[n]);
      const weight = weights[n] * Math.exp(-(((value - own) / range) ** 2) / 2);
      sum += weight * value;
      all += weight;
    }
    return sum / all;
  });
}

/**
 * Non-local means within two voxels; neighbourhoods are compared by a cross of seven voxels (Buades, Coll, Morel 2005).
 * @param range root mean square by which neighbourhoods may differ, in grey values
 * @see https://doi.org/10.1109/CVPR.2005.38
 */
export function filterNonLocal(volume: Volume, range: number): Volume {
  const steps = stepsWithin(2);
  const cross = stepsWithin(1).filter((step) => Math.hypot(...step) < 1.1);
  const own = new Float64Array(cross.length);
  return mapAround(volume, (around) => {
    for (let n = 0; n < cross.length; n++) own[n] = around(...cross[n]);
    let [sum, all] = [0, 0];
    for (const [dx, dy, dz] of steps) {
      let squares = 0;
      for (let n = 0; n < cross.length; n++) {
        const [x, y, z] = cross[n];
        squares += (around(dx + x, dy + y, dz + z) - own[n]) ** 2;
      }
      const weight = Math.exp(-squares / cross.length / range ** 2);
      sum += weight * around(dx, dy, dz);
      all += weight;
    }
    return sum / all;
  });
}

/**
 * Diffusion that stops at steps higher than `height` grey values, iterated `times` times (Perona, Malik 1990).
 * @see https://doi.org/10.1109/34.56205
 */
export function filterDiffusion(volume: Volume, height: number, times: number): Volume {
  const share = 0.12;
  const steps = stepsWithin(1).filter((step) => Math.hypot(...step) === 1);
  let filtered = volume;
  for (let turn = 0; turn < times; turn++) {
    filtered = mapAround(filtered, (around) => {
      const own = around(0, 0, 0);
      let value = own;
      for (const step of steps) {
        const rise = around(...step) - own;
        value += share * rise * Math.exp(-((rise / height) ** 2));
      }
      return value;
    });
  }
  return filtered;
}
