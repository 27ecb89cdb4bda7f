/** The kept numbers of projects: reading them, and adding them up when their changes have become many. */

import { sql } from 'drizzle-orm';
import { PgTransaction } from 'drizzle-orm/pg-core';
import { among } from './among.ts';
import type { Database, Executor } from './connection.ts';
import { projectCounts } from './schema-projects.ts';

/** so many changes are read within a millisecond */
const MAX_CHANGES = 1000;

/** How many projects the organizations have, the deleted ones too. */
export async function numberOfProjects(db: Executor, organizationIds: string[]): Promise<number> {
  const { rows } = await db.execute<{ count: number; changes: number }>(
    sql`select coalesce(sum(${projectCounts.change}), 0)::float8 as count, count(*)::int as changes
        from ${projectCounts} where ${among(projectCounts.organizationId, organizationIds)}`,
  );
  if (!(db instanceof PgTransaction)) compactWhenMany(db, rows[0].changes);
  return rows[0].count;
}

/**
 * Adds the changes of `project_counts` up, so that few rows are left.
 *
 * @returns how many are left
 */
export async function compactProjectCounts(db: Executor): Promise<number> {
  const { rowCount } = await db.execute(sql`
    with old as (delete from ${projectCounts} returning *)
    insert into ${projectCounts} (organization_id, workspace_id, state, verdict, change)
    select organization_id, workspace_id, state, verdict, sum(change) from old
    group by 1, 2, 3, 4 having sum(change) <> 0`);
  return rowCount ?? 0;
}

const limits = new WeakMap<Database, number>();

/** Adds up aside; what can't be added up is no more than that, so a failure waits for the next time. */
export function compactWhenMany(db: Database, changes: number): void {
  if (changes <= (limits.get(db) ?? MAX_CHANGES)) return;
  limits.set(db, Number.POSITIVE_INFINITY);
  compactProjectCounts(db).then(
    (left) => limits.set(db, MAX_CHANGES + 2 * left),
    () => limits.delete(db),
  );
}
