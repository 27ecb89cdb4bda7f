/** Carries one piece of work out and writes how it ended; runs in a process of its own, or in the worker for turns. */
import { finishDeletions } from '#storage/blobs/sweep.ts';
import { inTransaction, sqlState } from '#storage/db/connection.ts';
import type { WorkName } from '#storage/work/kinds.ts';
import { endWork, readWork, type WorkEnd, WorkLost } from '#storage/work/life.ts';
import type { Place } from '#storage/work/queue.ts';
import type { WorkerContext } from '../context.ts';
import { describeFailure } from './describe-failure.ts';
import { CancelRequested, NeedsPlace, type Outcome, type Work, type WorkRunners } from './work.ts';
import { WorkBlobs } from './work-blobs.ts';
import { type Report, WorkRun } from './work-run.ts';

/** A piece of work that this worker has begun. */
export interface Task {
  name: WorkName;
  id: string;
  claim: number;
  place: Place;
}

/** What is to become of its place in the queue. */
export type Settlement = 'ended' | 'waiting' | 'again' | 'released' | { moveTo: Place };

/** what PostgreSQL says when it is not there or is short of something, not about these rows */
const passing = /^(08|53|57|40|25)/;

/**
 * Never rejects for what went wrong with the work itself.
 *
 * @param onEnd its end is written, and it is nobody's any more; some of it may still have to be done, such as a mail
 */
export async function carryOut(
  context: WorkerContext,
  runners: WorkRunners,
  task: Task,
  signal: AbortSignal,
  report: Report,
  onEnd: () => void = () => undefined,
): Promise<Settlement> {
  const { db, store } = context;
  const { name, id } = task;
  const log = context.log.child({ [`${name}Id`]: id });
  const lossesBefore = context.connection.losses;
  const run = new WorkRun(signal, report);
  const end = async (values: WorkEnd, write?: Extract<Outcome, object>['write']) => {
    await inTransaction(db, async (tx) => {
      await write?.(tx);
      if (!(await endWork(tx, name, id, values, task.claim)))
        throw new WorkLost(`${name} ${id} has ended before`);
    });
    onEnd();
    // Of what was written in vain only the rows are gone so far.
    if (!values.keepsBlobs)
      await finishDeletions(db, store).catch((err) => log.warn({ err }, 'cleaning up failed'));
  };
  try {
    const outcome = await runWork(context, runners, task, run);
    if (typeof outcome === 'string') return outcome;
    signal.throwIfAborted();
    const { status = 'completed', error = null, values = {}, write, afterwards } = outcome;
    await end({ status, error, values, keepsBlobs: true }, write);
    log.info({ seconds: run.seconds, peakMemoryBytes: run.peakMemoryBytes }, `${name} ${status}`);
    await afterwards?.().catch((err: unknown) => log.warn({ err }, 'what follows its end failed'));
    return 'ended';
  } catch (error) {
    if (error instanceof WorkLost) return 'ended';
    if (error instanceof NeedsPlace) return { moveTo: error.place };
    if (signal.aborted) {
      if (!(signal.reason instanceof CancelRequested)) return 'released';
      await end({ status: 'cancelled' }).catch(ignoreLost);
      return 'ended';
    }
    if (passing.test(sqlState(error) ?? '') || context.connection.losses > lossesBefore) {
      log.warn({ err: error }, 'the database was away: the work begins again');
      return 'released';
    }
    const failure = describeFailure(error, id);
    if (failure.code === 'INTERNAL') log.error({ err: error }, `${name} failed unexpectedly`);
    else log.info({ error: failure }, `${name} failed`);
    await end({ status: 'failed', error: failure }).catch(ignoreLost);
    return 'ended';
  } finally {
    run.end();
  }
}

function ignoreLost(error: unknown): void {
  if (!(error instanceof WorkLost)) throw error;
}

async function runWork(
  context: WorkerContext,
  runners: WorkRunners,
  { name, id, place }: Task,
  run: WorkRun,
): Promise<Outcome> {
  const found = await readWork(context.db, name, id);
  // What it belongs to may go between its row and this.
  if (!found || (name !== 'bulk' && !found.project))
    throw new WorkLost(`${name} ${id} is gone with its project`);
  const blobs = new WorkBlobs(context.db, context.store, id, run.signal);
  const work = { ...found, place, context, run, blobs } as Work;
  return (runners[name] as (work: Work) => Promise<Outcome>)(work);
}
