/** Voxels without a value (NaN, infinite) that the part touches in a region of a scan. */
import type { CellBox } from '#kernels/grid/region.ts';
import type { SlabSource, VoxelArray } from '#kernels/grid/volume.ts';

/** Smallest number of voxel faces that count: a few single voxels without a value do not cut the part. */
const minFaces = 50;

/**
 * Whether material ends at voxels without a value within the region. Reads the region once.
 *
 * @param level grey values above it are material
 */
export async function touchesMissing(
  source: SlabSource,
  { from, to }: CellBox,
  level: number,
): Promise<boolean> {
  if (!source.dataType.startsWith('float')) return false;
  const [nx] = source.grid.dimensions;
  let before: VoxelArray | null = null;
  let faces = 0;
  for (let z = from[2]; z < to[2] && faces < minFaces; z++) {
    const plane: VoxelArray = (await source.readSlab(z, z + 1)).slice();
    const isEnd = (one = Number.NaN, other = Number.NaN) =>
      Number.isFinite(one) ? one > level && !Number.isFinite(other) : Number.isFinite(other) && other > level;
    for (let y = from[1]; y < to[1]; y++) {
      for (let at = y * nx + from[0]; at < y * nx + to[0]; at++) {
        if (at > y * nx + from[0] && isEnd(plane[at], plane[at - 1])) faces++;
        if (y > from[1] && isEnd(plane[at], plane[at - nx])) faces++;
        if (before && isEnd(plane[at], before[at])) faces++;
      }
    }
    before = plane;
  }
  return faces >= minFaces;
}
