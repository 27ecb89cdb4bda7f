/** Counts, cancels and describes the items of a bulk request. */

import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import { type BulkRequest, listVerdicts } from '#contract/shapes/bulk-request.ts';
import { among } from '../db/among.ts';
import type { Executor, Transaction } from '../db/connection.ts';
import { bulkItems, bulkRequests, recipeInvocations, type WorkError } from '../db/schema-work.ts';
import { takeRow } from '../db/take-row.ts';

type BulkRow = typeof bulkRequests.$inferSelect;

/** Recounts the outcomes of the items. */
export async function countItems(tx: Transaction, id: string): Promise<BulkRow> {
  const row = takeRow(
    await tx
      .update(bulkRequests)
      .set({
        completedCount: sql`counted.completed`,
        failedCount: sql`counted.failed`,
        cancelledCount: sql`counted.cancelled`,
        progress: sql`(counted.completed + counted.failed + counted.cancelled)::real
        / greatest(1, ${bulkRequests.totalCount})`,
      })
      .from(
        sql`(select count(*) filter (where status = 'completed') as completed,
          count(*) filter (where status = 'failed') as failed,
          count(*) filter (where status = 'cancelled') as cancelled
        from ${bulkItems} where ${bulkItems.bulkRequestId} = ${id}) as counted`,
      )
      .where(eq(bulkRequests.id, id))
      .returning(getTableColumns(bulkRequests)),
  );
  return row;
}

/** Ends all unfinished items: pending ones are cancelled, or all fail. */
export async function endItems(
  tx: Transaction,
  id: string,
  failure?: { status: 'failed'; error: WorkError | null },
): Promise<void> {
  await tx
    .update(bulkItems)
    .set({ ...(failure ?? { status: 'cancelled' }), finishedAt: sql`now()` })
    .where(
      and(
        eq(bulkItems.bulkRequestId, id),
        inArray(bulkItems.status, failure ? ['pending', 'processing'] : ['pending']),
      ),
    );
}

export type Verdicts = NonNullable<BulkRequest['verdicts']>;
export const noVerdicts: Verdicts = { pass: 0, fail: 0, indeterminate: 0, couldNotRun: 0 };

/** Number of verdicts of the runs of these requests. */
export async function countVerdicts(db: Executor, ids: readonly string[]): Promise<Map<string, Verdicts>> {
  const counts = new Map<string, Verdicts>();
  if (ids.length === 0) return counts;
  const rows = await db
    .select({
      id: bulkItems.bulkRequestId,
      status: bulkItems.status,
      verdict: recipeInvocations.verdict,
      count: sql<number>`count(*)::int`,
    })
    .from(bulkItems)
    .leftJoin(
      recipeInvocations,
      sql`${recipeInvocations.id} = (${bulkItems.result} ->> 'invocationId')::uuid`,
    )
    .where(among(bulkItems.bulkRequestId, ids))
    .groupBy(bulkItems.bulkRequestId, bulkItems.status, recipeInvocations.verdict);
  for (const { id, status, verdict, count } of rows) {
    const own = counts.get(id) ?? { ...noVerdicts };
    if (status === 'failed') own.couldNotRun += count;
    else if (status === 'completed' && verdict !== null) own[verdict] += count;
    counts.set(id, own);
  }
  return counts;
}

/** for up to this many items, the page that requested it shows the outcome itself */
const SMALL = 20;

const done: Record<string, string> = {
  archive: 'archived',
  copy: 'copied',
  move: 'moved',
  delete: 'moved to the trash',
  addTags: 'tagged',
  removeTags: 'untagged',
  restore: 'restored',
  downloadResults: 'packed for download',
};

const projects = (count: number): string => `${count.toLocaleString('en')} project${count === 1 ? '' : 's'}`;

/** `Recipe Tube: 5 projects, 3 pass, 1 fail, 1 could not run`; each project is counted once. */
export function describeRuns(
  { parameters, totalCount, completedCount, cancelledCount }: BulkRow,
  verdicts: Verdicts,
): string {
  const { recipeName } = parameters;
  const words = listVerdicts({ completedCount, cancelledCount, verdicts });
  const name = typeof recipeName === 'string' ? `Recipe ${recipeName}` : 'Recipe';
  return `${name}: ${[projects(totalCount), ...words].join(', ')}`;
}

/** Notification for the requester, when it took a while or not everything succeeded. */
export async function describeBulkEnd(
  db: Executor,
  row: BulkRow,
): Promise<{ title: string; body: string } | undefined> {
  const { id, status, operationType, totalCount, completedCount, failedCount, cancelledCount } = row;
  if (operationType === 'runRecipe') {
    const verdicts = (await countVerdicts(db, [id])).get(id) ?? noVerdicts;
    return { title: describeRuns(row, verdicts), body: '' };
  }
  if (operationType !== 'downloadResults' && failedCount === 0 && totalCount < SMALL) return undefined;
  const rest = [
    failedCount > 0 ? `${failedCount.toLocaleString('en')} failed` : null,
    cancelledCount > 0 ? `${cancelledCount.toLocaleString('en')} cancelled` : null,
  ].filter((words) => words !== null);
  const title =
    status === 'failed'
      ? `None of ${projects(totalCount)} ${done[operationType]}`
      : `${projects(completedCount)} ${done[operationType]}`;
  return { title: row.undoOf === null ? title : `Undone: ${title}`, body: rest.join(', ') };
}
