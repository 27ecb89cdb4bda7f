import { inArray, type SQL } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { workStatuses } from '#contract/base/primitives.ts';

/** The column holds one of these statuses; one that no work has matches none, and all rows match where none is named. */
export const hasStatus = (column: AnyPgColumn, wanted: readonly string[] | undefined): SQL | undefined =>
  wanted &&
  inArray(
    column,
    workStatuses.filter((each) => wanted.includes(each)),
  );
