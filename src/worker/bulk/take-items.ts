/**
 * Takes the next items of a bulk request in the same transaction as the changes to their projects: a worker killed in
 * the middle has done all or nothing, and no item is processed twice.
 */
import { and, asc, eq, sql } from 'drizzle-orm';
import { type BulkRow, endIfOver, type ItemResult, type ItemRow, lockBulk } from '#storage/bulk/requests.ts';
import { inTransaction, type Transaction } from '#storage/db/connection.ts';
import { users } from '#storage/db/schema-accounts.ts';
import { bulkItems, bulkRequests, type WorkError, type WorkStatus } from '#storage/db/schema-work.ts';
import { takeRow } from '#storage/db/take-row.ts';
import type { ProjectSnapshot } from '#storage/projects/decide.ts';
import { countItems, endItems } from '#storage/work/bulk-items.ts';
import { announceWork } from '#storage/work/life.ts';
import type { WorkerContext } from '../context.ts';

export interface ItemOutcome {
  status: Extract<WorkStatus, 'processing' | 'completed' | 'failed' | 'cancelled'>;
  error?: WorkError;
  before?: ProjectSnapshot;
  result?: ItemResult;
}

export interface Taken {
  tx: Transaction;
  row: BulkRow;
  items: ItemRow[];
}

/** Processes items; returns the outcome of each by item id. */
export type ItemWork = (taken: Taken) => Promise<Map<string, ItemOutcome>>;

/** `waiting`: other work has to end first. */
export type Progress = 'more' | 'waiting' | 'over';

export async function takeItems(
  { db }: WorkerContext,
  id: string,
  limit: number,
  work: ItemWork,
): Promise<Progress> {
  return inTransaction(db, async (tx) => {
    const row = await lockBulk(tx, id);
    if (!row || row.finishedAt !== null) return 'over';
    if (row.cancelRequestedAt !== null) {
      await endItems(tx, id);
      return settle(tx, row);
    }
    const items = await tx
      .select()
      .from(bulkItems)
      .where(and(eq(bulkItems.bulkRequestId, id), eq(bulkItems.status, 'pending')))
      .orderBy(asc(bulkItems.position))
      .limit(limit);
    if (items.length === 0) return settle(tx, row);
    const outcomes = await work({ tx, row, items });
    await writeOutcomes(tx, outcomes);
    const progress = await announceProgress(tx, await countMore(tx, id, [...outcomes.values()]));
    if (progress === 'over') return progress;
    // Nobody has been notified of the end, and after a crash the items are simply taken again. So this commit need not
    // wait for the disk, which would delay commits of others.
    await tx.execute(sql`set local synchronous_commit = off`);
    return items.length === limit ? 'more' : 'waiting';
  });
}

/** Counts all items again, ends the request if all are done, and sends an event. */
export async function settle(tx: Transaction, { id }: BulkRow): Promise<Progress> {
  return announceProgress(tx, await countItems(tx, id));
}

async function announceProgress(tx: Transaction, now: BulkRow): Promise<Progress> {
  if (await endIfOver(tx, now)) return 'over';
  await announceWork(tx, 'bulk', now, undefined);
  return 'waiting';
}

/** Adds the outcomes of waiting items to the counts of a locked request, which is cheaper than counting all items. */
async function countMore(tx: Transaction, id: string, outcomes: readonly ItemOutcome[]): Promise<BulkRow> {
  const became = (status: WorkStatus) => outcomes.filter((outcome) => outcome.status === status).length;
  const [completed, failed, cancelled] = [became('completed'), became('failed'), became('cancelled')];
  const { completedCount, failedCount, cancelledCount, totalCount } = bulkRequests;
  const rows = await tx
    .update(bulkRequests)
    .set({
      completedCount: sql`${completedCount} + ${completed}`,
      failedCount: sql`${failedCount} + ${failed}`,
      cancelledCount: sql`${cancelledCount} + ${cancelled}`,
      progress: sql`(${completedCount} + ${failedCount} + ${cancelledCount} + ${completed + failed + cancelled})::real
        / greatest(1, ${totalCount})`,
    })
    .where(eq(bulkRequests.id, id))
    .returning();
  return takeRow(rows);
}

export async function writeOutcomes(
  tx: Transaction,
  outcomes: ReadonlyMap<string, ItemOutcome>,
): Promise<void> {
  const rows = [...outcomes].map(([id, { status, error, before, result }]) => ({
    id,
    status,
    error: error ?? null,
    before: before ?? null,
    result: result ?? null,
  }));
  await tx.execute(sql`
    update ${bulkItems} item
    set status = new.status, error = nullif(new.error, 'null'::jsonb),
      before = nullif(new.before, 'null'::jsonb),
      result = coalesce(nullif(new.result, 'null'::jsonb), item.result),
      started_at = coalesce(item.started_at, now()),
      finished_at = case when new.status = 'processing' then null else now() end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as new(id uuid, status text, error jsonb, before jsonb, result jsonb)
    where item.id = new.id`);
}

/** The user on whose behalf a request runs; undefined when the account was deleted. */
export async function findActor(
  tx: Transaction,
  { createdBy }: BulkRow,
): Promise<{ userId: string; email: string } | undefined> {
  if (createdBy === null) return undefined;
  const [user] = await tx.select({ email: users.email }).from(users).where(eq(users.id, createdBy));
  return user && { userId: createdBy, email: user.email };
}
