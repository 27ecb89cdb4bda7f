import { createHash } from 'node:crypto';
import type { StoredVolume, VolumeSink } from '#analyses/analysis.ts';
import { openVolumeReader, type VolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { createVolumeWriter } from '#formats/ome-zarr/volume-writer.ts';
import { summarizeVolume, surfaceLevels } from '#kernels/grid/summarize.ts';
import { withoutValue } from '#kernels/grid/unseen-field.ts';
import type { DataType, Grid } from '#kernels/grid/volume.ts';
import { judgeSeen } from '#kernels/quality/judge-scan.ts';
import type { ScanIndices } from '#kernels/quality/scan-indices.ts';
import { readSeen } from '#kernels/quality/seen-scan.ts';
import type { OperationWork } from './work/work.ts';

/** Of the work that is left once all is written, what counting takes; the rest is judging the scan. */
const countingShare = 0.6;

/** A volume of which everything is known but its quality. */
export interface UnjudgedVolume {
  volume: StoredVolume;
  judge(): Promise<ScanIndices | null>;
}

export interface StoredVolumeSink extends VolumeSink {
  /** Leaves the longest part of finishing to `judge`: all that a picture needs is known before. */
  finishUnjudged(progress?: (fraction: number) => void): Promise<UnjudgedVolume>;
  /** once it is finished */
  reader(): Promise<VolumeReader>;
  /** Ends what is still being written; the key itself is given up by who registered it. */
  discard(): Promise<void>;
}

/** A new multiscale volume of this work; at the end its grey values are counted. */
export async function openVolumeSink(
  { blobs, context, run }: Pick<OperationWork, 'blobs' | 'context' | 'run'>,
  grid: Grid,
  dataType: DataType,
): Promise<StoredVolumeSink> {
  const key = await blobs.newVolumeKey();
  const writer = createVolumeWriter(context.store, key, { ...grid, dataType, signal: run.signal });
  const hash = createHash('sha256');
  const reader = () => openVolumeReader(context.store, key);
  const { signal } = run;
  const finishUnjudged: StoredVolumeSink['finishUnjudged'] = async (progress) => {
    const { sizeBytes } = await writer.finish();
    await blobs.describe(key, { sizeBytes });
    const slabs = (await reader()).slabs(0);
    const { range, outline, ...found } = await summarizeVolume(slabs, context.pool, {
      signal,
      ...(progress ? { progress } : {}),
    });
    const seen = await readSeen({ ...slabs, ...found, range }, signal);
    // What stands for cells that were not seen has no say in the levels.
    const histogram = seen?.unseen ? withoutValue(found.histogram, seen.unseen.field.value) : found.histogram;
    const { isoValue, otsuValue } = surfaceLevels(histogram);
    const metadata = {
      ...grid,
      frame: 'LPS' as const,
      dataType,
      ...{ range, histogram, isoValue, otsuValue, outline },
      valuesSha256: hash.digest('hex'),
    };
    return {
      volume: { key, sizeBytes, metadata },
      judge: async () => seen && judgeSeen(seen, signal),
    };
  };
  return {
    append: async (planes) => {
      hash.update(new Uint8Array(planes.buffer as ArrayBuffer, planes.byteOffset, planes.byteLength));
      await writer.append(planes);
    },
    finishUnjudged,
    finish: async (progress) => {
      const { volume, judge } = await finishUnjudged((share) => progress?.(countingShare * share));
      const quality = await judge();
      progress?.(1);
      return { ...volume, metadata: { ...volume.metadata, quality } };
    },
    reader,
    // Chunks may still be under way; nothing may be written after the key was given up.
    discard: () => writer.discard(),
  };
}
