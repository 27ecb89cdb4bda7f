/**
 * The queue: one row for each piece of work that waits or is carried out, written in the transaction of the change that
 * asks for it. A worker holds what it has taken by heartbeats. What it stops to hold is taken by another one, before all
 * that only waits.
 */
import { randomUUID } from 'node:crypto';
import { and, eq, inArray, sql } from 'drizzle-orm';
import { afterSeconds } from '../db/after.ts';
import type { Database, Executor } from '../db/connection.ts';
import { notifyChannel } from '../db/events.ts';
import { workQueue } from '../db/schema-work.ts';

/** Workers listen here for new work and for what is to be stopped. */
export const WORK_CHANNEL = 'scanwright_work';

/** Higher first. What somebody waits for in front of a page comes before what was asked for a thousand parts. */
export const priorities = { interactive: 100, recipe: 50, bulk: 0, maintenance: -10 } as const;

/**
 * What a piece of work needs of a worker. Each sort has places of its own, so that none waits for another: `compute` takes
 * the whole machine, `judge` looks at scans that can be seen already, `turn` is a look at the database that leaves the
 * rest to others.
 */
export type Place = 'compute' | 'import' | 'judge' | 'export' | 'pack' | 'report' | 'picture' | 'turn';

export type QueueRow = typeof workQueue.$inferSelect;
/** A row as one worker took it: it holds the work until another claim has a higher number. */
export type Claim = Pick<QueueRow, 'id' | 'kind' | 'claim' | 'deaths' | 'losses'> & { place: Place };

export interface Demand {
  place: Place;
  /** one of `priorities` */
  priority: number;
}

/** A worker that says nothing for this long has lost what it held. */
export const LOST_AFTER_SECONDS = 10;
const isLost = sql`${workQueue.workerId} is not null
  and ${workQueue.beatAt} < now() - make_interval(secs => ${LOST_AFTER_SECONDS})`;

/** Puts it into the queue when `tx` commits. What waits already stays as it is; what runs comes once more after it. */
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
      set: { isAskedAgain: sql`${workQueue.workerId} is not null` },
    });
  await notifyChannel(tx, WORK_CHANNEL, 'new');
}

/** Takes it out of the queue; false when it is not there, or no longer held by this claim. */
export async function dequeue(tx: Executor, id: string, claim?: number): Promise<boolean> {
  const { rowCount } = await tx
    .delete(workQueue)
    .where(and(eq(workQueue.id, id), claim === undefined ? undefined : eq(workQueue.claim, claim)));
  return rowCount === 1;
}

/** Whether somebody carries it out now: then he is told to stop. */
export async function stopHolder(tx: Executor, id: string): Promise<boolean> {
  const { rowCount } = await tx
    .update(workQueue)
    .set({ isCancelled: true })
    .where(and(eq(workQueue.id, id), sql`${workQueue.workerId} is not null and not (${isLost})`));
  if (rowCount === 1) await notifyChannel(tx, WORK_CHANNEL, 'cancel');
  return rowCount === 1;
}

/** Work that waits and that is carried out, by kind; for metrics. */
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

/** One worker's side of the queue. */
export class WorkerQueue {
  readonly id = randomUUID();
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Takes the next piece of work for one of these places, except what this worker carries out already. */
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

  /** Says that this worker lives. @returns what it still holds, with whether somebody asked to stop it */
  async beat(ids: readonly string[]): Promise<Map<string, { claim: number; isCancelled: boolean }>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#db
      .update(workQueue)
      .set({ beatAt: sql`clock_timestamp()` })
      .where(and(inArray(workQueue.id, [...ids]), eq(workQueue.workerId, this.id)))
      .returning({ id: workQueue.id, claim: workQueue.claim, isCancelled: workQueue.isCancelled });
    return new Map(rows.map(({ id, ...held }) => [id, held]));
  }

  /** A turn is over: it goes, unless somebody asked for another one meanwhile. */
  async endTurn(claim: Claim): Promise<void> {
    await this.#db
      .delete(workQueue)
      .where(and(this.#holds(claim), eq(workQueue.isAskedAgain, false), eq(workQueue.isCancelled, false)));
    await this.release(claim);
  }

  /** Leaves it to be taken again, by this worker or another one; behind its equals when it had its turn. */
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
        place,
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
