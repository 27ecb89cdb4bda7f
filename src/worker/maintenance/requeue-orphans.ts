import { sql } from 'drizzle-orm';
import { inTransaction } from '#storage/db/connection.ts';
import { wakeInvocationOf } from '#storage/recipes/invocations.ts';
import type { WorkerContext } from '../context.ts';

/** Work without a job for this long was not just being sent. */
const GRACE_SECONDS = 30;

const kinds = [
  { queue: 'operation', table: 'operations', key: 'operationId' },
  { queue: 'export', table: 'exports', key: 'exportId' },
  { queue: 'bulk', table: 'bulk_requests', key: 'bulkRequestId' },
  { queue: 'invocation', table: 'recipe_invocations', key: 'invocationId' },
] as const;

/**
 * Queues unfinished operations, exports, bulk requests and invocations again whose job is gone: lost with a queue that
 * was restored or cleared apart from the rest. Bulk requests and invocations have none while what they started runs;
 * to look at them once more does no harm. A pipeline's operation never has one: its invocation writes it. Says how
 * many there were.
 */
export async function requeueOrphans({ db, queue }: WorkerContext): Promise<number> {
  let count = 0;
  for (const kind of kinds) {
    count += await inTransaction(db, async (tx) => {
      const writtenByInvocation = kind.queue === 'operation' ? sql`and w.operation <> 'runPipeline'` : sql``;
      const { rows } = await tx.execute<{ id: string }>(sql`
        select w.id from ${sql.identifier(kind.table)} w
        where w.finished_at is null and w.status in ('pending', 'processing', 'cancelling')
          and w.created_at < now() - make_interval(secs => ${GRACE_SECONDS}) ${writtenByInvocation}
          and not exists (
            select 1 from pgboss.job j
            where j.name in (${kind.queue}, 'abandoned') and j.state in ('created', 'retry', 'active')
              and j.data ->> ${kind.key} = w.id::text)
        for update of w skip locked`);
      for (const { id } of rows) {
        if (kind.queue === 'operation') await queue.send(tx, 'operation', { operationId: id });
        else if (kind.queue === 'export') await queue.send(tx, 'export', { exportId: id });
        else if (kind.queue === 'bulk') await queue.send(tx, 'bulk', { bulkRequestId: id });
        else await wakeInvocationOf(tx, queue, id);
      }
      return rows.length;
    });
  }
  return count;
}
