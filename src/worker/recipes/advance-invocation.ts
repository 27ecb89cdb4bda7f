/**
 * Advances an invocation in one transaction: reads the state of its steps, starts those that can start, and finds out
 * whether it is over. Idempotent, also after a crash, because all state is in the database.
 */
import { randomUUID } from 'node:crypto';
import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { RecipeStep } from '#contract/analyses/pipeline.ts';
import { findTitle } from '#contract/analyses/registry.ts';
import { inTransaction, type Transaction } from '#storage/db/connection.ts';
import { type DataObjectRow, dataObjects } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { type InvocationStep, operations, recipeInvocations } from '#storage/db/schema-work.ts';
import { takeRow } from '#storage/db/take-row.ts';
import { cancelSteps, type InvocationRow } from '#storage/recipes/invocations.ts';
import { announceWork, requestWork, writeProgress } from '#storage/work/life.ts';
import type { WorkerContext } from '../context.ts';
import type { OpenInvocation, OperationRow } from '../results/run-results.ts';
import { stepInputs } from './step-inputs.ts';

export interface Advance extends OpenInvocation {
  /** `over`: no step waits or runs any more, and the end has to be written */
  state: 'running' | 'over';
}

const over: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

/** The steps with the state of their operations, and those that cannot start because of their dependencies. */
function stepsNow(row: InvocationRow, found: OperationRow[], isCancelled: boolean): InvocationStep[] {
  const byId = new Map(found.map((operation) => [operation.id, operation]));
  const steps = row.steps.map((step): InvocationStep => {
    const operation = step.operationId === null ? undefined : byId.get(step.operationId);
    if (operation) return { ...step, status: operation.status };
    return isCancelled ? { ...step, status: 'cancelled' } : step;
  });
  const needsByKey = new Map(row.definition.steps.map(({ key, needs }) => [key, needs]));
  const readStatus = (key: string) => steps.find((step) => step.key === key)?.status;
  for (let changed = true; changed; ) {
    changed = false;
    for (const step of steps) {
      if (step.operationId !== null || step.status !== 'pending') continue;
      const isLost = (needsByKey.get(step.key) ?? []).some((need) =>
        ['failed', 'cancelled'].includes(readStatus(need) ?? ''),
      );
      if (!isLost) continue;
      step.status = 'cancelled';
      changed = true;
    }
  }
  return steps;
}

/** Returns undefined when there is nothing to do: it has ended, or was deleted with its project. */
export async function advanceInvocation({ db }: WorkerContext, id: string): Promise<Advance | undefined> {
  return inTransaction(db, async (tx) => {
    const open = await openInvocation(tx, id);
    if (!open) return undefined;
    const { row, project } = open;
    const isCancelled = row.cancelRequestedAt !== null;
    if (isCancelled) {
      // A step may have started between the request and this moment.
      await cancelSteps(tx, row);
      open.operations = await readStepOperations(tx, row.steps);
    }
    let steps = stepsNow(row, open.operations, isCancelled);
    if (!isCancelled) {
      for (const definition of row.definition.steps) {
        const step = steps.find(({ key }) => key === definition.key);
        if (step?.status !== 'pending' || step.operationId !== null) continue;
        const isReady = definition.needs.every(
          (need) => steps.find(({ key }) => key === need)?.status === 'completed',
        );
        if (!isReady) continue;
        const started = await startStep(tx, open, definition);
        step.operationId = started.id;
        open.operations.push(started);
      }
      // A step that could not start fails those that depend on it.
      steps = stepsNow({ ...row, steps }, open.operations, false);
    }
    open.steps = steps;
    const isOver = steps.every(({ status }) => over.has(status));
    const done = steps.filter(({ status }) => over.has(status)).length;
    const progress = (0.98 * done) / steps.length;
    await writeProgress(
      tx,
      { name: 'invocation', row, project },
      { progress, stage: describeStage(row, steps), steps },
      'updated',
    );
    return { ...open, state: isOver ? 'over' : 'running' };
  });
}

/** The invocation with its project, locked in the order used by every writer; undefined when it has ended. */
export async function openInvocation(tx: Transaction, id: string): Promise<OpenInvocation | undefined> {
  const [place] = await tx
    .select({ projectId: recipeInvocations.projectId })
    .from(recipeInvocations)
    .where(eq(recipeInvocations.id, id));
  if (!place) return undefined;
  const [project] = await tx.select().from(projects).where(eq(projects.id, place.projectId)).for('update');
  const [row] = await tx.select().from(recipeInvocations).where(eq(recipeInvocations.id, id)).for('update');
  if (!project || !row || row.finishedAt !== null) return undefined;
  return { row, project, steps: row.steps, operations: await readStepOperations(tx, row.steps) };
}

async function readStepOperations(tx: Transaction, steps: InvocationStep[]): Promise<OperationRow[]> {
  const ids = steps.flatMap(({ operationId }) => operationId ?? []);
  return ids.length > 0 ? tx.select().from(operations).where(inArray(operations.id, ids)) : [];
}

/** Creates the operation of a step as if a user had requested it; a step without its input fails with this error. */
async function startStep(
  tx: Transaction,
  { row, project, steps, operations: begun }: OpenInvocation,
  step: RecipeStep,
): Promise<OperationRow> {
  const outputs = new Map<string, DataObjectRow[]>();
  for (const need of step.needs) {
    const operationId = steps.find(({ key }) => key === need)?.operationId ?? '';
    const made = await tx
      .select()
      .from(dataObjects)
      .where(and(eq(dataObjects.projectId, project.id), eq(dataObjects.createdByOperationId, operationId)))
      // Of several of a kind, the first one that the step made, which has the newest time.
      .orderBy(desc(dataObjects.createdAt), desc(dataObjects.id));
    outputs.set(need, made);
  }
  const inputs = await stepInputs(tx, step, {
    projectId: project.id,
    steps: row.definition.steps,
    outputs,
    operationIds: begun.map(({ id }) => id),
  });
  const id = randomUUID();
  const values = {
    id,
    projectId: project.id,
    organizationId: row.organizationId,
    operation: step.operation,
    createdBy: row.createdBy,
    invocationId: row.id,
    stepKey: step.key,
  };
  const rows = await tx
    .insert(operations)
    .values(
      'error' in inputs
        ? {
            ...values,
            parameters: step.parameters,
            status: 'failed' as const,
            error: inputs.error,
            startedAt: sql`now()`,
            finishedAt: sql`now()`,
          }
        : { ...values, ...inputs },
    )
    .returning();
  const operation = takeRow(rows);
  if (operation.status === 'pending') await requestWork(tx, 'operation', operation);
  else await announceWork(tx, 'operation', operation, project, 'created');
  return operation;
}

function describeStage({ definition }: InvocationRow, steps: InvocationStep[]): string {
  const running = steps
    .filter(({ status }) => !over.has(status) && status !== 'pending')
    .map(({ key }) => definition.steps.find((step) => step.key === key)?.operation);
  const done = steps.filter(({ status }) => over.has(status)).length;
  const titles = running.flatMap((kind) => findTitle(kind ?? '') ?? []);
  if (done === steps.length) return 'Writing the results';
  return `${done} of ${steps.length} steps done${titles.length > 0 ? `: ${titles.join(', ')}` : ''}`;
}
