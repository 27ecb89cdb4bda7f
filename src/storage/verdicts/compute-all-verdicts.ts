/** Recomputes verdicts stored by earlier versions, which simply kept that of the last recipe or comparison. */
import { asc, eq, gt } from 'drizzle-orm';
import type { Executor } from '../db/connection.ts';
import { projects } from '../db/schema-projects.ts';
import { settings } from '../db/schema-system.ts';
import { recomputeVerdicts } from './recompute-verdicts.ts';

const DONE = 'verdictsComputed';
const BATCH = 1000;
const FIRST = '00000000-0000-0000-0000-000000000000';

/** Computes the verdict of every project, once per database; restarted if it was interrupted. */
export async function computeAllVerdicts(db: Executor): Promise<void> {
  const done = await db.select().from(settings).where(eq(settings.key, DONE));
  if (done.length > 0) return;
  for (let last = FIRST; ; ) {
    const rows = await db
      .select({ id: projects.id })
      .from(projects)
      .where(gt(projects.id, last))
      .orderBy(asc(projects.id))
      .limit(BATCH);
    const ids = rows.map(({ id }) => id);
    const end = ids.at(-1);
    if (end === undefined) break;
    await recomputeVerdicts(db, ids);
    last = end;
  }
  await db.insert(settings).values({ key: DONE, value: true }).onConflictDoNothing();
}
