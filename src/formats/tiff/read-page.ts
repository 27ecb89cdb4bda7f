import { type VoxelArray, voxelArray } from '#kernels/grid/volume.ts';
import { type ByteSource, buffered, readExactly } from '../bytes/byte-source.ts';
import { turnPlane } from '../volume/inner-frame.ts';
import { decodeChunk } from './decode-chunk.ts';
import { type PageLayout, readChunks } from './page-layout.ts';

/** The grey values of one page, upright, row by row from the top. */
export async function readPage(layout: PageLayout, signal?: AbortSignal): Promise<VoxelArray> {
  const page = await readStoredPage(layout, signal);
  return turnPlane(page, layout.width, layout.height, layout.turn);
}

async function readStoredPage(layout: PageLayout, signal?: AbortSignal): Promise<VoxelArray> {
  const { width, height, chunkWidth, chunkHeight, dataType, tiled, directory } = layout;
  const chunks = await readChunks(layout);
  // Strips of one row are common; a window of up to a megabyte, but no more than the page, reads many at once.
  const packedBytes = chunks.reduce((sum, { byteCount }) => sum + byteCount, 0);
  const source: ByteSource =
    chunks.length > 1
      ? buffered(directory.file.source, Math.min(1 << 20, packedBytes + 4096))
      : directory.file.source;
  const across = Math.ceil(width / chunkWidth);
  let page: VoxelArray | undefined;
  for (const [i, { offset, byteCount }] of chunks.entries()) {
    signal?.throwIfAborted();
    const left = (i % across) * chunkWidth;
    const top = Math.floor(i / across) * chunkHeight;
    const rows = tiled ? chunkHeight : Math.min(chunkHeight, height - top);
    const where = `${source.name}, page ${directory.page}, ${tiled ? 'tile' : 'strip'} ${i + 1}`;
    const samples = decodeChunk(layout, await readExactly(source, offset, byteCount, where), rows, where);
    if (chunks.length === 1 && chunkWidth === width && rows === height) return samples;
    page ??= voxelArray(dataType, width * height);
    const visibleRows = Math.min(rows, height - top);
    const visibleColumns = Math.min(chunkWidth, width - left);
    for (let y = 0; y < visibleRows; y++) {
      const from = y * chunkWidth;
      page.set(samples.subarray(from, from + visibleColumns), (top + y) * width + left);
    }
  }
  return page ?? voxelArray(dataType, 0);
}
