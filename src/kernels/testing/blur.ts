import type { Volume } from '../grid/volume.ts';

/**
 * Blurs a volume in place, by the same length in mm along each axis, as a focal spot and a detector do. The weights are
 * the discrete analogue of the Gaussian, whose variance is exact however narrow it is (Lindeberg 1990,
 * doi:10.1109/34.49051). Border grey values are repeated outside.
 * @param sigmaMm standard deviation
 */
export function blurVolume(volume: Volume, sigmaMm: number): void {
  const { dimensions, voxelSizeMm, data } = volume;
  const strides = [1, dimensions[0], dimensions[0] * dimensions[1]];
  const blurred = Float64Array.from(data);
  for (let axis = 0; axis < 3; axis++) {
    const weights = discreteGauss((sigmaMm / voxelSizeMm[axis]) ** 2);
    const [length, stride] = [dimensions[axis], strides[axis]];
    const reach = weights.length - 1;
    // Padded on both ends with border values, as far as the weights reach.
    const line = new Float64Array(length + 2 * reach);
    for (let block = 0; block < blurred.length; block += stride * length) {
      for (let start = block; start < block + stride; start++) {
        const first = blurred[start];
        let isEven = true;
        for (let i = 0; i < length; i++) {
          const value = blurred[start + i * stride];
          line[reach + i] = value;
          if (value !== first) isEven = false;
        }
        if (isEven) continue;
        line.fill(first, 0, reach);
        line.fill(line[reach + length - 1], reach + length);
        for (let i = 0; i < length; i++) {
          const at = reach + i;
          let sum = weights[0] * line[at];
          for (let k = 1; k <= reach; k++) sum += weights[k] * (line[at - k] + line[at + k]);
          blurred[start + i * stride] = sum;
        }
      }
    }
  }
  const isFloat = volume.dataType === 'float32' || volume.dataType === 'float64';
  for (let i = 0; i < data.length; i++) data[i] = isFloat ? blurred[i] : Math.round(blurred[i]);
}

const known = new Map<number, readonly number[]>();
/** Right half of e^−t Iₙ(t): diffusion for the time t (voxels²) in small steps between neighbours. */
export function discreteGauss(variance: number): readonly number[] {
  const weights = known.get(variance) ?? diffuse(variance);
  known.set(variance, weights);
  return weights;
}

function diffuse(variance: number): number[] {
  const radius = Math.ceil(5 * Math.sqrt(variance)) + 2;
  const steps = Math.max(1, Math.ceil(variance * 400));
  const share = variance / steps / 2;
  let values = new Float64Array(2 * radius + 1);
  values[radius] = 1;
  for (let step = 0; step < steps; step++) {
    values = values.map(
      (value, i) => value + share * ((values[i - 1] ?? 0) - 2 * value + (values[i + 1] ?? 0)),
    );
  }
  return [...values.subarray(radius)];
}
