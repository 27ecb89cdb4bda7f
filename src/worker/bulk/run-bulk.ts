/** Processes the next items of a bulk request for one second, then yields to other requests. */
import { setTimeout as delay } from 'node:timers/promises';
import { sqlState } from '#storage/db/connection.ts';
import type { WorkerContext } from '../context.ts';
import { describeFailure } from '../work/describe-failure.ts';
import { CancelRequested, type Outcome, type Work } from '../work/work.ts';
import { changeItems } from './change-items.ts';
import { packResults } from './pack-results.ts';
import { runRecipes } from './run-recipes.ts';
import { type ItemWork, type Progress, takeItems } from './take-items.ts';

/**
 * Measured with 100,000 projects: larger batches are hardly faster and hold their locks longer than these (about 30
 * ms).
 */
const CHANGES_AT_ONCE = 100;
/** smaller, because each has rows of data objects, operations and files */
const COPIES_AT_ONCE = 20;
const TURN_MS = 1000;
/** pause between two batches, which lets waiting requests use the processor or these rows */
const BREATH_MS = 10;
/** SQLSTATE classes of errors of the server, not of these rows: unavailable or short of a resource */
const passing = /^(08|53|57|40|25)/;

export async function runBulk(work: Work<'bulk'>): Promise<Outcome> {
  const { context, run, row } = work;
  if (row.operationType === 'downloadResults') return packResults(work);
  if (row.operationType === 'runRecipe') return runRecipes(work);
  const limit = row.operationType === 'copy' ? COPIES_AT_ONCE : CHANGES_AT_ONCE;
  for (const end = Date.now() + TURN_MS; ; ) {
    const progress = await takeSome(context, row.id, limit, changeItems);
    if (progress === 'over') return 'ended';
    if (progress === 'waiting') return 'waiting';
    // A cancelled request still needs one more pass to end its items.
    if (run.signal.aborted && !(run.signal.reason instanceof CancelRequested)) throw run.signal.reason;
    if (Date.now() > end) return 'again';
    await delay(BREATH_MS);
  }
}

/** Takes items. If one of them makes the batch fail, each is taken separately, so that only that one fails. */
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
        context.log.error({ err: error, bulkRequestId: id, projectId: items[0]?.projectId }, 'item failed');
        return new Map(items.map((item) => [item.id, { status: 'failed' as const, error: failure }]));
      }),
    );
    if (progress !== 'more') return progress;
  }
  return 'more';
}
