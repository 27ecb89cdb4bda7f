/** One operation from its claim to its end; safe to be run again at any point. */
import { inTransaction } from '#storage/db/connection.ts';
import { CancelRequested } from '#storage/queue/cancel.ts';
import type { JobContext } from '#storage/queue/worker.ts';
import type { WorkerContext } from '../context.ts';
import { ingest } from '../ingest/ingest.ts';
import { WorkBlobs } from '../work-blobs.ts';
import { WorkLost, WorkRun } from '../work-run.ts';
import { claimOperation, endOperation, type OperationEnd, writeProgress } from './operation-store.ts';
import { describeFailure, type OperationWork } from './operation-work.ts';
import { runAnalysisOperation } from './run-analysis.ts';
import { type WorkResult, writeResults } from './write-results.ts';

/**
 * Handles one job of the queue `operation`. It ends in the row: completed, failed or cancelled. It throws only
 * when the job has to be taken again: the worker ends, or the database is away.
 */
export async function runOperation(
  context: WorkerContext,
  { operationId }: { operationId: string },
  job: Pick<JobContext, 'signal'>,
): Promise<void> {
  const operation = await claimOperation(context, operationId);
  if (!operation) return;
  const log = context.log.child({ operationId, operation: operation.operation });
  const run = new WorkRun(job.signal, (progress, stage) =>
    writeProgress(context.db, operation, progress, stage),
  );
  const blobs = new WorkBlobs(context.db, context.store, run.signal);
  let result: WorkResult;
  try {
    result = await carryOut({ operation, context, run, blobs });
    run.signal.throwIfAborted();
    await run.end();
    if (!(await writeResults(context, operation, result))) {
      await blobs.discard();
      return;
    }
  } catch (error) {
    await run.end();
    await blobs.discard();
    let end: OperationEnd = { status: 'cancelled' };
    if (run.signal.aborted) {
      if (run.signal.reason instanceof WorkLost) return;
      // This process ends, or the queue has given the job to another: whoever has it next goes on.
      if (!(run.signal.reason instanceof CancelRequested)) throw error;
    } else {
      end = { status: 'failed', error: describeFailure(error, operationId) };
      if (end.error.code === 'INTERNAL') log.error({ err: error }, 'operation failed unexpectedly');
      else log.info({ error: end.error }, 'operation failed');
    }
    await inTransaction(context.db, (tx) => endOperation(tx, context.queue, operation, end));
    return;
  }
  log.info({ seconds: run.seconds, peakMemoryBytes: run.peakMemoryBytes }, 'operation completed');
  // The rows are right already: what goes wrong here is left to the sweep.
  await result.afterwards?.().catch((err: unknown) => log.warn({ err }, 'cleaning up failed'));
}

const carryOut = (work: OperationWork): Promise<WorkResult> =>
  work.operation.operation === 'ingest' ? ingest(work) : runAnalysisOperation(work);

/** Ends an operation whose job was given up by the queue after every attempt. */
export async function giveUpOperation(
  context: WorkerContext,
  operationId: string,
  reason: string,
): Promise<void> {
  const operation = await claimOperation(context, operationId);
  if (!operation) return;
  context.log.error({ operationId, reason }, 'operation given up');
  await inTransaction(context.db, (tx) =>
    endOperation(tx, context.queue, operation, {
      status: 'failed',
      error: {
        code: 'INTERNAL',
        detail: `The worker ended several times while it ran this, so it was given up. The log has it under ${operationId}.`,
      },
    }),
  );
}
