/** One turn of a bulk request: its next items, for some seconds; then the others have theirs. */
import { setTimeout as delay } from 'node:timers/promises';
import { and, eq, inArray } from 'drizzle-orm';
import { cancelWaiting, lockBulk, wakeBulk } from '#storage/bulk/requests.ts';
import { inTransaction, sqlState } from '#storage/db/connection.ts';
import { bulkItems, bulkRequests, type WorkError } from '#storage/db/schema-work.ts';
import { CancelRequested } from '#storage/queue/cancel.ts';
import type { JobContext } from '#storage/queue/worker.ts';
import type { WorkerContext } from '../context.ts';
import { describeFailure } from '../operations/operation-work.ts';
import { changeItems } from './change-items.ts';
import { packResults } from './pack-results.ts';
import { runRecipes } from './run-recipes.ts';
import { type ItemWork, type Progress, settle, takeItems } from './take-items.ts';

/** Measured with 100,000 projects: larger ones are hardly faster, and hold their locks longer, some 30 ms with these. */
const CHANGES_AT_ONCE = 100;
/** each has rows of data objects, operations and files */
const COPIES_AT_ONCE = 20;
const TURN_MS = 3000;
/** between two changes: whoever waits for a processor or a row of these has it then */
const BREATH_MS = 10;
/** what PostgreSQL says when it is not there or is short of something, not about these rows */
const passing = /^(08|53|57|40|25)/;

/** Handles one job of the queue `bulk`; ends in the rows, and throws only when the job has to be taken again. */
export async function runBulk(
  context: WorkerContext,
  { bulkRequestId: id }: { bulkRequestId: string },
  { signal }: Pick<JobContext, 'signal'>,
): Promise<void> {
  const [row] = await context.db.select().from(bulkRequests).where(eq(bulkRequests.id, id));
  if (!row || row.finishedAt !== null) return;
  if (row.operationType === 'downloadResults') return await packResults(context, id, signal);
  if (row.operationType === 'runRecipe') return await runRecipes(context, id);
  const limit = row.operationType === 'copy' ? COPIES_AT_ONCE : CHANGES_AT_ONCE;
  for (const end = Date.now() + TURN_MS; ; ) {
    const progress = await takeSome(context, id, limit, changeItems);
    if (progress !== 'more') {
      if (progress === 'over') context.log.info({ bulkRequestId: id }, 'bulk request ended');
      return;
    }
    // Who was cancelled ends its items by one more look.
    if (signal.aborted && !(signal.reason instanceof CancelRequested)) throw signal.reason;
    if (Date.now() > end) return await wakeBulk(context.db, context.queue, row);
    await delay(BREATH_MS);
  }
}

/** Takes items; when one of them breaks the whole, each by itself, so that only that one fails. */
async function takeSome(
  context: WorkerContext,
  id: string,
  limit: number,
  work: ItemWork,
): Promise<Progress> {
  try {
    return await takeItems(context, id, limit, work);
  } catch (error) {
    const state = sqlState(error);
    if (state === undefined || passing.test(state)) throw error;
    context.log.warn({ err: error, bulkRequestId: id }, 'items are done one by one');
  }
  for (let left = limit; left > 0; left -= 1) {
    const progress = await takeItems(context, id, 1, work).catch((error: unknown) =>
      takeItems(context, id, 1, async ({ items }) => {
        const failure = describeFailure(error, id);
        context.log.error({ err: error, bulkRequestId: id, projectId: items[0].projectId }, 'item failed');
        return new Map(items.map((item) => [item.id, { status: 'failed' as const, error: failure }]));
      }),
    );
    if (progress !== 'more') return progress;
  }
  return 'more';
}

/** Ends a bulk request whose job was given up by the queue after every attempt. */
export async function giveUpBulk(context: WorkerContext, id: string, reason: string): Promise<void> {
  context.log.error({ bulkRequestId: id, reason }, 'bulk request given up');
  const error: WorkError = {
    code: 'INTERNAL',
    detail: `The worker ended several times while it did this, so it was given up. The log has it under ${id}.`,
  };
  await inTransaction(context.db, async (tx) => {
    const row = await lockBulk(tx, id);
    if (!row || row.finishedAt !== null) return;
    if (row.cancelRequestedAt !== null) await cancelWaiting(tx, id);
    await tx
      .update(bulkItems)
      .set({ status: 'failed', error, finishedAt: new Date() })
      .where(and(eq(bulkItems.bulkRequestId, id), inArray(bulkItems.status, ['pending', 'processing'])));
    await settle(tx, row);
  });
}
