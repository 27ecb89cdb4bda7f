import type { ObliquePlane } from '#kernels/grid/oblique-plane.ts';
import type { SliceAxis } from '#kernels/grid/plane-transform.ts';
import type { Grid, Vector3, VoxelArray } from '#kernels/grid/volume.ts';

/** What the viewer must know of a volume before any voxel is there. */
export interface VolumeDescription extends Grid {
  id: string;
  dataType: string;
  /** lowest and highest grey value, when known */
  range?: [number, number];
  /** grey value of the surface, when known: the window is laid around it */
  isoValue?: number;
  /** counts over equal bins from `minimum` to `maximum`; made from the preview when absent */
  histogram?: { minimum: number; maximum: number; counts: readonly number[] };
  /** resolutions that the source can give, the finest first; level 0 alone when absent */
  levels?: { dimensions: Vector3; voxelSizeMm: Vector3 }[];
}

/**
 * One plane of grey values. Columns run along u, rows along v of the pane (both upwards in mm); not-a-number where a plane
 * of any lie leaves the volume.
 */
export interface SlicePlane {
  width: number;
  height: number;
  /** width · height values, u fastest */
  values: VoxelArray;
  /** centre of the first value along u and v, in grid mm */
  originMm: [number, number];
  spacingMm: [number, number];
  /** false when values are averages of coarser voxels and not the scan's own */
  exact: boolean;
  /** of a part of a plane: the sides beyond whose outermost values the plane goes on */
  goesOn?: { left: boolean; right: boolean; below: boolean; above: boolean };
}

export interface PlaneRequest {
  axis: SliceAxis;
  /** along the axis, in grid mm; the centre of a slice of the level */
  positionMm: number;
  /** 0 = full resolution */
  level: number;
  /** first column and row of the level's plane, and those after the last */
  rect: [number, number, number, number];
  signal: AbortSignal;
}

/** Where planes come from. */
export interface SliceSource {
  getPlane(request: PlaneRequest): Promise<SlicePlane>;
  /** Grey values between the voxels of a level at each place of a plane of any lie, row by row. */
  sample(plane: ObliquePlane, level: number, signal: AbortSignal): Promise<Float32Array>;
}
