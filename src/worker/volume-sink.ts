import type { StoredVolume, VolumeSink } from '#analyses/analysis.ts';
import { openVolumeReader, VolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { createVolumeWriter } from '#formats/ome-zarr/volume-writer.ts';
import { readUntil } from '#kernels/grid/read-until.ts';
import { summarizeVolume, surfaceLevels, type VolumeSummary } from '#kernels/grid/summarize.ts';
import { withoutValue } from '#kernels/grid/unseen-field.ts';
import type { DataType, Grid, SlabSource, VoxelArray } from '#kernels/grid/volume.ts';
import { stoppedBy } from '#kernels/pool.ts';
import { judgeSeen } from '#kernels/quality/judge-scan.ts';
import { readSeen } from '#kernels/quality/seen-scan.ts';
import { inTurn } from './in-turn.ts';
import { digestPlanes } from './planes/digest-planes.ts';
import type { OperationWork } from './work/work.ts';

/** Share of the remaining work that counting takes after everything is written; the rest is judging the scan. */
const countingShare = 0.6;
/** Cells counted at once as planes arrive: smaller batches need less memory in all consumers. */
const countedCells = 4e6;

export interface StoredVolumeSink extends VolumeSink {
  /**
   * Reads all planes of a source once and counts their grey values on the way. Leaves out judging the quality, which
   * takes longest and which no picture needs. A failure leaves nothing behind.
   */
  take(
    source: SlabSource,
    progress: (fraction: number) => void,
    /** examines the volume while it is being flushed to disk */
    look?: (reader: VolumeReader) => Promise<void>,
  ): Promise<StoredVolume>;
  /** once it is finished */
  reader(): Promise<VolumeReader>;
  /** Stops writing; the key itself is released by whoever registered it. */
  discard(): Promise<void>;
}

/** Creates a multiscale volume of this work and counts its grey values at the end. */
export async function openVolumeSink(
  { blobs, context, run }: Pick<OperationWork, 'blobs' | 'context' | 'run'>,
  grid: Grid,
  dataType: DataType,
): Promise<StoredVolumeSink> {
  const key = await blobs.newVolumeKey();
  const writer = createVolumeWriter(context.store, key, { ...grid, dataType, signal: run.signal });
  const reader = () => openVolumeReader(context.store, key);
  const { signal } = run;
  const pool = stoppedBy(context.pool, signal);
  const digesting = digestPlanes(grid.dimensions, dataType, signal);
  const append = async (planes: VoxelArray) => {
    await digesting.add(planes);
    await writer.append(planes);
  };
  const discard = async () => {
    digesting.close();
    await writer.discard();
  };
  const openStored = async () => {
    await writer.writeRest();
    return new VolumeReader(context.store, key, writer.meta);
  };
  const readStored = async () => (await openStored()).slabs(0);
  const describe = async (
    { range, outline, ...found }: VolumeSummary,
    look?: (reader: VolumeReader) => Promise<void>,
  ) => {
    const stored = await openStored();
    const read = async () => {
      const { valuesSha256, blocks } = await digesting.take();
      const scan = readUntil({ ...stored.slabs(0), ...found, range }, signal);
      const seen = await readSeen(scan, blocks);
      return { valuesSha256, seen };
    };
    // The volume is flushed to disk while it is examined. If one step fails, none may continue.
    const [finishing, reading, looking] = await Promise.allSettled([writer.finish(), read(), look?.(stored)]);
    if (finishing.status === 'rejected') throw finishing.reason;
    if (reading.status === 'rejected') throw reading.reason;
    if (looking.status === 'rejected') throw looking.reason;
    const { valuesSha256, seen } = reading.value;
    const { sizeBytes } = finishing.value;
    await blobs.describe(key, { sizeBytes });
    // The fill value of unseen cells must not affect the levels.
    const histogram = seen?.unseen ? withoutValue(found.histogram, seen.unseen.field.value) : found.histogram;
    const { isoValue, otsuValue } = surfaceLevels(histogram);
    const metadata = {
      ...grid,
      frame: 'LPS' as const,
      dataType,
      ...{ range, histogram, isoValue, otsuValue, outline },
      valuesSha256,
    };
    return { volume: { key, sizeBytes, metadata }, seen };
  };
  return {
    append,
    take: async (source, progress, look) => {
      try {
        const counted = readUntil({ grid, dataType, readSlab: inTurn(source, append) }, signal);
        const options = { progress, again: readStored, cells: countedCells };
        return (await describe(await summarizeVolume(counted, pool, options), look)).volume;
      } catch (error) {
        await discard();
        throw error;
      }
    },
    finish: async (progress) => {
      try {
        const summary = await summarizeVolume(await readStored(), pool, {
          progress: (share) => progress?.(countingShare * share),
        });
        const { volume, seen } = await describe(summary);
        const quality = seen && (await judgeSeen(seen));
        progress?.(1);
        return { ...volume, metadata: { ...volume.metadata, quality } };
      } catch (error) {
        await discard();
        throw error;
      }
    },
    reader,
    // Chunks may still be being written; nothing may be written after the key was released.
    discard,
  };
}
