/** A turn of an invocation: advances its steps and, once they are over, writes the end with report and archive. */
import { eq, sql } from 'drizzle-orm';
import type { Transaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations } from '#storage/db/schema-work.ts';
import { describeRun } from '../reports/report-content.ts';
import { writeReport } from '../reports/report-pdf.ts';
import { type RunResults, runResults } from '../results/run-results.ts';
import { NeedsPlace, type Outcome, type Work } from '../work/work.ts';
import { advanceInvocation } from './advance-invocation.ts';
import { placedFiles, writeResultsArchive } from './write-results-archive.ts';

export async function runInvocation(work: Work<'invocation'>): Promise<Outcome> {
  const advance = await advanceInvocation(work.context, work.row.id);
  if (!advance) return 'ended';
  if (advance.state === 'running') return 'waiting';
  const results = await runResults(work.context.db, advance);
  const { status, error, verdict, gates, steps } = results;
  const archiveKey = await makeArchive({ ...work, row: advance.row }, results);
  return {
    status,
    error,
    values: {
      verdict,
      archiveKey,
      // Only unmeasured gates are left open: a missed limit stands, whatever happened to the rest.
      gates: gates.map(({ key, measured, limit, verdict: own, reason, ...found }) => {
        const { dataObjectId, positionMm, uncertainty, guardBand } = found;
        return {
          key,
          measured,
          limit,
          verdict: own,
          reason,
          dataObjectId,
          positionMm,
          uncertainty,
          guardBand,
        };
      }),
      steps: steps.map((step) => ({
        key: step.key,
        operationId: step.operation?.id ?? null,
        status: step.status,
      })),
    },
    write: (tx) => writeEnd(tx, work, results),
  };
}

/** Null when there is nothing to pack: no step made anything, or it was cancelled. */
async function makeArchive(
  { row, project, place, context, run, blobs }: Work<'invocation'>,
  results: RunResults,
): Promise<string | null> {
  if (results.status === 'cancelled' || results.steps.every(({ dataObjects }) => dataObjects.length === 0))
    return null;
  if (place === 'turn') throw new NeedsPlace('report');
  const { db, store, version } = context;
  const { signal } = run;
  const createdAt = new Date();
  const files = placedFiles(results);
  const content = await describeRun(db, { row, project, results, files, createdAt, version });
  const report = await writeReport(content, { store, version, createdAt, signal });
  const archive = writeResultsArchive({ store, row, project, results, report, version, createdAt, signal });
  return (await blobs.put('exports', archive, 'application/zip')).key;
}

/** Final state of the project and of the operation that represents a pipeline. */
async function writeEnd(
  tx: Transaction,
  { row, project }: Work<'invocation'>,
  { steps }: RunResults,
): Promise<void> {
  await tx.update(projects).set({ updatedAt: sql`now()` }).where(eq(projects.id, project.id));
  if (row.operationId !== null) {
    const outputDataObjectIds = steps.flatMap(({ dataObjects }) => dataObjects.map((made) => made.row.id));
    await tx.update(operations).set({ outputDataObjectIds }).where(eq(operations.id, row.operationId));
  }
  const { id: projectId, organizationId, workspaceId } = project;
  await notify(tx, {
    type: 'updated',
    resource: 'project',
    id: projectId,
    projectId,
    organizationId,
    workspaceId,
  });
}
