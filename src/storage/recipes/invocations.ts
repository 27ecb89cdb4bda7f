/**
 * Invocations of recipes and pipelines: rows and jobs that service and worker make alike. What an invocation is doing
 * is in the database alone: its job looks at the row, starts what can start, and is sent again whenever a step ends.
 */
import { randomUUID } from 'node:crypto';
import { and, desc, eq, inArray, isNull } from 'drizzle-orm';
import { type AnalysisKind, analysisFacts } from '#contract/analyses/kinds.ts';
import { wakeBulkOf } from '../bulk/requests.ts';
import type { Executor, Transaction } from '../db/connection.ts';
import { notify } from '../db/events.ts';
import { analysisModules } from '../db/schema-accounts.ts';
import { projects } from '../db/schema-projects.ts';
import {
  operations,
  type RecipeGate,
  type RecipeStep,
  recipeInvocations,
  recipes,
  recipeVersions,
} from '../db/schema-work.ts';
import { requestCancel } from '../queue/cancel.ts';
import type { JobQueue } from '../queue/queue.ts';
import { priorities } from '../queue/queues.ts';

export type InvocationRow = typeof recipeInvocations.$inferSelect;
export type RecipeVersionRow = typeof recipeVersions.$inferSelect;

export interface ProjectPlace {
  id: string;
  organizationId: string;
  workspaceId: string;
}

/** How soon its steps are worked on: one part at a time before a thousand. */
export const invocationPriority = ({ bulkItemId }: Pick<InvocationRow, 'bulkItemId'>): number =>
  bulkItemId === null ? priorities.recipe : priorities.bulk;

/** The version of a recipe of this organization that is run: the one named, else the newest; undefined = none. */
export async function findRecipeVersion(
  db: Executor,
  organizationId: string,
  recipeId: string,
  recipeVersionId?: string,
): Promise<RecipeVersionRow | undefined> {
  const [row] = await db
    .select({ version: recipeVersions })
    .from(recipeVersions)
    .innerJoin(recipes, eq(recipes.id, recipeVersions.recipeId))
    .where(
      and(
        eq(recipeVersions.organizationId, organizationId),
        eq(recipeVersions.recipeId, recipeId),
        isNull(recipes.archivedAt),
        recipeVersionId === undefined ? undefined : eq(recipeVersions.id, recipeVersionId),
      ),
    )
    .orderBy(desc(recipeVersions.version))
    .limit(1);
  return row?.version;
}

/** Those of the analyses whose module is off for the organization. */
export async function disabledAnalyses<Kind extends AnalysisKind>(
  db: Executor,
  organizationId: string,
  kinds: readonly Kind[],
): Promise<Kind[]> {
  const rows = await db
    .select({ key: analysisModules.key })
    .from(analysisModules)
    .where(and(eq(analysisModules.organizationId, organizationId), eq(analysisModules.enabled, false)));
  const off = new Set(rows.map(({ key }) => key));
  return kinds.filter((kind) => off.has(analysisFacts[kind].module));
}

export interface NewInvocation {
  project: ProjectPlace;
  steps: RecipeStep[];
  gates: RecipeGate[];
  /** what is run; null for a pipeline, which is not saved */
  recipe: { recipeId: string; recipeVersionId: string } | null;
  createdBy: string | null;
  /** of a bulk request: its steps wait for everything that somebody asked for one by one */
  bulkItemId?: string;
  /** the operation that stands for a pipeline in the project's list */
  operationId?: string;
}

/**
 * Runs steps on a project as soon as `tx` commits: the row, the job that starts its steps, and the event. Access,
 * state and modules are the caller's to check; the project's row should be locked.
 */
export async function createInvocation(
  tx: Transaction,
  queue: JobQueue,
  { project, steps, gates, recipe, createdBy, bulkItemId, operationId }: NewInvocation,
): Promise<InvocationRow> {
  const [row] = await tx
    .insert(recipeInvocations)
    .values({
      id: randomUUID(),
      projectId: project.id,
      organizationId: project.organizationId,
      recipeId: recipe?.recipeId ?? null,
      recipeVersionId: recipe?.recipeVersionId ?? null,
      definition: { steps, gates },
      steps: steps.map(({ key }) => ({ key, operationId: null, status: 'pending' })),
      gates: gates.map(({ key, limit }) => ({ key, measured: null, limit, verdict: null })),
      createdBy,
      bulkItemId: bulkItemId ?? null,
      operationId: operationId ?? null,
    })
    .returning();
  await wakeInvocation(tx, queue, row);
  await tellInvocation(tx, 'created', project, row.id);
  return row;
}

/** Lets the worker look at it: a step has ended, or it is to be stopped. */
export async function wakeInvocation(
  tx: Executor,
  queue: JobQueue,
  { id, bulkItemId }: Pick<InvocationRow, 'id' | 'bulkItemId'>,
): Promise<void> {
  const priority = invocationPriority({ bulkItemId });
  await queue.send(tx, 'invocation', { invocationId: id }, { priority });
}

/** The same for whoever knows only that an operation has ended; nothing for one that is no step. */
export async function wakeInvocationOf(
  tx: Executor,
  queue: JobQueue,
  invocationId: string | null,
): Promise<void> {
  if (invocationId === null) return;
  const [row] = await tx
    .select({ id: recipeInvocations.id, bulkItemId: recipeInvocations.bulkItemId })
    .from(recipeInvocations)
    .where(and(eq(recipeInvocations.id, invocationId), isNull(recipeInvocations.finishedAt)));
  if (row) await wakeInvocation(tx, queue, row);
}

export async function tellInvocation(
  tx: Executor,
  type: 'created' | 'updated',
  { id: projectId, organizationId, workspaceId }: ProjectPlace,
  id: string,
): Promise<void> {
  await notify(tx, { type, resource: 'recipeInvocation', id, projectId, organizationId, workspaceId });
}

async function placeOf(tx: Executor, projectId: string): Promise<ProjectPlace> {
  const [row] = await tx
    .select({ id: projects.id, organizationId: projects.organizationId, workspaceId: projects.workspaceId })
    .from(projects)
    .where(eq(projects.id, projectId));
  return row;
}

async function lockInvocation(tx: Transaction, id: string): Promise<InvocationRow | undefined> {
  const [row] = await tx.select().from(recipeInvocations).where(eq(recipeInvocations.id, id)).for('update');
  return row;
}

/**
 * Stops an invocation with those of its steps that wait or run. One that has not begun has ended with this; what runs
 * ends as soon as its steps have stopped.
 *
 * @returns its row from now on; undefined when there is none. One that had ended before stays as it is.
 */
export async function cancelInvocation(
  tx: Transaction,
  queue: JobQueue,
  id: string,
): Promise<InvocationRow | undefined> {
  const before = await lockInvocation(tx, id);
  if (!before || before.finishedAt !== null) return before;
  const status = await requestCancel(tx, 'invocation', id);
  const started = before.steps.flatMap(({ operationId }) => operationId ?? []);
  for (const operationId of started) await requestCancel(tx, 'operation', operationId);
  if (status === 'cancelled') {
    const steps = before.steps.map((step) => ({ ...step, status: 'cancelled' }));
    await tx.update(recipeInvocations).set({ steps }).where(eq(recipeInvocations.id, id));
    await wakeBulkOf(tx, queue, before.bulkItemId);
  } else {
    await wakeInvocation(tx, queue, before);
  }
  if (before.operationId !== null) {
    await tx
      .update(operations)
      .set(
        status === 'cancelled'
          ? { status, stage: null, finishedAt: new Date(), cancelRequestedAt: new Date() }
          : { status: 'cancelling', cancelRequestedAt: new Date() },
      )
      .where(eq(operations.id, before.operationId));
  }
  await tellInvocation(tx, 'updated', await placeOf(tx, before.projectId), id);
  return lockInvocation(tx, id);
}

/**
 * Goes on with a failed or cancelled invocation: steps that succeeded keep their results, the others begin again as
 * new operations.
 *
 * @returns its row from now on; undefined when there is none that failed or was cancelled
 */
export async function retryInvocation(
  tx: Transaction,
  queue: JobQueue,
  id: string,
): Promise<InvocationRow | undefined> {
  const before = await lockInvocation(tx, id);
  if (before?.status !== 'failed' && before?.status !== 'cancelled') return undefined;
  // A step that somebody ran again by itself meanwhile counts as what it is now.
  const tried = before.steps.flatMap(({ operationId }) => operationId ?? []);
  const done = tried.length
    ? await tx
        .select({ id: operations.id })
        .from(operations)
        .where(and(inArray(operations.id, tried), eq(operations.status, 'completed')))
    : [];
  const succeeded = new Set(done.map((row) => row.id));
  const [row] = await tx
    .update(recipeInvocations)
    .set({
      status: 'pending',
      error: null,
      verdict: null,
      archiveKey: null,
      cancelRequestedAt: null,
      finishedAt: null,
      steps: before.steps.map((step) =>
        step.operationId !== null && succeeded.has(step.operationId)
          ? { ...step, status: 'completed' }
          : { key: step.key, operationId: null, status: 'pending' },
      ),
      gates: before.gates.map((gate) => ({ ...gate, measured: null, verdict: null })),
    })
    .where(eq(recipeInvocations.id, id))
    .returning();
  if (row.operationId !== null) {
    await tx
      .update(operations)
      .set({ status: 'pending', error: null, cancelRequestedAt: null, finishedAt: null })
      .where(eq(operations.id, row.operationId));
  }
  await wakeInvocation(tx, queue, row);
  await tellInvocation(tx, 'updated', await placeOf(tx, row.projectId), id);
  return row;
}
