/** What data objects hold, as earlier versions have written it: for tests that need rows of some kind. */
import { readFileSync } from 'node:fs';
import type { DataObjectKind } from '#contract/analyses/data-kinds.ts';
import type { DataContent } from '#contract/shapes/data-object.ts';

interface StoredRow {
  version: string;
  operation: string;
  kind: DataObjectKind;
  /** as it was before migrations */
  metadata: Record<string, unknown>;
}

/** One row at least of each kind and maker; long lists are cut. */
export const storedRows: StoredRow[] = JSON.parse(
  readFileSync(new URL('stored-rows.json', import.meta.url), 'utf8'),
);

/** Kind and metadata of a data object, with changes to what an example of its kind has. */
export function exampleContent<Kind extends DataObjectKind>(
  kind: Kind,
  changes: Partial<DataContent<Kind>['metadata']> = {},
): DataContent<Kind> {
  const example = storedRows.find((row) => row.kind === kind);
  return { kind, metadata: { ...example?.metadata, ...changes } } as DataContent<Kind>;
}
