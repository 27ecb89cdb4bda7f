import type { Vector3, VoxelArray } from '../grid/volume.ts';
import type { Picture } from './picture.ts';

/**
 * The central z slice of a small volume as a grey picture with true proportions, windowed from the darkest 1 % to the
 * brightest 0.5 % of that slice, so that neither air nor a hot pixel determines the window. Oriented as in the viewer:
 * x to the right, y up.
 *
 * @param plane values of the slice, columns · rows, x fastest
 * @param spacingMm distance of neighbouring values along columns and rows
 * @param size pixels of the longer side
 */
export function slicePicture(
  plane: VoxelArray,
  [columns, rows]: readonly [number, number],
  spacingMm: readonly [number, number],
  size: number,
): Picture {
  const widthMm = columns * spacingMm[0];
  const heightMm = rows * spacingMm[1];
  const scale = size / Math.max(widthMm, heightMm);
  const width = Math.max(1, Math.round(widthMm * scale));
  const height = Math.max(1, Math.round(heightMm * scale));
  const [low, high] = findWindow(plane);
  const gain = high > low ? 255 / (high - low) : 0;
  const samples = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const { near: y0, far: y1, share: fy } = sampleAt(height - 1 - y, height, rows);
    for (let x = 0; x < width; x++) {
      const { near: x0, far: x1, share: fx } = sampleAt(x, width, columns);
      const top = plane[y0 * columns + x0] * (1 - fx) + plane[y0 * columns + x1] * fx;
      const bottom = plane[y1 * columns + x0] * (1 - fx) + plane[y1 * columns + x1] * fx;
      const shade = (top * (1 - fy) + bottom * fy - low) * gain;
      samples[y * width + x] = shade <= 0 ? 0 : shade >= 255 ? 255 : Math.round(shade);
    }
  }
  return { width, height, channels: 1, samples };
}

/** The z plane shown in a picture of the whole volume. */
export const middlePlane = (dimensions: Vector3): number => Math.floor(dimensions[2] / 2);

function sampleAt(pixel: number, pixels: number, values: number) {
  const at = Math.min(values - 1, Math.max(0, ((pixel + 0.5) * values) / pixels - 0.5));
  const near = Math.floor(at);
  return { near, far: Math.min(values - 1, near + 1), share: at - near };
}

function findWindow(plane: VoxelArray): [number, number] {
  const finite = Float64Array.from(plane).filter(Number.isFinite).sort();
  if (finite.length === 0) return [0, 0];
  const at = (share: number) => finite[Math.min(finite.length - 1, Math.floor(share * finite.length))];
  const [low, high] = [at(0.01), at(0.995)];
  return low < high ? [low, high] : [finite[0], finite[finite.length - 1]];
}
