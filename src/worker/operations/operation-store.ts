/** The rows of operations as the worker changes them; each change is told to the pages in its transaction. */
import { and, eq, inArray, sql } from 'drizzle-orm';
import { operationTitle } from '#contract/analyses/kinds.ts';
import type { Provenance } from '#contract/shapes/operation.ts';
import { type Database, type Executor, inTransaction, type Transaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations, recipeInvocations, type WorkError } from '#storage/db/schema-work.ts';
import { writeNotification } from '#storage/db/write-notification.ts';
import type { JobQueue } from '#storage/queue/queue.ts';
import { priorities } from '#storage/queue/queues.ts';
import { invocationPriority, wakeInvocationOf } from '#storage/recipes/invocations.ts';
import type { WorkerContext } from '../context.ts';

type OperationRow = typeof operations.$inferSelect;

/** An operation that this worker carries out, and where its news go. */
export interface ClaimedOperation extends OperationRow {
  workspaceId: string;
  projectName: string;
  /** one of the queue's: what somebody waits for goes before a step of a bulk run */
  priority: number;
}

/**
 * Takes the operation for this attempt. Nothing is returned when there is nothing to do: it has finished,
 * was cancelled meanwhile (which is then written), or is gone with its project.
 */
export async function claimOperation(
  { db, queue }: Pick<WorkerContext, 'db' | 'queue'>,
  id: string,
): Promise<ClaimedOperation | undefined> {
  return inTransaction(db, async (tx) => {
    const [found] = await tx
      .select({ operation: operations, project: projects, bulkItemId: recipeInvocations.bulkItemId })
      .from(operations)
      .innerJoin(projects, eq(projects.id, operations.projectId))
      .leftJoin(recipeInvocations, eq(recipeInvocations.id, operations.invocationId))
      .where(eq(operations.id, id))
      .for('update', { of: operations });
    if (!found || found.operation.finishedAt) return undefined;
    const { workspaceId, name: projectName } = found.project;
    const { invocationId } = found.operation;
    const priority =
      invocationId === null ? priorities.interactive : invocationPriority({ bulkItemId: found.bulkItemId });
    if (found.operation.status === 'cancelling' || found.operation.cancelRequestedAt) {
      const stopped = { ...found.operation, workspaceId, projectName, priority };
      await endOperation(tx, queue, stopped, { status: 'cancelled' });
      return undefined;
    }
    const [row] = await tx
      .update(operations)
      .set({
        status: 'processing',
        progress: 0,
        stage: null,
        error: null,
        startedAt: sql`now()`,
        attempt: sql`${operations.attempt} + 1`,
      })
      .where(eq(operations.id, id))
      .returning();
    const claimed = { ...row, workspaceId, projectName, priority };
    await touchProject(tx, claimed);
    await tellOperation(tx, claimed);
    return claimed;
  });
}

/** How far it is; false when this attempt no longer owns the operation. */
export async function writeProgress(
  db: Database,
  operation: ClaimedOperation,
  progress: number,
  stage: string | null,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const [row] = await tx
      .update(operations)
      .set({ progress, stage })
      .where(
        and(
          eq(operations.id, operation.id),
          eq(operations.attempt, operation.attempt),
          inArray(operations.status, ['processing', 'cancelling']),
        ),
      )
      .returning({ id: operations.id });
    if (row) await tellOperation(tx, operation);
    return row !== undefined;
  });
}

export type OperationEnd =
  | { status: 'completed'; outputDataObjectIds: string[]; provenance: Provenance }
  | { status: 'failed'; error: WorkError }
  | { status: 'cancelled' };

/**
 * Ends the operation if this attempt still owns it; false when another one ended it before.
 * A request to stop that came while the last result was written has come too late for `completed`.
 */
export async function endOperation(
  tx: Transaction,
  queue: JobQueue,
  operation: ClaimedOperation,
  end: OperationEnd,
): Promise<boolean> {
  const [row] = await tx
    .update(operations)
    .set({
      status: end.status,
      stage: null,
      finishedAt: sql`now()`,
      ...(end.status === 'completed'
        ? {
            progress: 1,
            inputDataObjectIds: end.provenance.inputs.map(({ dataObjectId }) => dataObjectId),
            outputDataObjectIds: end.outputDataObjectIds,
            provenance: { ...end.provenance },
          }
        : {}),
      error: end.status === 'failed' ? end.error : null,
    })
    .where(
      and(
        eq(operations.id, operation.id),
        eq(operations.attempt, operation.attempt),
        inArray(operations.status, ['pending', 'processing', 'cancelling']),
      ),
    )
    .returning({ id: operations.id });
  if (!row) return false;
  await touchProject(tx, operation);
  await tellOperation(tx, operation);
  await notifyRequester(tx, operation, end);
  await wakeInvocationOf(tx, queue, operation.invocationId);
  return true;
}

/** What the project's own row says about its newest work. */
async function touchProject(tx: Transaction, operation: ClaimedOperation): Promise<void> {
  await tx
    .update(projects)
    .set({ latestOperationId: operation.id, updatedAt: sql`now()` })
    .where(eq(projects.id, operation.projectId));
}

async function tellOperation(tx: Executor, operation: ClaimedOperation): Promise<void> {
  const { id, projectId, organizationId, workspaceId } = operation;
  await notify(tx, { type: 'updated', resource: 'operation', id, projectId, organizationId, workspaceId });
}

const titles = { completed: 'is ready', failed: 'failed', cancelled: 'was cancelled' };

async function notifyRequester(
  tx: Transaction,
  operation: ClaimedOperation,
  end: OperationEnd,
): Promise<void> {
  // Who cancels sees that it stopped; a step of a recipe is told with its recipe.
  if (!operation.createdBy || end.status === 'cancelled' || operation.invocationId) return;
  await writeNotification(tx, {
    userId: operation.createdBy,
    organizationId: operation.organizationId,
    kind: `operation.${end.status}`,
    title: `${operationTitle(operation.operation) ?? operation.operation} ${titles[end.status]}: ${operation.projectName}`,
    body: end.status === 'failed' ? end.error.detail : '',
    subject: { resource: 'operation', id: operation.id, projectId: operation.projectId },
  });
}
