import type { ObliquePlane } from '#kernels/grid/oblique-plane.ts';
import type { SliceAxis } from '#kernels/grid/plane-transform.ts';
import type { Grid, Vector3, VoxelArray } from '#kernels/grid/volume.ts';

/** What the viewer must know about a volume before any voxel is loaded. */
export interface VolumeDescription extends Grid {
  id: string;
  dataType: string;
  /** lowest and highest grey value, if known */
  range?: [number, number];
  /** grey value of the surface, if known; the default window is centred on it */
  isoValue?: number;
  /** midway between the grey values of successive materials, for parts of several */
  materialLevels?: readonly number[];
  /** counts over equal bins from `minimum` to `maximum`; computed from the preview if undefined */
  histogram?: { minimum: number; maximum: number; counts: readonly number[] };
  /** resolutions offered by the source, finest first; only level 0 if undefined */
  levels?: { dimensions: Vector3; voxelSizeMm: Vector3 }[];
}

/**
 * One plane of grey values. Columns run along u, rows along v of the pane (both upwards in mm); NaN where an oblique
 * plane is outside the volume.
 */
export interface SlicePlane {
  width: number;
  height: number;
  /** width · height values, u fastest */
  values: VoxelArray;
  /** centre of the first value along u and v, in grid mm */
  originMm: [number, number];
  spacingMm: [number, number];
  /** false if values are averages over coarser voxels instead of the original ones */
  exact: boolean;
  /** for a tile: the sides on which the plane continues */
  goesOn?: { left: boolean; right: boolean; below: boolean; above: boolean };
}

export interface PlaneRequest {
  axis: SliceAxis;
  /** along the axis, in grid mm; the centre of a slice of the level */
  positionMm: number;
  /** 0 = full resolution */
  level: number;
  /** first column and row in the level's plane, and the column and row after the last */
  rect: [number, number, number, number];
  signal: AbortSignal;
}

/** Source of planes. */
export interface SliceSource {
  getPlane(request: PlaneRequest): Promise<SlicePlane>;
  /** Interpolated grey values of a level at each point of an oblique plane, row by row. */
  sample(plane: ObliquePlane, level: number, signal: AbortSignal): Promise<Float32Array>;
}
