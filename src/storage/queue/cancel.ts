/** Asking work to stop, and hearing of it where the work runs. */
import { and, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Connection, Executor } from '../db/connection.ts';
import { listen, notifyChannel, type Subscription } from '../db/events.ts';
import { bulkRequests, exports, operations, recipeInvocations, type WorkStatus } from '../db/schema-work.ts';
import type { QueueName } from './queues.ts';

const CHANNEL = 'scanwright_cancel';
/** Only for a notification that was lost with its connection. */
const RECHECK_INTERVAL_MS = 5_000;

/** The kinds of work that can be cancelled, by their queue. */
export type CancellableQueue = Exclude<QueueName, 'view' | 'render' | 'maintenance'>;

const tables = { operation: operations, export: exports, bulk: bulkRequests, invocation: recipeInvocations };

/** The reason of the AbortSignal of work that somebody cancelled. */
export class CancelRequested extends Error {
  override name = 'CancelRequested';
}

/** The reason of the AbortSignal of work whose worker is shutting down; the job will be taken again. */
export class WorkerStopping extends Error {
  override name = 'WorkerStopping';
}

/**
 * Asks for a piece of work to be stopped. What waits is cancelled at once; what runs becomes `cancelling`
 * and its worker hears of it within a second of the commit. What has ended stays as it is.
 *
 * @returns its status from now on, or undefined when there is no such work
 */
export async function requestCancel(
  tx: Executor,
  queue: CancellableQueue,
  id: string,
): Promise<WorkStatus | undefined> {
  const table = tables[queue];
  const [changed] = await tx
    .update(table)
    .set({
      cancelRequestedAt: sql`coalesce(${table.cancelRequestedAt}, now())`,
      status: sql`case when ${table.status} = 'pending' then 'cancelled' else 'cancelling' end`,
      finishedAt: sql`case when ${table.status} = 'pending' then now() end`,
    })
    .where(and(eq(table.id, id), inArray(table.status, ['pending', 'processing', 'cancelling'])))
    .returning({ status: table.status });
  if (changed) {
    await notifyChannel(tx, CHANNEL, `${queue}/${id}`);
    return changed.status;
  }
  const [row] = await tx.select({ status: table.status }).from(table).where(eq(table.id, id));
  return row?.status;
}

/** Aborts the signals of the work that runs in this process when it is cancelled. */
export class CancelWatcher {
  readonly #connection: Connection;
  readonly #onError: (error: Error) => void;
  readonly #running = new Map<string, AbortController>();
  #subscription: Subscription | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(connection: Connection, onError: (error: Error) => void) {
    this.#connection = connection;
    this.#onError = onError;
  }

  async start(): Promise<void> {
    this.#subscription = await listen(this.#connection.url, CHANNEL, {
      onPayload: (key) => this.#running.get(key)?.abort(new CancelRequested(`${key} was cancelled`)),
      onGap: () => this.#recheck(),
      onError: this.#onError,
    });
    this.#timer = setInterval(() => this.#recheck(), RECHECK_INTERVAL_MS);
  }

  /** A signal that is aborted when the work is cancelled, and already is when it was before. */
  async watch(queue: CancellableQueue, id: string): Promise<{ signal: AbortSignal; done(): void }> {
    const key = `${queue}/${id}`;
    const controller = new AbortController();
    this.#running.set(key, controller);
    // Asked after it is on the list: a request in between arrives by one way or the other.
    await this.#check(queue, [id]);
    return {
      signal: controller.signal,
      done: () => {
        if (this.#running.get(key) === controller) this.#running.delete(key);
      },
    };
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#subscription?.close();
  }

  #recheck(): void {
    const byQueue = Map.groupBy(this.#running.keys(), (key) => key.split('/')[0] as CancellableQueue);
    for (const [queue, keys] of byQueue) {
      this.#check(
        queue,
        keys.map((key) => key.split('/')[1]),
      ).catch(this.#onError);
    }
  }

  async #check(queue: CancellableQueue, ids: string[]): Promise<void> {
    const table = tables[queue];
    const rows = await this.#connection.db
      .select({ id: table.id })
      .from(table)
      .where(and(inArray(table.id, ids), isNotNull(table.cancelRequestedAt), isNull(table.finishedAt)));
    for (const { id } of rows) {
      this.#running.get(`${queue}/${id}`)?.abort(new CancelRequested(`${queue}/${id} was cancelled`));
    }
  }
}
