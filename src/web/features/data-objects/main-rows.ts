import { type ValueRow, valueRows } from '#web/ui/value-rows.ts';

/** What matters of a kind, in this order; the rest stands under “All metadata”. */
const mainKeys: Partial<Record<string, readonly string[]>> = {
  volume: ['dimensions', 'voxelSizeMm', 'dataType', 'range', 'isoValue', 'format', 'sourceFileName'],
};

/** The rows that matter of a kind; all of them where nothing is said of the kind. */
export function mainRows(kind: string, metadata: Record<string, unknown>): ValueRow[] {
  const keys = mainKeys[kind];
  if (!keys) return valueRows(metadata);
  const there = keys.filter((key) => metadata[key] !== undefined);
  return valueRows(Object.fromEntries(there.map((key) => [key, metadata[key]])));
}
