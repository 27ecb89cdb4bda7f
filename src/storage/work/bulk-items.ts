/** The items of a bulk request as a whole: counted, cancelled, and in words. */

import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import type { Transaction } from '../db/connection.ts';
import { bulkItems, bulkRequests, type WorkError } from '../db/schema-work.ts';
import { takeRow } from '../db/take-row.ts';

type BulkRow = typeof bulkRequests.$inferSelect;

/** Counts the outcomes of the items anew. */
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

/** Ends all items that have not ended: those that wait are cancelled, or all fail. */
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

/** up to here the page that it was asked from says so itself */
const SMALL = 20;

const done: Record<string, string> = {
  archive: 'archived',
  copy: 'copied',
  move: 'moved',
  delete: 'moved to the trash',
  addTags: 'tagged',
  removeTags: 'untagged',
  restore: 'restored',
  runRecipe: 'went through the recipe',
  downloadResults: 'packed for download',
};

const projects = (count: number): string => `${count.toLocaleString('en')} project${count === 1 ? '' : 's'}`;

/** What its requester is told, when it took a while or did not all go well. */
export function describeBulkEnd(row: BulkRow): { title: string; body: string } | undefined {
  const { status, operationType, totalCount, completedCount, failedCount, cancelledCount } = row;
  const isSlow = operationType === 'runRecipe' || operationType === 'downloadResults';
  if (!isSlow && failedCount === 0 && totalCount < SMALL) return undefined;
  const rest = [
    failedCount > 0
      ? `${failedCount.toLocaleString('en')} ${operationType === 'runRecipe' ? 'could not run' : 'failed'}`
      : null,
    cancelledCount > 0 ? `${cancelledCount.toLocaleString('en')} cancelled` : null,
  ].filter((words) => words !== null);
  const title =
    status === 'failed'
      ? `None of ${projects(totalCount)} ${done[operationType]}`
      : `${projects(completedCount)} ${done[operationType]}`;
  return { title: row.undoOf === null ? title : `Undone: ${title}`, body: rest.join(', ') };
}
