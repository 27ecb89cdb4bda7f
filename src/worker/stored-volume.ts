import type { VolumeInput } from '#analyses/analysis.ts';
import { openVolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import { type DataObjectRow, narrowRow } from '#storage/db/schema-data.ts';
import { WorkFailure } from './work/describe-failure.ts';

/**
 * The volume of a data object at full resolution, with its grey value statistics from the import.
 *
 * @throws WorkFailure when the data object is not a volume
 */
export async function openStoredVolume(store: BlobStore, row: DataObjectRow): Promise<VolumeInput> {
  const { volumeKey, name, kind } = row;
  const volume = narrowRow(row, 'volume', 'radiographs');
  if (!volumeKey || !volume) throw new WorkFailure('MISSING_INPUT', `“${name}” is ${kind}, not a volume.`);
  const { histogram, range, outline } = volume.metadata;
  const reader = await openVolumeReader(store, volumeKey);
  const coarser = reader.meta.levels.slice(1).map((_, i) => reader.slabs(i + 1));
  return { ...reader.slabs(0), coarser, histogram, range, outline };
}
