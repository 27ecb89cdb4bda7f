/** Runs one piece of work and writes its end; in a work process, or in the worker itself for turns. */
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

/** A piece of work that this worker has started. */
export interface Task {
  name: WorkName;
  id: string;
  claim: number;
  place: Place;
}

/** What happens to its place in the queue. */
export type Settlement = 'ended' | 'waiting' | 'again' | 'released' | { moveTo: Place };

/** SQLSTATE classes of errors of the server, not of these rows: unavailable or short of a resource */
const passing = /^(08|53|57|40|25)/;

/**
 * Never rejects because of an error of the work itself.
 *
 * @param onEnd called when its end is written and it no longer belongs to a worker; follow-up actions such as a mail
 * may remain
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
    // So far only the rows of its discarded blobs are deleted.
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
  // Its project may be deleted between the two reads.
  if (!found || (name !== 'bulk' && !found.project))
    throw new WorkLost(`${name} ${id} is gone with its project`);
  const blobs = new WorkBlobs(context.db, context.store, id, run.signal);
  const work = { ...found, place, context, run, blobs } as Work;
  return (runners[name] as (work: Work) => Promise<Outcome>)(work);
}
