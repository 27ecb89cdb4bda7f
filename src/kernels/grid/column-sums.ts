import type { PackedVolume } from './pack-volume.ts';
import { mapVector, type Vector3 } from './volume.ts';

/** Samples along an axis; the same for every voxel count, because the voxels are of one scan anyway. */
const maxPlaces = 64;

/**
 * Thickness that rays through a volume typically pass, in mm of full opacity: the 90th percentile over the columns
 * along an axis that pass any material. The least of the three axes, so that a dense direction does not spoil it.
 *
 * @param findOpacity 0 to 1, of a packed voxel
 */
export function columnSums(
  { voxels, grid }: Pick<PackedVolume, 'voxels' | 'grid'>,
  findOpacity: (value: number) => number,
): number {
  const { dimensions, voxelSizeMm } = grid;
  const [nx, ny] = dimensions;
  const size = mapVector(dimensions, (n) => Math.min(n, maxPlaces));
  const [px, py, pz] = size;
  const columns = [new Float32Array(py * pz), new Float32Array(px * pz), new Float32Array(px * py)] as const;
  const toVoxel = (place: number, axis: number) =>
    Math.floor(((place + 0.5) * dimensions[axis]) / size[axis]);
  for (let z = 0; z < pz; z++) {
    for (let y = 0; y < py; y++) {
      const row = nx * (toVoxel(y, 1) + ny * toVoxel(z, 2));
      for (let x = 0; x < px; x++) {
        const opacity = findOpacity(voxels[row + toVoxel(x, 0)]);
        columns[0][y + py * z] += opacity;
        columns[1][x + px * z] += opacity;
        columns[2][x + px * y] += opacity;
      }
    }
  }
  const placeMm: Vector3 = mapVector(size, (n, axis) => (dimensions[axis] * voxelSizeMm[axis]) / n);
  const most = columns.map((sums, axis) => {
    const passed = sums.filter((each) => each > 0).sort();
    return (passed[Math.floor(0.9 * (passed.length - 1))] ?? 0) * placeMm[axis];
  });
  return Math.min(...most);
}
