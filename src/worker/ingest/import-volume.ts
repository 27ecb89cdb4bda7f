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

/** from here on an import takes its turn with the analyses */
const HEAVY_BYTES = 512 * 1024 * 1024;
/** share of the machine's memory that one import may need; the rest is for the database and the service */
const MEMORY_SHARE = 0.5;
const THUMBNAIL_PIXELS = 256;

/**
 * Reads a volume slab by slab and writes it as a multiscale one; then counts its grey values. Memory: some slabs
 * and the planes that the writer collects, whatever the size of the file.
 *
 * @param upTo where in the progress it ends
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

/** @throws WorkFailure TOO_LARGE: planes so large that one of them, or the chunks of a row, do not fit into memory */
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

/** A PNG of the middle slice, from a level that is just large enough. */
export async function volumeThumbnail(reader: VolumeReader): Promise<Uint8Array> {
  return writePng(await drawMiddleSlice(reader, THUMBNAIL_PIXELS));
}
