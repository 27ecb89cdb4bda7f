/**
 * Invocations of recipes and pipelines, shared by service and worker. Their state is only in the database: each turn reads the
 * row and starts the steps that can start, and the end of a step wakes the invocation.
 */

import { randomUUID } from 'node:crypto';
import { and, desc, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Gate } from '#contract/analyses/gates.ts';
import type { RecipeStep } from '#contract/analyses/pipeline.ts';
import { type AnalysisKind, getAnalysis } from '#contract/analyses/registry.ts';
import type { Executor, Transaction } from '../db/connection.ts';
import { analysisModules } from '../db/schema-accounts.ts';
import { operations, recipeInvocations, recipes, recipeVersions } from '../db/schema-work.ts';
import { insertRow } from '../db/take-row.ts';
import { cancelWork, requestWork, retryWork } from '../work/life.ts';

export type InvocationRow = typeof recipeInvocations.$inferSelect;
export type RecipeVersionRow = typeof recipeVersions.$inferSelect;

export interface ProjectPlace {
  id: string;
  organizationId: string;
  workspaceId: string;
}

/** A recipe of this organization; undefined for an unknown one, or one of another organization. */
export async function findRecipe(
  db: Executor,
  organizationId: string,
  recipeId: string,
): Promise<typeof recipes.$inferSelect | undefined> {
  const [row] = await db
    .select()
    .from(recipes)
    .where(
      and(eq(recipes.id, recipeId), eq(recipes.organizationId, organizationId), isNull(recipes.archivedAt)),
    );
  return row;
}

/** The version of a recipe to run: the given one, even a draft, or else the newest released version. */
export async function findRecipeVersion(
  db: Executor,
  recipeId: string,
  recipeVersionId?: string,
): Promise<RecipeVersionRow | undefined> {
  const [row] = await db
    .select()
    .from(recipeVersions)
    .where(
      and(
        eq(recipeVersions.recipeId, recipeId),
        recipeVersionId === undefined
          ? eq(recipeVersions.status, 'released')
          : eq(recipeVersions.id, recipeVersionId),
      ),
    )
    .orderBy(desc(recipeVersions.version))
    .limit(1);
  return row;
}

/** The analyses whose module is disabled for the organization. */
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
  return kinds.filter((kind) => off.has(getAnalysis(kind).module.key));
}

export interface NewInvocation {
  project: ProjectPlace;
  steps: RecipeStep[];
  gates: Gate[];
  /** recipe to run; null for a pipeline, which has no saved recipe */
  recipe: { recipeId: string; recipeVersionId: string } | null;
  createdBy: string | null;
  /** item of a bulk request, whose steps have lower priority than individual requests */
  bulkItemId?: string;
  /** for a pipeline, the operation that represents it in the project's list */
  operationId?: string;
}

/**
 * Creates an invocation, which is queued when `tx` commits. The caller must check access, state and modules, and should lock
 * the project's row.
 */
export async function createInvocation(
  tx: Transaction,
  { project, steps, gates, recipe, createdBy, bulkItemId, operationId }: NewInvocation,
): Promise<InvocationRow> {
  const row = await insertRow(tx, recipeInvocations, {
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
  });
  await requestWork(tx, 'invocation', row);
  return row;
}

/** An unfinished run of this version; none when a newer scan has arrived since, because the run would not use it. */
export async function findUnfinishedRun(
  tx: Transaction,
  projectId: string,
  recipeVersionId: string,
): Promise<InvocationRow | undefined> {
  const [row] = await tx
    .select()
    .from(recipeInvocations)
    .where(
      and(
        eq(recipeInvocations.projectId, projectId),
        eq(recipeInvocations.recipeVersionId, recipeVersionId),
        inArray(recipeInvocations.status, ['pending', 'processing']),
        sql`not exists (select 1 from ${operations} where ${operations.projectId} = ${projectId}
          and ${operations.operation} = 'ingest' and ${operations.finishedAt} > ${recipeInvocations.createdAt})`,
      ),
    )
    .orderBy(desc(recipeInvocations.createdAt))
    .limit(1);
  return row;
}

const lockInvocation = (tx: Transaction, id: string) =>
  tx.select().from(recipeInvocations).where(eq(recipeInvocations.id, id)).for('update');

/**
 * Cancels an invocation with its pending and running steps. A pending invocation ends immediately, a running one as soon as
 * its steps have stopped.
 *
 * @returns the updated row; undefined when it does not exist. A finished invocation is not changed.
 */
export async function cancelInvocation(tx: Transaction, id: string): Promise<InvocationRow | undefined> {
  const row = (await cancelWork(tx, 'invocation', id)) as InvocationRow | undefined;
  if (row?.status === 'cancelling') await cancelSteps(tx, row);
  return row;
}

/** Cancels the pending and running steps of an invocation. */
export async function cancelSteps(tx: Transaction, { steps }: InvocationRow): Promise<void> {
  for (const { operationId } of steps)
    if (operationId !== null) await cancelWork(tx, 'operation', operationId);
}

/**
 * Resumes a failed or cancelled invocation: steps that succeeded keep their results, the others start again as new
 * operations.
 *
 * @returns the updated row; undefined when it does not exist, or is neither failed nor cancelled
 */
export async function retryInvocation(tx: Transaction, id: string): Promise<InvocationRow | undefined> {
  const [before] = await lockInvocation(tx, id);
  if (before?.status !== 'failed' && before?.status !== 'cancelled') return undefined;
  // A step that was retried individually meanwhile counts with its current state.
  const tried = before.steps.flatMap(({ operationId }) => operationId ?? []);
  const done = tried.length
    ? await tx
        .select({ id: operations.id })
        .from(operations)
        .where(and(inArray(operations.id, tried), eq(operations.status, 'completed')))
    : [];
  const succeeded = new Set(done.map((row) => row.id));
  const row = await retryWork(tx, 'invocation', id, {
    verdict: null,
    archiveKey: null,
    steps: before.steps.map((step) =>
      step.operationId !== null && succeeded.has(step.operationId)
        ? { ...step, status: 'completed' }
        : { key: step.key, operationId: null, status: 'pending' },
    ),
    gates: before.gates.map((gate) => ({ ...gate, measured: null, verdict: null })),
  });
  return row as InvocationRow | undefined;
}
