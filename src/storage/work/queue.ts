/**
 * The queue: one row per pending or running work, written in the transaction that requests it. A worker holds claimed work by
 * heartbeats; work whose heartbeats stop is taken by another worker, before all pending work.
 */
import { randomUUID } from 'node:crypto';
import { and, eq, inArray, sql } from 'drizzle-orm';
import { afterSeconds } from '../db/after.ts';
import type { Database, Executor } from '../db/connection.ts';
import { notifyChannel } from '../db/events.ts';
import { workQueue } from '../db/schema-work.ts';

/** Channel on which workers listen for new work and cancellations. */
export const WORK_CHANNEL = 'scanwright_work';

/** Higher first: work that a user waits for on a page comes before bulk requests. */
export const priorities = { interactive: 100, recipe: 50, bulk: 0, maintenance: -10 } as const;

/**
 * Kinds of worker slots. Each kind has its own slots, so that none waits for another: `compute` uses the whole machine,
 * `judge` determines the quality of scans that are already visible, `turn` only reads the database and starts other work.
 */
export type Place = 'compute' | 'import' | 'judge' | 'export' | 'pack' | 'report' | 'picture' | 'turn';

export type QueueRow = typeof workQueue.$inferSelect;
/** A row as claimed by a worker, valid until another claim has a higher number. */
export type Claim = Pick<QueueRow, 'id' | 'kind' | 'claim' | 'deaths' | 'losses'> & { place: Place };

export interface Demand {
  place: Place;
  priority: number;
}

/** A worker without heartbeat for this long loses its work. */
export const LOST_AFTER_SECONDS = 10;
const isLost = sql`${workQueue.workerId} is not null
  and ${workQueue.beatAt} < now() - make_interval(secs => ${LOST_AFTER_SECONDS})`;

/** Queues work when `tx` commits. Pending work is not changed; running work will run once more afterwards. */
export async function enqueue(
  tx: Executor,
  kind: string,
  id: string,
  { place, priority }: Demand,
): Promise<void> {
  await tx
    .insert(workQueue)
    .values({ id, kind, place, priority })
    .onConflictDoUpdate({
      target: workQueue.id,
      set: { isRequeued: sql`${workQueue.workerId} is not null` },
    });
  await notifyChannel(tx, WORK_CHANNEL, 'new');
}

/** Removes work from the queue; false when it is not queued, or no longer held by this claim. */
export async function dequeue(tx: Executor, id: string, claim?: number): Promise<boolean> {
  const { rowCount } = await tx
    .delete(workQueue)
    .where(and(eq(workQueue.id, id), claim === undefined ? undefined : eq(workQueue.claim, claim)));
  return rowCount === 1;
}

/** Tells the worker that runs the work to stop; false when none does. */
export async function stopHolder(tx: Executor, id: string): Promise<boolean> {
  const { rowCount } = await tx
    .update(workQueue)
    .set({ isCancelled: true })
    .where(and(eq(workQueue.id, id), sql`${workQueue.workerId} is not null and not (${isLost})`));
  if (rowCount === 1) await notifyChannel(tx, WORK_CHANNEL, 'cancel');
  return rowCount === 1;
}

/** Number of pending and running work, by kind; for metrics. */
export async function countWork(db: Executor): Promise<{ kind: string; waiting: number; active: number }[]> {
  return db
    .select({
      kind: workQueue.kind,
      waiting: sql<number>`count(*) filter (where ${workQueue.workerId} is null)::int`,
      active: sql<number>`count(*) filter (where ${workQueue.workerId} is not null)::int`,
    })
    .from(workQueue)
    .groupBy(workQueue.kind);
}

/** A worker's access to the queue. */
export class WorkerQueue {
  readonly id = randomUUID();
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Claims the next work for one of these slots, except work that this worker is already running. */
  async claim(places: readonly Place[], running: readonly string[]): Promise<Claim | undefined> {
    if (places.length === 0) return undefined;
    const { rows } = await this.#db.execute<Claim & Record<string, unknown>>(sql`
      update ${workQueue} q
      set claim = q.claim + 1, losses = q.losses + (q.worker_id is not null)::int, worker_id = ${this.id},
        beat_at = clock_timestamp(), is_asked_again = false, is_cancelled = false
      where q.id = (
        select id from ${workQueue}
        where place = any(${sql.param([...places])}::text[]) and (run_at is null or run_at <= now())
          and (worker_id is null or ${isLost}) and not (id = any(${sql.param([...running])}::uuid[]))
        order by (worker_id is not null or losses + deaths > 0) desc, priority desc, created_at, sequence
        limit 1 for update skip locked)
      returning q.id, q.kind, q.place, q.claim, q.deaths, q.losses`);
    return rows[0];
  }

  /** Sends the heartbeat. @returns the work it still holds, and whether its cancellation was requested */
  async beat(ids: readonly string[]): Promise<Map<string, { claim: number; isCancelled: boolean }>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#db
      .update(workQueue)
      .set({ beatAt: sql`clock_timestamp()` })
      .where(and(inArray(workQueue.id, [...ids]), eq(workQueue.workerId, this.id)))
      .returning({ id: workQueue.id, claim: workQueue.claim, isCancelled: workQueue.isCancelled });
    return new Map(rows.map(({ id, ...held }) => [id, held]));
  }

  /** Ends a turn; the row is deleted unless another turn was requested meanwhile. */
  async endTurn(claim: Claim): Promise<void> {
    await this.#db
      .delete(workQueue)
      .where(and(this.#holds(claim), eq(workQueue.isRequeued, false), eq(workQueue.isCancelled, false)));
    await this.release(claim);
  }

  /** Releases work to be claimed again by any worker; after a turn, behind work of equal priority. */
  async release(
    claim: Claim,
    {
      place = claim.place,
      isDeath = false,
      pauseSeconds,
    }: { place?: Place; isDeath?: boolean; pauseSeconds?: number | undefined } = {},
  ): Promise<void> {
    const { rowCount } = await this.#db
      .update(workQueue)
      .set({
        workerId: null,
        beatAt: null,
        // Cancelled work stays with a slot that is free now: it ends as soon as it is claimed.
        place: sql`case when ${workQueue.isCancelled} then ${workQueue.place} else ${place} end`,
        deaths: sql`${workQueue.deaths} + ${isDeath ? 1 : 0}`,
        createdAt: sql`now()`,
        runAt: pauseSeconds === undefined ? null : afterSeconds(pauseSeconds),
      })
      .where(this.#holds(claim));
    if (rowCount) await notifyChannel(this.#db, WORK_CHANNEL, 'new');
  }

  #holds({ id, claim }: Claim) {
    return and(eq(workQueue.id, id), eq(workQueue.claim, claim), eq(workQueue.workerId, this.id));
  }
}
