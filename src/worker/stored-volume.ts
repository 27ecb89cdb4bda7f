import type { VolumeInput } from '#analyses/analysis.ts';
import type { Histogram } from '#kernels/grid/histogram.ts';
import type { GreyOutline } from '#kernels/grid/outline.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import type { dataObjects } from '#storage/db/schema-data.ts';
import { openVolumeReader } from '#storage/volumes/volume-reader.ts';
import { WorkFailure } from './operations/operation-work.ts';

type DataObjectRow = typeof dataObjects.$inferSelect;

/**
 * The volume of a data object at full resolution, with what ingest found out about its grey values.
 *
 * @throws WorkFailure when the data object is no volume
 */
export async function openStoredVolume(store: BlobStore, row: DataObjectRow): Promise<VolumeInput> {
  const { volumeKey, metadata, name, kind } = row;
  if (!volumeKey) throw new WorkFailure('MISSING_INPUT', `“${name}” is ${kind}, not a volume.`);
  const reader = await openVolumeReader(store, volumeKey);
  return {
    ...reader.slabs(0),
    histogram: metadata['histogram'] as Histogram,
    range: metadata['range'] as [number, number],
    outline: metadata['outline'] as GreyOutline | undefined,
  };
}
