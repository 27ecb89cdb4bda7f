/** Content of data objects as written by earlier versions, for tests that need rows of some kind. */
import { readFileSync } from 'node:fs';
import type { DataObjectKind } from '#contract/analyses/data-kinds.ts';
import type { DataContent } from '#contract/shapes/data-object.ts';

interface StoredRow {
  version: string;
  operation: string;
  kind: DataObjectKind;
  /** before migrations */
  metadata: Record<string, unknown>;
}

/** At least one row of each kind and analysis; long lists are shortened. */
export const storedRows: StoredRow[] = JSON.parse(
  readFileSync(new URL('stored-rows.json', import.meta.url), 'utf8'),
);

/** Kind and metadata of an example data object, with changes applied. */
export function exampleContent<Kind extends DataObjectKind>(
  kind: Kind,
  changes: Partial<DataContent<Kind>['metadata']> = {},
): DataContent<Kind> {
  const example = storedRows.find((row) => row.kind === kind);
  return { kind, metadata: { ...example?.metadata, ...changes } } as DataContent<Kind>;
}
