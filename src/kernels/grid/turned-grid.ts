/** Grids rotated onto an oblique plane, so that the plane is one of their slices. */
import { extentMm, gridMmToWorld } from './plane-transform.ts';
import { add, cross, dot, minus, scale } from './vectors.ts';
import { type Grid, mapVector, type Vector3 } from './volume.ts';

/** Orientation of a plane: the viewing side and the up direction. Vectors of any length. */
export interface PlaneOrientation {
  normal: Vector3;
  up: Vector3;
}

/** Initial orientation of an oblique plane: at 45° to Z, oblique to the initial 3D view. */
export const defaultOrientation: PlaneOrientation = { normal: [-0.5, -0.5, Math.SQRT1_2], up: [0, 0, 1] };

/** Unit vectors to the right, up, and towards the viewer of a plane; zero vectors are replaced. */
export function makePlaneFrame({ normal, up }: PlaneOrientation): {
  right: Vector3;
  up: Vector3;
  towards: Vector3;
} {
  const towards = unitOr(normal, [0, 0, 1]);
  const upright: Vector3 = Math.abs(towards[2]) < 0.999 ? [0, 0, 1] : [0, 1, 0];
  const aside = cross(up, towards);
  const right = unitOr(
    Math.hypot(...aside) > 1e-9 * Math.hypot(...up) ? aside : cross(upright, towards),
    [1, 0, 0],
  );
  return { right, up: cross(towards, right), towards };
}

const unitOr = (a: Vector3, other: Vector3): Vector3 => {
  const length = Math.hypot(...a);
  return length > 1e-12 ? scale(a, 1 / length) : other;
};

/**
 * A grid with its third axis normal to a plane that contains another grid, with cubic voxels of its shortest edge. The
 * first two coordinates are positions on the plane (grid mm), the third is that of the plane.
 */
export function turnGrid(grid: Grid, orientation: PlaneOrientation): Grid {
  const { right, up, towards } = makePlaneFrame(orientation);
  const axes = [right, up, towards] as const;
  const edgeMm = Math.min(...grid.voxelSizeMm);
  const corners = listCorners(grid);
  const [low, high] = [Math.min, Math.max].map((pick) =>
    axes.map((axis) => pick(...corners.map((corner) => dot(axis, corner)))),
  ) as [Vector3, Vector3];
  const first = mapVector(low, (mm) => mm + edgeMm / 2);
  return {
    dimensions: mapVector(high, (mm, k) => Math.max(1, Math.ceil((mm - low[k]) / edgeMm - 1e-6))),
    voxelSizeMm: [edgeMm, edgeMm, edgeMm],
    originMm: [0, 1, 2].map((k) =>
      axes.reduce((sum, axis, i) => sum + axis[k] * first[i as 0 | 1 | 2], 0),
    ) as Vector3,
    directions: [...right, ...up, ...towards],
  };
}

/** Corners of a grid's box in the world, in the order of their binary number (bit 0 = i, 1 = j, 2 = k). */
export const listCorners = (grid: Grid): Vector3[] =>
  Array.from({ length: 8 }, (_, corner) =>
    gridMmToWorld(grid, [
      extentMm(grid, 0)[corner & 1] ?? 0,
      extentMm(grid, 1)[(corner >> 1) & 1] ?? 0,
      extentMm(grid, 2)[(corner >> 2) & 1] ?? 0,
    ]),
  );

/** Corners of the intersection of a plane with the box of a grid, in order around it; none if they don't intersect. */
export function outlineOnBox(grid: Grid, point: Vector3, orientation: PlaneOrientation): Vector3[] {
  const { right, up, towards } = makePlaneFrame(orientation);
  const corners = listCorners(grid);
  const found: Vector3[] = [];
  for (let from = 0; from < 8; from++)
    for (const bit of [1, 2, 4]) {
      const [a, b] = [corners[from], corners[from | bit]];
      if ((from & bit) !== 0 || !a || !b) continue;
      const [below, above] = [dot(towards, minus(a, point)), dot(towards, minus(b, point))];
      if (below > 0 === above > 0) continue;
      found.push(add(a, scale(minus(b, a), below / (below - above))));
    }
  const middle = scale(found.reduce<Vector3>(add, [0, 0, 0]), 1 / Math.max(1, found.length));
  const angleAt = (corner: Vector3) => {
    const off = minus(corner, middle);
    return Math.atan2(dot(off, up), dot(off, right));
  };
  return found.toSorted((one, other) => angleAt(one) - angleAt(other));
}
