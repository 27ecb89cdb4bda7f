/**
 * Uncertainty of a point on the determined surface, from noise, blur, voxel size and uneven grey values of the scan.
 * Standard deviation in mm, normal to the surface.
 */
import { curveShare, inwardShare, ringsShift } from '../surface/surface-uncertainty.ts';

export interface PointUncertainty {
  /** independent for each point: noise */
  randomMm: number;
  /**
   * common to all points: grey values that vary over the part, edges shifted inward by blur in the radiographs, and the
   * resolution of the voxel grid
   */
  systematicMm: number;
  /** basis of the estimate, for display */
  method: 'quality' | 'voxelSize';
}

export interface ScanFacts {
  voxelSizeMm: readonly number[];
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

/** Blur of the voxels alone, 1/√12, a lower limit for every scan. */
const minBlur = 0.29;
/**
 * Uncertainty due to the grid. Without blur, a voxel that the surface divides into f and 1 − f moves the crossing by (f
 * − ½)(1 − f) / f: 0.06 voxels root mean square; 0.03 voxels if neighbouring points are divided alike.
 */
const [gridRandom, gridAlike] = [0.06, 0.03];

/**
 * An edge with Gaussian blur of standard deviation b has the slope contrast / (b √(2π)) per voxel, so a grey value
 * error, as a share of the contrast, moves the crossing by that share · b √(2π) voxels. The share is 1 /
 * contrast-to-noise for noise, and up to half of the range, uniformly distributed, for variations over the part.
 * Without a known blur the estimate is voxel size / √12.
 */
export function estimatePointUncertainty({ voxelSizeMm, quality }: ScanFacts): PointUncertainty {
  const voxelMm = Math.max(...voxelSizeMm);
  if (!quality || quality.blurVoxels === null)
    return { randomMm: voxelMm / Math.sqrt(12), systematicMm: 0, method: 'voxelSize' };
  const { contrastToNoise, unevenness, gradient, rings } = quality;
  const { inwardVoxels = 0, curveShift = 0, areRingsRemoved = false } = quality;
  const steepness = Math.max(minBlur, quality.blurVoxels) * Math.sqrt(2 * Math.PI);
  const varying = ((unevenness ?? 0) + (gradient ?? 0) + (rings ?? 0)) / 2;
  return {
    randomMm: voxelMm * Math.hypot(contrastToNoise === null ? 0 : steepness / contrastToNoise, gridRandom),
    systematicMm:
      voxelMm *
      Math.hypot(
        (varying * steepness) / Math.sqrt(3),
        inwardShare * inwardVoxels,
        curveShare * steepness * curveShift,
        areRingsRemoved ? ringsShift : 0,
        gridAlike,
      ),
    method: 'quality',
  };
}
