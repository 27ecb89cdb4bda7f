import type { DataObject, VolumeMetadata } from '#web/api/generated/types.gen.ts';
import { type ValueRow, valueRows } from '#web/ui/value-rows.ts';

/** What matters of a volume, in this order; the rest stands under “All metadata”. */
const ofVolume = [
  'dimensions',
  'voxelSizeMm',
  'dataType',
  'range',
  'isoValue',
  'format',
  'sourceFileName',
] as const satisfies (keyof VolumeMetadata)[];

/** The rows that matter of a volume; of any other kind all of them. */
export function mainRows(dataObject: DataObject): ValueRow[] {
  if (dataObject.kind !== 'volume') return valueRows(dataObject.metadata);
  const { metadata } = dataObject;
  return valueRows(
    Object.fromEntries(
      ofVolume.flatMap((key) => (metadata[key] === undefined ? [] : [[key, metadata[key]]])),
    ),
  );
}
