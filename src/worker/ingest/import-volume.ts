import { totalmem } from 'node:os';
import type { ByteSource } from '#formats/bytes/byte-source.ts';
import type { VolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { writerMemoryBytes } from '#formats/ome-zarr/volume-writer.ts';
import { type OpenedVolume, openVolume } from '#formats/open-volume.ts';
import { writePng } from '#formats/png/write-png.ts';
import type { ImportHints } from '#formats/volume/volume-header.ts';
import { bytesPerVoxel } from '#kernels/grid/volume.ts';
import { drawMiddleSlice } from '../pictures/volume-picture.ts';
import { openVolumeSink } from '../volume-sink.ts';
import { WorkFailure } from '../work/describe-failure.ts';
import { NeedsPlace, type OperationWork } from '../work/work.ts';
import type { Imported } from './imported.ts';

/** larger imports use the slot of analyses */
const HEAVY_BYTES = 512 * 1024 * 1024;
/** share of the machine's memory that one import may use; the rest is for the database and the service */
const MEMORY_SHARE = 0.5;
const THUMBNAIL_PIXELS = 256;

/**
 * Reads a volume slab by slab, writes it with all its levels, and counts its grey values. Memory: a few slabs and the
 * planes buffered by the writer, independent of the file size.
 *
 * @param upTo end of its share of the progress
 */
export async function importVolume(
  work: OperationWork,
  source: ByteSource,
  hints: ImportHints,
  upTo: number,
): Promise<Imported> {
  const opened = await openVolume([source], hints);
  const { dimensions } = opened.grid;
  requireMemory(opened);
  const bytes = dimensions[0] * dimensions[1] * dimensions[2] * bytesPerVoxel[opened.dataType];
  if (bytes > HEAVY_BYTES && work.place !== 'compute') throw new NeedsPlace('compute');
  return readAndCount(work, opened, upTo);
}

/** @throws WorkFailure TOO_LARGE when a single plane, or a row of chunks, does not fit into memory */
export function requireMemory(
  { grid, dataType, workingBytes }: Pick<OpenedVolume, 'grid' | 'dataType' | 'workingBytes'>,
  machineBytes = totalmem(),
): void {
  const planeBytes = grid.dimensions[0] * grid.dimensions[1] * bytesPerVoxel[dataType];
  const needed = workingBytes + planeBytes + writerMemoryBytes(grid, dataType);
  const allowed = MEMORY_SHARE * machineBytes;
  if (needed <= allowed) return;
  const gib = (value: number) => (value / 1024 ** 3).toFixed(1);
  throw new WorkFailure(
    'TOO_LARGE',
    `Reading ${grid.dimensions.join(' × ')} voxels takes ${gib(needed)} GiB of memory, and ${gib(allowed)} GiB are allowed on this machine: crop or bin the volume first.`,
  );
}

async function readAndCount(
  work: OperationWork,
  { slabs, warnings, format }: Awaited<ReturnType<typeof openVolume>>,
  upTo: number,
): Promise<Imported> {
  const { run } = work;
  const sink = await openVolumeSink(work, slabs.grid, slabs.dataType);
  let thumbnail: Uint8Array = new Uint8Array();
  const { metadata, ...volume } = await sink.take(
    slabs,
    (share) => run.report(upTo * share, 'Reading the volume'),
    async (reader) => {
      thumbnail = await volumeThumbnail(reader);
    },
  );
  return {
    describe: (source) => ({ kind: 'volume', metadata: { ...metadata, format, ...source } }),
    volume,
    files: [],
    thumbnailPng: { bytes: thumbnail, onlyWhenNone: false },
    algorithms: { pyramid: '1', histogram: '1', surfaceLevel: '1' },
    warnings,
  };
}

/** PNG of the central slice, from a level that is just large enough. */
export async function volumeThumbnail(reader: VolumeReader): Promise<Uint8Array> {
  return writePng(await drawMiddleSlice(reader, THUMBNAIL_PIXELS));
}
