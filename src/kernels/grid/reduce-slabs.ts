import { type Grid, type SlabSource, type Vector3, voxelArray } from './volume.ts';

export interface ViewLimits {
  maxVoxelCount?: number | undefined;
  /** maximum number of voxels along the longest axis */
  maxDimension: number;
}

/** Pyramid level that a view is made from, and its further reduction factor along each axis. */
export interface ViewPlan {
  level: number;
  factor: number;
  dimensions: Vector3;
}

/** The finest level within the limits; if even the coarsest exceeds them, that one with a further reduction. */
export function planView(levels: readonly { dimensions: Vector3 }[], limits: ViewLimits): ViewPlan {
  const fits = (dimensions: Vector3) =>
    Math.max(...dimensions) <= limits.maxDimension &&
    dimensions[0] * dimensions[1] * dimensions[2] <= (limits.maxVoxelCount ?? Infinity);
  const level = levels.findIndex(({ dimensions }) => fits(dimensions));
  if (level >= 0) return { level, factor: 1, dimensions: levels[level].dimensions };
  const coarsest = levels[levels.length - 1].dimensions;
  for (let factor = 2; ; factor++) {
    const dimensions = coarsest.map((size) => Math.ceil(size / factor)) as Vector3;
    if (fits(dimensions)) return { level: levels.length - 1, factor, dimensions };
  }
}

/**
 * A source whose voxels are means of factor³ voxels, fewer at the far ends. Integers are rounded to nearest. The centre
 * of the first voxel moves with the mean.
 */
export function reducedSlabs(source: SlabSource, factor: number): SlabSource {
  if (factor === 1) return source;
  const from = source.grid.dimensions;
  const dimensions = from.map((size) => Math.ceil(size / factor)) as Vector3;
  const isFloat = source.dataType.startsWith('float');
  const plane = dimensions[0] * dimensions[1];
  const sums = new Float64Array(plane);
  const counts = new Uint32Array(plane);
  return {
    grid: { ...source.grid, dimensions, ...coarserGrid(source.grid, factor) },
    dataType: source.dataType,
    async readSlab(zStart, zEnd) {
      const slab = voxelArray(source.dataType, plane * (zEnd - zStart));
      for (let z = zStart; z < zEnd; z++) {
        sums.fill(0);
        counts.fill(0);
        const fine = await source.readSlab(z * factor, Math.min(from[2], (z + 1) * factor));
        for (let at = 0, row = 0; at < fine.length; row++) {
          const target = Math.floor((row % from[1]) / factor) * dimensions[0];
          for (let x = 0; x < from[0]; x++, at++) {
            const to = target + Math.floor(x / factor);
            sums[to] += fine[at];
            counts[to]++;
          }
        }
        for (let i = 0, to = (z - zStart) * plane; i < plane; i++, to++) {
          const mean = sums[i] / counts[i];
          slab[to] = isFloat ? mean : Math.round(mean);
        }
      }
      return slab;
    },
  };
}

function coarserGrid(grid: Grid, factor: number): Pick<Grid, 'voxelSizeMm' | 'originMm'> {
  const { voxelSizeMm, originMm, directions } = grid;
  const shift = (factor - 1) / 2;
  return {
    voxelSizeMm: voxelSizeMm.map((size) => size * factor) as Vector3,
    originMm: originMm.map(
      (start, axis) =>
        start +
        shift *
          (directions[axis] * voxelSizeMm[0] +
            directions[3 + axis] * voxelSizeMm[1] +
            directions[6 + axis] * voxelSizeMm[2]),
    ) as Vector3,
  };
}
