/** Sends a complete level of a volume, which the viewer shows until finer data arrives. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { levelBytes } from '#formats/ome-zarr/layout.ts';
import type { VolumeReader } from '#formats/ome-zarr/volume-reader.ts';

/**
 * Sends the finest level with at most so many voxels along its longest axis, or the coarsest level if none is that small:
 * little-endian values, x fastest. Memory: one layer of chunks.
 */
export function sendLevel(
  reply: FastifyReply,
  reader: VolumeReader,
  maxDimension: number,
  signal: AbortSignal,
): FastifyReply {
  const { levels, dataType } = reader.meta;
  const grid =
    levels.find(({ dimensions }) => Math.max(...dimensions) <= maxDimension) ?? levels.at(-1) ?? levels[0];
  const index = levels.indexOf(grid);
  const [, , depth] = grid.dimensions;
  async function* readLayers() {
    for (let z = 0; z < depth; z += grid.chunk[2]) {
      const planes = await reader.readSlab(index, z, Math.min(depth, z + grid.chunk[2]), signal);
      yield new Uint8Array(planes.buffer, planes.byteOffset, planes.byteLength);
    }
  }
  return reply
    .headers({
      'content-length': levelBytes(grid, dataType),
      'x-dimensions': grid.dimensions.join(','),
      'x-spacing-mm': grid.voxelSizeMm.join(','),
      'x-origin-mm': grid.originMm.join(','),
      'x-data-type': dataType,
    })
    .type('application/octet-stream')
    .send(Readable.from(readLayers(), { objectMode: false }));
}
