import type { VoxelArray } from './volume.ts';

/**
 * One plane of the next coarser level: each cell is the mean of the up to 2×2×2 cells that it covers, fewer at an odd
 * end. Integers are rounded half up; NaN is ignored, and a cell of NaN only stays NaN. Complexity: one pass over the
 * source planes.
 *
 * @param source consecutive planes of `width`×`height` values each
 * @param first index in `source` of the first value of the first plane
 * @param planes 1 or 2
 * @param target receives ceil(width/2)×ceil(height/2) values (not halved where width or height is 1)
 */
export function meanPlane(
  source: VoxelArray,
  first: number,
  planes: number,
  width: number,
  height: number,
  target: VoxelArray,
): void {
  const targetWidth = Math.ceil(width / 2);
  const targetHeight = Math.ceil(height / 2);
  const isFloat = source instanceof Float32Array || source instanceof Float64Array;
  // The sum of eight fits into 31 bits, so a shift can divide it: fast, and rounds down for negative sums, too.
  const isSmall = source.BYTES_PER_ELEMENT < 4;
  const evenWidth = width >> 1;
  const plane = width * height;
  for (let y = 0; y < targetHeight; y += 1) {
    const rows = Math.min(2, height - 2 * y);
    const row = first + 2 * y * width;
    const out = y * targetWidth;
    let x = 0;
    if (rows === 2 && planes === 2) {
      const a = row;
      const b = row + width;
      const c = row + plane;
      const d = c + width;
      // One loop per type: a type check inside the loop takes 1.4 times as long for 16 bits, and more for the others.
      if (isFloat) {
        for (; x < evenWidth; x += 1) {
          const i = 2 * x;
          const sum =
            source[a + i] +
            source[a + i + 1] +
            source[b + i] +
            source[b + i + 1] +
            source[c + i] +
            source[c + i + 1] +
            source[d + i] +
            source[d + i + 1];
          target[out + x] = Number.isNaN(sum)
            ? computeMean(source, row + i, [2, 2, 2], width, plane)
            : sum / 8;
        }
      } else if (isSmall) {
        for (; x < evenWidth; x += 1) {
          const i = 2 * x;
          const sum =
            source[a + i] +
            source[a + i + 1] +
            source[b + i] +
            source[b + i + 1] +
            source[c + i] +
            source[c + i + 1] +
            source[d + i] +
            source[d + i + 1];
          target[out + x] = (sum + 4) >> 3;
        }
      } else {
        for (; x < evenWidth; x += 1) {
          const i = 2 * x;
          const sum =
            source[a + i] +
            source[a + i + 1] +
            source[b + i] +
            source[b + i + 1] +
            source[c + i] +
            source[c + i + 1] +
            source[d + i] +
            source[d + i + 1];
          target[out + x] = Math.floor(sum / 8 + 0.5);
        }
      }
    }
    for (; x < targetWidth; x += 1) {
      const mean = computeMean(source, row + 2 * x, [Math.min(2, width - 2 * x), rows, planes], width, plane);
      target[out + x] = isFloat ? mean : Math.floor(mean + 0.5);
    }
  }
}

/** Mean of the valid numbers of a block that begins at `at`. */
function computeMean(
  source: VoxelArray,
  at: number,
  [columns, rows, planes]: readonly [number, number, number],
  width: number,
  plane: number,
): number {
  let sum = 0;
  let count = 0;
  for (let z = 0; z < planes; z += 1) {
    for (let y = 0; y < rows; y += 1) {
      for (let x = 0; x < columns; x += 1) {
        const value = source[at + z * plane + y * width + x];
        if (!Number.isNaN(value)) {
          sum += value;
          count += 1;
        }
      }
    }
  }
  return sum / count;
}
