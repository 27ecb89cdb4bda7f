/** The contents of each entry of an archive, as a stream opened when it is needed. */

import type { VolumeWriteOptions } from '#formats/format.ts';
import { readGlb } from '#formats/glb/read-glb.ts';
import { readGlbTexture } from '#formats/glb/read-glb-texture.ts';
import { ChunkCache } from '#formats/ome-zarr/chunk-cache.ts';
import { arrayMetadata, groupMetadata, type VolumeLevel } from '#formats/ome-zarr/layout.ts';
import { openVolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { openPlanes } from '#formats/open-volume.ts';
import { meshFormats, volumeFormats, type WritableMeshId } from '#formats/registry.ts';
import type { SlabSource, Vector3 } from '#kernels/grid/volume.ts';
import { weld } from '#kernels/mesh/weld.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import { type DataObjectRow, type FileRow, narrowRow } from '#storage/db/schema-data.ts';
import { blobByteSource } from '../ingest/upload-source.ts';
import type { ExportEntry } from './export-contents.ts';

type ExportContentFormat = Extract<ExportEntry['content'], { kind: 'volume' }>['format'];

export interface EntryBytes {
  bytes: AsyncIterable<Uint8Array>;
  /** if known in advance */
  expectedBytes?: number;
}

/** Opens entries in order; a stack shared by several entries stays open between them. */
export class EntryContents {
  readonly #store: BlobStore;
  readonly #signal: AbortSignal;
  #stack: { fileId: string; slabs: SlabSource } | null = null;

  constructor(store: BlobStore, signal: AbortSignal) {
    this.#store = store;
    this.#signal = signal;
  }

  async of({ content, dataObject }: ExportEntry): Promise<EntryBytes> {
    const [store, signal] = [this.#store, this.#signal];
    switch (content.kind) {
      case 'file': {
        const bytes = await store.get(content.file.blobKey, undefined, signal);
        return { bytes, expectedBytes: content.file.sizeBytes };
      }
      case 'blob':
        return {
          bytes: await store.get(content.blobKey, undefined, signal),
          expectedBytes: content.sizeBytes,
        };
      case 'volume': {
        const reader = await openVolumeReader(store, content.volumeKey, { cache: new ChunkCache(0) });
        return written(reader.slabs(0), content.format, { signal, frame: reader.meta.frame });
      }
      case 'stack':
        return written(await this.#openStack(content.file, dataObject), content.format, {
          signal,
          frame: null,
        });
      case 'stackPart':
        return stackPart(await this.#openStack(content.file, dataObject), content.part, signal);
      case 'mesh':
        return surfaceAs(
          content.format,
          content.file,
          await store.read(content.file.blobKey, undefined, signal),
          signal,
        );
    }
  }

  async #openStack(file: FileRow, dataObject: DataObjectRow): Promise<SlabSource> {
    if (this.#stack?.fileId === file.id) return this.#stack.slabs;
    const source = await blobByteSource(this.#store, file.blobKey, file.fileName);
    const pixelMm = narrowRow(dataObject, 'radiographs')?.metadata.pixelSizeMm ?? 1;
    const [u, v] = typeof pixelMm === 'number' ? [pixelMm, pixelMm] : pixelMm;
    const voxelSizeMm: Vector3 = u > 0 && v > 0 ? [u, v, 1] : [1, 1, 1];
    const { slabs } = await openPlanes([source], { voxelSizeMm });
    this.#stack = { fileId: file.id, slabs };
    return slabs;
  }
}

async function written(
  slabs: SlabSource,
  format: ExportContentFormat,
  options: VolumeWriteOptions,
): Promise<EntryBytes> {
  const { write, sizeBytes } = await volumeFormats[format].writer();
  return { bytes: write(slabs, options), expectedBytes: sizeBytes(slabs, options) };
}

const packBytes = (bytes: Uint8Array): EntryBytes => ({
  bytes: (async function* () {
    yield bytes;
  })(),
  expectedBytes: bytes.length,
});

/** A stack as OME-Zarr with one level, in which each chunk is a plane. */
async function stackPart(
  slabs: SlabSource,
  part: 'group' | 'array' | number,
  signal: AbortSignal,
): Promise<EntryBytes> {
  const { grid, dataType } = slabs;
  if (typeof part === 'number') {
    const plane = await slabs.readSlab(part, part + 1, signal);
    return packBytes(new Uint8Array(plane.buffer, plane.byteOffset, plane.byteLength));
  }
  const [width, height] = grid.dimensions;
  const { dimensions, voxelSizeMm, originMm, directions } = grid;
  const level: VolumeLevel = {
    dimensions,
    voxelSizeMm,
    originMm,
    directions,
    chunk: [width, height, 1],
    shard: null,
  };
  const metadata =
    part === 'array'
      ? arrayMetadata(level, dataType)
      : groupMetadata({ ...level, dataType, levels: [level], frame: null });
  return packBytes(Buffer.from(`${JSON.stringify(metadata, undefined, 2)}\n`));
}

async function surfaceAs(
  format: WritableMeshId,
  { fileName }: FileRow,
  glb: Uint8Array,
  signal: AbortSignal,
): Promise<EntryBytes> {
  if (format === 'glb') return packBytes(glb);
  // Textured meshes have duplicate vertices at texture seams.
  const mesh = readGlbTexture(glb) ? weld(readGlb(glb)) : readGlb(glb);
  const write = await meshFormats[format].writer();
  return { bytes: write(mesh, fileName.replace(/\.glb$/i, ''), signal) };
}
