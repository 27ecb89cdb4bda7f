import { inArray, type SQL } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { workStatuses } from '#contract/base/primitives.ts';

/** Filter of a column by status; unknown statuses match nothing, and without any all rows match. */
export const hasStatus = (column: AnyPgColumn, wanted: readonly string[] | undefined): SQL | undefined =>
  wanted &&
  inArray(
    column,
    workStatuses.filter((each) => wanted.includes(each)),
  );
