/** One job of the queue `invocation`: a look at its steps and, once they are over, its end with report and archive. */
import { and, eq, inArray, sql } from 'drizzle-orm';
import { wakeBulkOf } from '#storage/bulk/requests.ts';
import { inTransaction, type Transaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations, recipeInvocations, type WorkError } from '#storage/db/schema-work.ts';
import { writeNotification } from '#storage/db/write-notification.ts';
import { CancelRequested } from '#storage/queue/cancel.ts';
import type { JobContext } from '#storage/queue/worker.ts';
import { tellInvocation } from '#storage/recipes/invocations.ts';
import type { WorkerContext } from '../context.ts';
import { describeFailure } from '../operations/operation-work.ts';
import { WorkBlobs } from '../work-blobs.ts';
import { type Advance, advanceInvocation, openInvocation } from './advance-invocation.ts';
import { reportPdf } from './report-pdf.ts';
import { type RunResults, runResults } from './run-results.ts';
import { writeResultsArchive } from './write-results-archive.ts';

/** Invocations that this process is writing the end of: two steps that end together ask for it twice. */
const ending = new Set<string>();

/** Handles one job; ends in the row, and throws only when the job has to be taken again. */
export async function runInvocation(
  context: WorkerContext,
  { invocationId }: { invocationId: string },
  job: Pick<JobContext, 'signal'>,
): Promise<void> {
  const advance = await advanceInvocation(context, invocationId);
  if (advance?.state !== 'over' || ending.has(invocationId)) return;
  ending.add(invocationId);
  try {
    await finish(context, advance, job.signal);
  } finally {
    ending.delete(invocationId);
  }
}

async function finish(context: WorkerContext, advance: Advance, signal: AbortSignal): Promise<void> {
  const { id } = advance.row;
  const blobs = new WorkBlobs(context.db, context.store, signal);
  try {
    const results = await runResults(context.db, advance);
    const archiveKey = await makeArchive(context, advance, results, blobs, signal);
    if (!(await writeEnd(context, id, { ...results, archiveKey }))) await blobs.discard();
  } catch (error) {
    await blobs.discard();
    if (signal.aborted && signal.reason instanceof CancelRequested) {
      await writeEnd(context, id, { status: 'cancelled', verdict: null, error: null });
      return;
    }
    if (signal.aborted) throw error;
    const failure = describeFailure(error, id);
    if (failure.code === 'INTERNAL') context.log.error({ err: error, invocationId: id }, 'invocation failed');
    await writeEnd(context, id, { status: 'failed', verdict: null, error: failure });
  }
}

/** Null where there is nothing to pack: no step has made anything, or somebody has stopped it. */
async function makeArchive(
  { db, store, version }: WorkerContext,
  { row, project }: Advance,
  results: RunResults,
  blobs: WorkBlobs,
  signal: AbortSignal,
): Promise<string | null> {
  if (results.status === 'cancelled' || results.steps.every(({ dataObjects }) => dataObjects.length === 0))
    return null;
  signal.throwIfAborted();
  const createdAt = new Date();
  const report = await reportPdf({ db, store, row, project, results, version, createdAt, signal });
  const archive = writeResultsArchive({ store, row, project, results, report, version, createdAt, signal });
  return (await blobs.put('exports', archive, 'application/zip')).key;
}

type End = Pick<RunResults, 'status' | 'verdict' | 'error'> & {
  archiveKey?: string | null;
  gates?: RunResults['gates'];
  steps?: RunResults['steps'];
};

/** Ends the row if nobody has before; then false. */
async function writeEnd({ db, queue, log }: WorkerContext, id: string, end: End): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const open = await openInvocation(tx, id);
    if (!open) return false;
    const { row, project } = open;
    const { status, verdict, error, archiveKey = null, gates, steps } = end;
    // Only what is not measured is left open: a limit that was missed stands, whatever became of the rest.
    const judged = gates?.map(({ key, measured, limit, verdict: own }) => ({
      key,
      measured,
      limit,
      verdict: own,
    }));
    await tx
      .update(recipeInvocations)
      .set({
        status,
        verdict,
        error,
        archiveKey,
        finishedAt: sql`now()`,
        ...(status === 'completed' ? { progress: 1 } : {}),
        ...(judged ? { gates: judged } : {}),
        steps: steps
          ? steps.map((step) => ({
              key: step.key,
              operationId: step.operation?.id ?? null,
              status: step.status,
            }))
          : row.steps,
      })
      .where(eq(recipeInvocations.id, id));
    // What was tried on a part says nothing about it; only a recipe that was released does.
    const decides = verdict !== null && row.recipeId !== null;
    await tx
      .update(projects)
      .set({
        updatedAt: sql`now()`,
        ...(decides ? { verdict, version: sql`${projects.version} + 1` } : {}),
      })
      .where(eq(projects.id, project.id));
    if (row.operationId !== null) await endPipeline(tx, row.operationId, end);
    const place = { organizationId: project.organizationId, workspaceId: project.workspaceId };
    const projectId = project.id;
    await notify(tx, { type: 'updated', resource: 'project', id: projectId, projectId, ...place });
    await tellInvocation(tx, 'updated', project, id);
    await wakeBulkOf(tx, queue, row.bulkItemId);
    if (row.createdBy !== null && status !== 'cancelled' && row.bulkItemId === null) {
      const name = (row.recipeId ? end.steps && nameOf(end) : null) ?? 'Pipeline';
      await writeNotification(tx, {
        userId: row.createdBy,
        organizationId: project.organizationId,
        kind: `recipeInvocation.${status}`,
        title: `${name} ${status === 'failed' ? 'failed' : wordsOf(verdict)}: ${project.name}`,
        body: error?.detail ?? '',
        subject: { resource: 'recipeInvocation', id, projectId },
      });
    }
    log.info({ invocationId: id, status, verdict }, 'invocation ended');
    return true;
  });
}

const nameOf = (end: End): string | null => ('recipeName' in end ? (end as RunResults).recipeName : null);

const wordsOf = (verdict: RunResults['verdict']): string =>
  verdict === null ? 'is ready' : { pass: 'passed', fail: 'found faults', indeterminate: 'is open' }[verdict];

/** The operation that stands for a pipeline ends with it. */
async function endPipeline(tx: Transaction, operationId: string, end: End): Promise<void> {
  const { status, error, steps = [] } = end;
  await tx
    .update(operations)
    .set({
      status,
      error,
      stage: null,
      finishedAt: sql`now()`,
      outputDataObjectIds: steps.flatMap(({ dataObjects }) => dataObjects.map(({ row }) => row.id)),
      ...(status === 'completed' ? { progress: 1 } : {}),
    })
    .where(
      and(
        eq(operations.id, operationId),
        inArray(operations.status, ['pending', 'processing', 'cancelling']),
      ),
    );
}

/** Ends an invocation whose job was given up by the queue after every attempt. */
export async function giveUpInvocation(context: WorkerContext, id: string, reason: string): Promise<void> {
  context.log.error({ invocationId: id, reason }, 'invocation given up');
  const error: WorkError = {
    code: 'INTERNAL',
    detail: `The worker ended several times while it wrote this run’s results, so it was given up. The log has it under ${id}.`,
  };
  await writeEnd(context, id, { status: 'failed', verdict: null, error });
}
