import { findLevel } from '#formats/ome-zarr/layout.ts';
import type { VolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import type { Picture } from '#kernels/picture/picture.ts';
import { middlePlane, slicePicture } from '#kernels/picture/slice-picture.ts';

/** The central slice across z, from a level that is just large enough; `size` pixels on the longer side. */
export async function drawMiddleSlice(reader: VolumeReader, size: number): Promise<Picture> {
  const { index, grid } = findLevel(
    reader.meta,
    ({ dimensions }) => Math.max(dimensions[0], dimensions[1]) >= size,
  );
  const { data, width, height } = await reader.readPlane(index, 'z', middlePlane(grid.dimensions));
  return slicePicture(data, [width, height], [grid.voxelSizeMm[0], grid.voxelSizeMm[1]], size);
}
