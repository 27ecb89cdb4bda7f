/**
 * Uncertainty of a point on the determined surface, from noise, blur, voxel size and uneven grey values of the scan.
 * Standard deviation in mm, normal to the surface.
 */
import { dot, minus } from '../grid/vectors.ts';
import type { Vector3 } from '../grid/volume.ts';
import { curveShare, inwardShare, ringsShift } from '../surface/surface-uncertainty.ts';

export interface PointUncertainty {
  /** independent for each point: noise, and the voxel grid */
  randomMm: number;
  /** common to all points: grey values that vary over the part, and edges shifted by radiographs or a grey curve */
  systematicMm: number;
  /** share of the voxel grid in it, which is common to points at the same distance from voxel centres; null: unknown */
  grid: { standardMm: number; frame: GridFrame } | null;
  /** half of the sum of the face's curvatures times this is the standard uncertainty from rounding; mm² */
  roundingMm2: number;
  /** basis of the estimate, for display */
  method: 'quality' | 'voxelSize';
}

/** Position of the voxels. */
export interface GridFrame {
  voxelSizeMm: readonly number[];
  originMm: Vector3;
  /** unit vectors along the grid's axes, one after the other */
  directions: readonly number[];
}

export interface ScanFacts extends GridFrame {
  /** on the mesh of a surface, or on edges of the grey values */
  placement: 'surface' | 'edge';
  /** null if the scan was not assessed */
  quality: {
    contrastToNoise: number | null;
    blurVoxels: number | null;
    unevenness: number | null;
    gradient: number | null;
    rings: number | null;
    /** inward shift of edges by blur in the radiographs */
    inwardVoxels?: number;
    /** shift of the mid-level by a curve in the grey values, as a share of the contrast */
    curveShift?: number;
    /** rings were removed by the reconstruction */
    areRingsRemoved?: boolean;
  } | null;
}

/** Uncertainty of the level between air and material in clean scans, as a share of the contrast. */
const levelError = 0.003;
/** Blur of the voxels alone, 1/√12, a lower limit for every scan. */
const minBlur = 0.29;
/**
 * Without blur, a voxel that the surface divides into f and 1 − f moves the crossing by (f − ½)(1 − f) / f: 0.062 voxels
 * root mean square. Blur evens the steps between voxels out: linear interpolation between the voxels across a blurred
 * face parallel to them leaves 0.050, 0.024 and 0.010 voxels at a blur of 0.3, 0.6 and 1, within 5 % as computed here.
 */
const findGridError = (blur: number): number => 0.062 / (1 + (2 * blur) ** 2.4);
/**
 * Where grey values cross the mid-level on a curved face, they do so nearer to its centre of curvature, by half of the
 * variance of the edge times the curvature: in circles of 4 to 15 voxels (blur 0.3 to 1) by that of blur, of a voxel's
 * own length (1/12) and of linear interpolation (1/6), within a tenth. An interval from the first share (k = 1) holds
 * 1.4 times that. In a mesh it is corrected, to about a tenth.
 */
const interpolated = 0.25;
const roundingShare = { edge: 0.7, surface: 0.1 };
/** Blur at a place as a share of the scan's: it may be less in one direction, as across slices. */
const localBlur = 0.7;

/**
 * An edge with Gaussian blur of standard deviation b has the slope contrast / (b √(2π)) per voxel, so a grey value
 * error, as a share of the contrast, moves the crossing by that share · b √(2π) voxels. The share is 1 /
 * contrast-to-noise for noise, and up to half of the range, uniformly distributed, for variations over the part.
 * Without a known blur the estimate is voxel size / √12.
 */
export function estimatePointUncertainty({ quality, placement, ...frame }: ScanFacts): PointUncertainty {
  const voxelMm = Math.max(...frame.voxelSizeMm);
  if (!quality || quality.blurVoxels === null)
    return {
      randomMm: voxelMm / Math.sqrt(12),
      systematicMm: 0,
      grid: null,
      roundingMm2: 0,
      method: 'voxelSize',
    };
  const { contrastToNoise, unevenness, gradient, rings } = quality;
  const { inwardVoxels = 0, curveShift = 0, areRingsRemoved = false } = quality;
  const steepness = Math.max(minBlur, quality.blurVoxels) * Math.sqrt(2 * Math.PI);
  const varying = ((unevenness ?? 0) + (gradient ?? 0) + (rings ?? 0)) / 2;
  const gridError = findGridError(localBlur * quality.blurVoxels);
  return {
    randomMm: voxelMm * Math.hypot(contrastToNoise === null ? 0 : steepness / contrastToNoise, gridError),
    systematicMm:
      voxelMm *
      Math.hypot(
        (varying * steepness) / Math.sqrt(3),
        inwardShare * inwardVoxels,
        curveShare * steepness * curveShift,
        areRingsRemoved ? ringsShift : 0,
        steepness * levelError,
      ),
    grid: { standardMm: voxelMm * gridError, frame },
    roundingMm2: roundingShare[placement] * (quality.blurVoxels ** 2 + interpolated) * voxelMm ** 2,
    method: 'quality',
  };
}

/**
 * Share of the grid's error that remains in a mean over points on a face: 1 when all are at the same distance from voxel
 * centres along the axis that the face looks along most, next to 0 when these distances differ evenly.
 * @param normals of the face at each point
 */
export function findCoherence(
  points: readonly Vector3[],
  normals: readonly Vector3[],
  { voxelSizeMm, originMm, directions }: GridFrame,
): number {
  const axes = [0, 1, 2].map((k): Vector3 => directions.slice(3 * k, 3 * k + 3) as Vector3);
  let [cosines, sines] = [0, 0];
  for (const [i, point] of points.entries()) {
    const along = axes.map((axis) => Math.abs(dot(axis, normals[i])));
    const k = along.indexOf(Math.max(...along));
    const phase = (2 * Math.PI * dot(minus(point, originMm), axes[k])) / voxelSizeMm[k];
    cosines += Math.cos(phase);
    sines += Math.sin(phase);
  }
  return Math.hypot(cosines, sines) / points.length;
}
