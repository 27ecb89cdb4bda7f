import type { VoxelArray } from './volume.ts';

/** Grey values of a plane, row by row, columns fastest. */
export interface GreyRows {
  width: number;
  height: number;
  values: VoxelArray;
}

/**
 * Line segments where a plane of grey values crosses a level (marching squares). Cells are processed independently; in
 * ambiguous cells, the mean of the four corners decides which of them are connected. O(values).
 *
 * @param level one for all pixels, or one each
 * @returns four numbers per segment: column and row of its ends, with material on the left if rows run upwards
 */
export function traceLevel(
  { width, height, values }: GreyRows,
  level: number | Float32Array,
): Float64Array<ArrayBuffer> {
  let pieces = new Float64Array(1024);
  let used = 0;
  const above = (i: number) => values[i] - (typeof level === 'number' ? level : level[i]);
  const add = (piece: readonly [number, number, number, number]) => {
    if (used + 4 > pieces.length) {
      const larger = new Float64Array(2 * pieces.length);
      larger.set(pieces);
      pieces = larger;
    }
    pieces.set(piece, used);
    used += 4;
  };
  for (let row = 0; row + 1 < height; row++) {
    for (let column = 0; column + 1 < width; column++) {
      const i = row * width + column;
      const [a, b, c, d] = [above(i), above(i + 1), above(i + width + 1), above(i + width)];
      const inside = Number(a >= 0) | (Number(b >= 0) << 1) | (Number(c >= 0) << 2) | (Number(d >= 0) << 3);
      // NaN is above no level, and no line can be drawn next to it.
      if (inside === 0 || inside === 15 || Number.isNaN(a + b + c + d)) continue;
      const lower = (): Point => [column + a / (a - b), row];
      const right = (): Point => [column + 1, row + b / (b - c)];
      const upper = (): Point => [column + d / (d - c), row + 1];
      const left = (): Point => [column, row + a / (a - d)];
      const joined = a + b + c + d >= 0;
      for (const [from, to] of cellPieces(inside, joined, { lower, right, upper, left }))
        add([...from, ...to]);
    }
  }
  return pieces.slice(0, used);
}

type Point = readonly [number, number];
type Sides = Record<'lower' | 'right' | 'upper' | 'left', () => Point>;

/** @param inside one bit for each corner above the level: lower left, lower right, upper right, upper left */
function cellPieces(inside: number, joined: boolean, { lower, right, upper, left }: Sides): [Point, Point][] {
  switch (inside) {
    case 1:
      return [[lower(), left()]];
    case 2:
      return [[right(), lower()]];
    case 3:
      return [[right(), left()]];
    case 4:
      return [[upper(), right()]];
    case 5:
      return joined
        ? [
            [lower(), right()],
            [upper(), left()],
          ]
        : [
            [lower(), left()],
            [upper(), right()],
          ];
    case 6:
      return [[upper(), lower()]];
    case 7:
      return [[upper(), left()]];
    case 8:
      return [[left(), upper()]];
    case 9:
      return [[lower(), upper()]];
    case 10:
      return joined
        ? [
            [left(), lower()],
            [right(), upper()],
          ]
        : [
            [right(), lower()],
            [left(), upper()],
          ];
    case 11:
      return [[right(), upper()]];
    case 12:
      return [[left(), right()]];
    case 13:
      return [[lower(), right()]];
    default:
      return [[left(), lower()]];
  }
}

/** 3 × 3 median; border pixels stay unchanged. O(values). */
export function filterRowMedians({ width, height, values }: GreyRows): GreyRows {
  const filtered = Float32Array.from(values);
  const nine = new Float32Array(9);
  for (let row = 1; row + 1 < height; row++) {
    for (let column = 1; column + 1 < width; column++) {
      let k = 0;
      for (let y = row - 1; y <= row + 1; y++)
        for (let x = column - 1; x <= column + 1; x++) nine[k++] = values[y * width + x];
      filtered[row * width + column] = nine.sort()[4];
    }
  }
  return { width, height, values: filtered };
}

/** Gaussian filter that repeats the border values. O(values · sigma). @param sigma in pixels along columns and rows */
export function blurRows({ width, height, values }: GreyRows, sigma: readonly [number, number]): GreyRows {
  const across = filterAlong(Float32Array.from(values), [width, height], [1, width], sigma[0]);
  return { width, height, values: filterAlong(across, [height, width], [width, 1], sigma[1]) };
}

function filterAlong(
  values: Float32Array<ArrayBuffer>,
  [length, lines]: readonly [number, number],
  [step, next]: readonly [number, number],
  sigma: number,
): Float32Array<ArrayBuffer> {
  if (!(sigma > 0)) return values;
  const reach = Math.ceil(3 * sigma);
  const weights = Float64Array.from({ length: reach + 1 }, (_, k) => Math.exp(-((k / sigma) ** 2) / 2));
  const all = weights.reduce((sum, weight, k) => sum + (k === 0 ? weight : 2 * weight), 0);
  const filtered = new Float32Array(values.length);
  for (let line = 0; line < lines; line++) {
    const first = line * next;
    for (let i = 0; i < length; i++) {
      let sum = weights[0] * values[first + i * step];
      for (let k = 1; k <= reach; k++) {
        const [before, after] = [Math.max(0, i - k), Math.min(length - 1, i + k)];
        sum += weights[k] * (values[first + before * step] + values[first + after * step]);
      }
      filtered[first + i * step] = sum / all;
    }
  }
  return filtered;
}
