/**
 * How well the determined surface of a scan places one point, from what the scan shows: noise, blur, voxel size, uneven
 * grey values. Of one standard deviation, in mm, across the surface.
 */
export interface PointUncertainty {
  /** of each point independently: noise */
  randomMm: number;
  /** of all points alike: grey values that vary over the part, and what a grid of voxels leaves open */
  systematicMm: number;
  /** what it was made of, for people */
  method: 'quality' | 'voxelSize';
}

export interface ScanFacts {
  voxelSizeMm: readonly number[];
  /** null where the scan was not judged */
  quality: {
    contrastToNoise: number | null;
    blurVoxels: number | null;
    unevenness: number | null;
    gradient: number | null;
    rings: number | null;
  } | null;
}

/** The blur of voxels alone, 1/√12, which no scan is below. */
const leastBlur = 0.29;
/**
 * Left open by the grid. Without blur, a voxel that the surface parts into f and 1 − f moves the crossing by
 * (f − ½)(1 − f) / f: 0.06 of a voxel in the mean square, which is 0.03 where neighbouring points are parted alike.
 */
const [gridRandom, gridAlike] = [0.06, 0.03];

/**
 * An edge blurred by a Gaussian of deviation b rises by contrast / (b √(2π)) a voxel, so a grey value that is off by a share
 * of the contrast moves the crossing by that share · b √(2π) voxels. Noise is off by 1 / contrast-to-noise; what varies
 * over the part by up to half of its range, evenly distributed. Without a judged blur nothing is known but the voxel:
 * its size / √12.
 */
export function estimatePointUncertainty({ voxelSizeMm, quality }: ScanFacts): PointUncertainty {
  const voxelMm = Math.max(...voxelSizeMm);
  if (!quality || quality.blurVoxels === null)
    return { randomMm: voxelMm / Math.sqrt(12), systematicMm: 0, method: 'voxelSize' };
  const { contrastToNoise, unevenness, gradient, rings } = quality;
  const steepness = Math.max(leastBlur, quality.blurVoxels) * Math.sqrt(2 * Math.PI);
  const varying = ((unevenness ?? 0) + (gradient ?? 0) + (rings ?? 0)) / 2;
  return {
    randomMm: voxelMm * Math.hypot(contrastToNoise === null ? 0 : steepness / contrastToNoise, gridRandom),
    systematicMm: voxelMm * Math.hypot((varying * steepness) / Math.sqrt(3), gridAlike),
    method: 'quality',
  };
}
