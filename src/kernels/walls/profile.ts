import type { Vector3 } from '../grid/volume.ts';
import type { WallProfile } from './slab-model.ts';

/** Grey values of a box of voxels, as stored. */
export interface GreyBox {
  values: ArrayLike<number>;
  /** elements from one voxel to the next along each axis, and position of voxel (0, 0, 0) */
  strides: Vector3;
  offset: number;
  /** available voxels: from … to−1 */
  from: Vector3;
  to: Vector3;
  voxelSizeMm: Vector3;
}

/**
 * Extent of a voxel along a direction, in mm: the root of 12 times its variance, which is its edge for faces along the
 * grid.
 */
export const spanAlong = (normal: readonly number[], [ex, ey, ez]: Vector3): number =>
  Math.hypot(normal[0] * ex, normal[1] * ey, normal[2] * ez);

export interface ProfileLine {
  /** mm from the centre of voxel (0, 0, 0) */
  place: readonly number[];
  /** outward, unit length */
  normal: readonly number[];
  /** start and end along the normal, mm */
  fromMm: number;
  toMm: number;
  /** voxels on either side of the line */
  around: number;
}

/**
 * The voxels around a line, unfiltered: of each layer across it the (2 · around + 1)² nearest.
 * @returns null when it leaves the box, or contains a value that is not finite
 */
export function readProfile(
  { values, strides, offset, from, to, voxelSizeMm }: GreyBox,
  { place, normal, fromMm, toMm, around }: ProfileLine,
): WallProfile | null {
  const steps = normal.map((n, k) => Math.abs(n) / voxelSizeMm[k]);
  const along = steps[0] >= steps[1] && steps[0] >= steps[2] ? 0 : steps[1] >= steps[2] ? 1 : 2;
  const [u, v] = [(along + 1) % 3, (along + 2) % 3];
  const ends = [fromMm, toMm].map((t) => (place[along] + t * normal[along]) / voxelSizeMm[along]);
  const [first, last] = [Math.ceil(Math.min(...ends)), Math.floor(Math.max(...ends))];
  if (first < from[along] || last >= to[along] || last < first) return null;
  const count = (2 * around + 1) ** 2 * (last - first + 1);
  const [places, greys] = [new Float64Array(count), new Float64Array(count)];
  let n = 0;
  for (let i = first; i <= last; i++) {
    const way = i * voxelSizeMm[along] - place[along];
    const t = way / normal[along];
    const cu = Math.round((place[u] + t * normal[u]) / voxelSizeMm[u]);
    const cv = Math.round((place[v] + t * normal[v]) / voxelSizeMm[v]);
    if (cu - around < from[u] || cu + around >= to[u] || cv - around < from[v] || cv + around >= to[v]) {
      return null;
    }
    for (let b = -around; b <= around; b++) {
      for (let a = -around; a <= around; a++) {
        const grey = values[offset + i * strides[along] + (cu + a) * strides[u] + (cv + b) * strides[v]];
        if (!Number.isFinite(grey)) return null;
        greys[n] = grey;
        places[n++] =
          way * normal[along] +
          ((cu + a) * voxelSizeMm[u] - place[u]) * normal[u] +
          ((cv + b) * voxelSizeMm[v] - place[v]) * normal[v];
      }
    }
  }
  const longestMm = Math.max(...normal.map((each, k) => Math.abs(each) * voxelSizeMm[k]));
  return { places, greys, spanMm: spanAlong(normal, voxelSizeMm), longestMm };
}

/**
 * Difference between the two halves of the line's surroundings, as a share of both: close to zero across a wall at any
 * angle; larger at rims, corners and steps.
 */
export function measureUnevenness({ greys }: WallProfile, around: number, air: number): number {
  const side = 2 * around + 1;
  let [all, first, second] = [0, 0, 0];
  for (let i = 0; i < greys.length; i++) {
    const column = i % (side * side);
    const height = greys[i] - air;
    all += height;
    first += height * Math.sign((column % side) - around);
    second += height * Math.sign(Math.floor(column / side) - around);
  }
  // Without the middle columns, which are in neither half.
  const both = (all * 2 * around) / side;
  return both > 0 ? Math.max(Math.abs(first), Math.abs(second)) / both : Number.POSITIVE_INFINITY;
}
