/** The bytes of each entry of an archive, as a stream that is opened when its turn comes. */
import { readGlb } from '#formats/glb/read-glb.ts';
import { readGlbTexture } from '#formats/glb/read-glb-texture.ts';
import { openVolume } from '#formats/import.ts';
import { weld } from '#formats/mesh/weld.ts';
import { nrrdSize, writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { writePly } from '#formats/ply/write-ply.ts';
import { writeStl } from '#formats/stl/write-stl.ts';
import { write3mf } from '#formats/threemf/write-3mf.ts';
import { tiffSize, writeTiff } from '#formats/tiff/write-tiff.ts';
import type { SlabSource, Vector3 } from '#kernels/grid/volume.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import type { dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';
import { arrayMetadata, groupMetadata, type VolumeLevel } from '#storage/volumes/volume-layout.ts';
import { openVolumeReader } from '#storage/volumes/volume-reader.ts';
import { blobByteSource } from '../ingest/upload-source.ts';
import type { ExportEntry } from './export-contents.ts';

type FileRow = typeof dataObjectFiles.$inferSelect;
type DataObjectRow = typeof dataObjects.$inferSelect;
type MeshFormat = Extract<ExportEntry['content'], { kind: 'mesh' }>['format'];

export interface EntryBytes {
  bytes: AsyncIterable<Uint8Array>;
  /** when it is known before */
  expectedBytes?: number;
}

/** Opens entries in turn; a stack that several entries are cut from stays open from one to the next. */
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
        const reader = await openVolumeReader(store, content.volumeKey, { cacheBytes: 0 });
        return written(reader.slabs(0), content.format, signal);
      }
      case 'stack':
        return written(await this.#openStack(content.file, dataObject), content.format, signal);
      case 'stackPart':
        return stackPart(await this.#openStack(content.file, dataObject), content.part, signal);
      case 'mesh':
        return surfaceAs(content.format, await store.read(content.file.blobKey, undefined, signal), signal);
    }
  }

  async #openStack(file: FileRow, { metadata }: DataObjectRow): Promise<SlabSource> {
    if (this.#stack?.fileId === file.id) return this.#stack.slabs;
    const source = await blobByteSource(this.#store, file.blobKey, file.fileName);
    const pixelMm = metadata['pixelSizeMm'];
    const [u, v] = Array.isArray(pixelMm) ? pixelMm.map(Number) : [Number(pixelMm), Number(pixelMm)];
    const voxelSizeMm: Vector3 = u > 0 && v > 0 ? [u, v, 1] : [1, 1, 1];
    const { slabs } = await openVolume([source], { voxelSizeMm, unit: 'mm' });
    this.#stack = { fileId: file.id, slabs };
    return slabs;
  }
}

function written(slabs: SlabSource, format: 'nrrd' | 'tiff', signal: AbortSignal): EntryBytes {
  return format === 'tiff'
    ? { bytes: writeTiff(slabs, { signal }), expectedBytes: tiffSize(slabs) }
    : { bytes: writeNrrd(slabs, { signal }), expectedBytes: nrrdSize(slabs) };
}

const inOne = (bytes: Uint8Array): EntryBytes => ({
  bytes: (async function* () {
    yield bytes;
  })(),
  expectedBytes: bytes.length,
});

/** A stack as OME-Zarr of one level: a chunk is a plane. */
async function stackPart(
  slabs: SlabSource,
  part: 'group' | 'array' | number,
  signal: AbortSignal,
): Promise<EntryBytes> {
  const { grid, dataType } = slabs;
  if (typeof part === 'number') {
    const plane = await slabs.readSlab(part, part + 1, signal);
    return inOne(new Uint8Array(plane.buffer, plane.byteOffset, plane.byteLength));
  }
  const [width, height] = grid.dimensions;
  const { dimensions, voxelSizeMm, originMm, directions } = grid;
  const level: VolumeLevel = { dimensions, voxelSizeMm, originMm, directions, chunk: [width, height, 1] };
  const metadata =
    part === 'array'
      ? arrayMetadata(level, dataType)
      : groupMetadata({ ...level, dataType, levels: [level] });
  return inOne(Buffer.from(`${JSON.stringify(metadata, undefined, 2)}\n`));
}

function surfaceAs(format: MeshFormat, glb: Uint8Array, signal: AbortSignal): EntryBytes {
  if (format === 'glb') return inOne(glb);
  // Around a texture vertices stand once for each side of a seam.
  const mesh = readGlbTexture(glb) ? weld(readGlb(glb)) : readGlb(glb);
  if (format === '3mf') return { bytes: write3mf(mesh, signal) };
  return inOne(format === 'stl' ? writeStl(mesh) : writePly(mesh));
}
