import { createHash } from 'node:crypto';
import type { StoredVolume, VolumeSink } from '#analyses/analysis.ts';
import { openVolumeReader, type VolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { createVolumeWriter } from '#formats/ome-zarr/volume-writer.ts';
import { summarizeVolume, surfaceLevels } from '#kernels/grid/summarize.ts';
import { withoutValue } from '#kernels/grid/unseen-field.ts';
import type { DataType, Grid } from '#kernels/grid/volume.ts';
import { judgeScan } from '#kernels/quality/judge-scan.ts';
import type { OperationWork } from './work/work.ts';

/** Of the work that is left once all is written, what counting takes; the rest is judging the scan. */
const countingShare = 0.6;

export interface StoredVolumeSink extends VolumeSink {
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
  return {
    append: async (planes) => {
      hash.update(new Uint8Array(planes.buffer as ArrayBuffer, planes.byteOffset, planes.byteLength));
      await writer.append(planes);
    },
    finish: async (progress): Promise<StoredVolume> => {
      const { sizeBytes } = await writer.finish();
      await blobs.describe(key, { sizeBytes });
      const stored = await reader();
      const slabs = stored.slabs(0);
      const { signal } = run;
      const { range, outline, ...found } = await summarizeVolume(slabs, context.pool, {
        signal,
        ...(progress ? { progress: (share: number) => progress(countingShare * share) } : {}),
      });
      const quality = await judgeScan({ ...slabs, ...found, range }, signal);
      // What stands for cells that were not seen has no say in the levels.
      const histogram = quality?.unseen
        ? withoutValue(found.histogram, quality.unseen.value)
        : found.histogram;
      const { isoValue, otsuValue } = surfaceLevels(histogram);
      progress?.(1);
      return {
        key,
        sizeBytes,
        metadata: {
          ...grid,
          frame: 'LPS',
          dataType,
          ...{ range, histogram, isoValue, otsuValue, outline },
          quality,
          valuesSha256: hash.digest('hex'),
        },
      };
    },
    reader,
    // Chunks may still be under way; nothing may be written after the key was given up.
    discard: () => writer.discard(),
  };
}
