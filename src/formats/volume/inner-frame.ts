/**
 * The coordinate frame of the product: millimetres, right-handed, and LPS if a file names its directions (x to the
 * patient's left, y to the back, z to the head), as in DICOM and MetaImage. Files without named directions, such as
 * meshes, are used unchanged. docs/formats.md gives the reasons.
 *
 * Volumes are reordered on import so that columns, rows and planes run along x, y and z as closely as possible and are
 * never mirrored: the voxels alone show the part as it is.
 */
import { dot } from '#kernels/grid/vectors.ts';
import {
  type Grid,
  mapVector,
  type SlabSource,
  type Vector3,
  type VoxelArray,
} from '#kernels/grid/volume.ts';
import { unsupported } from '../format-error.ts';

type Directions = Grid['directions'];

/** Signs that convert a position of a named space to the product's frame, in the order of the space's axes. */
const signs = {
  LPS: [1, 1, 1],
  RAS: [-1, -1, 1],
  LAS: [1, -1, 1],
} as const;

/** Converts a position or direction from LPS, RAS or LAS to the product's frame. */
export function toInnerFrame(vector: Readonly<Vector3>, space: keyof typeof signs): Vector3 {
  // Adding zero turns −0 into 0.
  return mapVector(vector, (value, axis) => value * signs[space][axis] + 0);
}

/** How the columns and rows of a plane are reordered: exchanged first, then each reversed. */
export interface PlaneTurn {
  exchanged: boolean;
  columnsReversed: boolean;
  rowsReversed: boolean;
}

/** Reorders a plane of `width` columns and `height` rows (before reordering). May work in place. */
export function turnPlane(plane: VoxelArray, width: number, height: number, turn: PlaneTurn): VoxelArray {
  let turned = plane;
  let [columns, rows] = [width, height];
  if (turn.exchanged) {
    turned = plane.slice();
    [columns, rows] = [height, width];
    for (let y = 0, from = 0; y < height; y++) {
      for (let x = 0, to = y; x < width; x++, to += columns) turned[to] = plane[from++] ?? 0;
    }
  }
  if (turn.columnsReversed) {
    for (let y = 0; y < rows; y++) turned.subarray(y * columns, (y + 1) * columns).reverse();
  }
  if (turn.rowsReversed) {
    const kept = turned.slice(0, columns);
    for (let low = 0, high = (rows - 1) * columns; low < high; low += columns, high -= columns) {
      kept.set(turned.subarray(low, low + columns));
      turned.copyWithin(low, high, high + columns);
      turned.set(kept, high);
    }
  }
  return turned;
}

export const isTurned = ({ exchanged, columnsReversed, rowsReversed }: PlaneTurn): boolean =>
  exchanged || columnsReversed || rowsReversed;

export type Axes = [Vector3, Vector3, Vector3];

/** Nine numbers as three consecutive vectors. */
export const toAxes = (d: Directions): Axes => [
  [d[0], d[1], d[2]],
  [d[3], d[4], d[5]],
  [d[6], d[7], d[8]],
];

export const determinant = (d: Directions): number =>
  d[0] * (d[4] * d[8] - d[5] * d[7]) -
  d[1] * (d[3] * d[8] - d[5] * d[6]) +
  d[2] * (d[3] * d[7] - d[4] * d[6]);

/** Tolerance for right angles; smaller deviations are rounding errors and are corrected. */
const rightAngle = 3e-4;

/**
 * Exactly orthogonal unit vectors from directions that are orthogonal up to rounding: every measure depends on this.
 *
 * @throws FormatError UNSUPPORTED when the axes are not at right angles
 */
export function squareDirections(directions: Directions, where: string): Directions {
  const [i, j, k] = toAxes(directions);
  if (Math.max(Math.abs(dot(i, j)), Math.abs(dot(i, k)), Math.abs(dot(j, k))) > rightAngle) {
    throw unsupported(
      `${where}: the axes are not at right angles; resample the volume to a rectangular grid first.`,
    );
  }
  // Distributing half of each error to both vectors is exact to second order; repeating it is exact to the last digit.
  const off = (a: Vector3, b: Vector3, c: Vector3): Vector3 => {
    const v = mapVector(a, (value, n) => value - (dot(a, b) * b[n]) / 2 - (dot(a, c) * c[n]) / 2);
    const length = Math.hypot(...v);
    return mapVector(v, (value) => value / length + 0);
  };
  const once = [off(i, j, k), off(j, k, i), off(k, i, j)] as const;
  const [a, b, c] = once;
  return [...off(a, b, c), ...off(b, c, a), ...off(c, a, b)];
}

interface Placed {
  grid: Grid;
  readSlab: SlabSource['readSlab'];
}

/**
 * The same volume with columns, rows and planes along the axes of the product's frame, as far as single planes can be
 * reordered; always right-handed.
 *
 * @param forwardsOnly planes can be read in order only, so their order stays
 */
export function turnToFrame({ grid, readSlab }: Placed, forwardsOnly: boolean): Placed {
  const { dimensions, voxelSizeMm, directions } = grid;
  const axes = toAxes(directions);
  const across = (axis: 0 | 1 | 2, along: 0 | 1 | 2) => Math.abs(axes[axis][along]);
  const isUpright = across(2, 2) >= Math.max(across(0, 2), across(1, 2));
  const exchanged = isUpright && across(0, 1) * across(1, 0) > across(0, 0) * across(1, 1);
  const order: readonly [0 | 1, 0 | 1, 2] = exchanged ? [1, 0, 2] : [0, 1, 2];
  const largest = (axis: Vector3) =>
    axis.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most));
  const runsBack = (at: 0 | 1 | 2) => (at < 2 || !forwardsOnly) && largest(axes[order[at]]) < 0;
  const reversed: [boolean, boolean, boolean] = [runsBack(0), runsBack(1), runsBack(2)];
  const sign = (at: 0 | 1 | 2) => mapVector(axes[order[at]], (value) => (reversed[at] ? -value : value) + 0);
  const signed = (): Directions => [...sign(0), ...sign(1), ...sign(2)];
  // An odd exchange, or descending planes that cannot be reversed, would leave the part mirrored.
  if (determinant(signed()) < 0) reversed[0] = !reversed[0];
  const turn = { exchanged, columnsReversed: reversed[0], rowsReversed: reversed[1] };
  if (!isTurned(turn) && !reversed[2]) return { grid, readSlab };
  const take = (values: Vector3): Vector3 => [values[order[0]], values[order[1]], values[order[2]]];
  const reach = mapVector(take(dimensions), (cells, at) =>
    reversed[at] ? (cells - 1) * voxelSizeMm[order[at]] : 0,
  );
  const originMm = mapVector(
    grid.originMm,
    (start, n) =>
      start + axes[order[0]][n] * reach[0] + axes[order[1]][n] * reach[1] + axes[order[2]][n] * reach[2],
  );
  const plane = dimensions[0] * dimensions[1];
  const planes = dimensions[2];
  return {
    grid: {
      dimensions: take(dimensions),
      voxelSizeMm: take(voxelSizeMm),
      originMm,
      directions: signed(),
    },
    readSlab: async (zStart, zEnd, signal) => {
      const slab = reversed[2]
        ? await readSlab(planes - zEnd, planes - zStart, signal)
        : await readSlab(zStart, zEnd, signal);
      for (let z = 0; z < zEnd - zStart; z++) {
        const part = slab.subarray(z * plane, (z + 1) * plane);
        const turned = turnPlane(part, dimensions[0], dimensions[1], turn);
        if (turned !== part) part.set(turned);
      }
      // Treats the planes of a slab as the rows of a plane.
      return reversed[2]
        ? turnPlane(slab, plane, zEnd - zStart, {
            exchanged: false,
            columnsReversed: false,
            rowsReversed: true,
          })
        : slab;
    },
  };
}
