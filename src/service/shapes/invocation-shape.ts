import { inArray } from 'drizzle-orm';
import type { OperationKind } from '#contract/analyses/registry.ts';
import type { WorkError, WorkStatus } from '#contract/base/primitives.ts';
import type { RecipeInvocation } from '#contract/shapes/recipe.ts';
import type { Executor } from '#storage/db/connection.ts';
import { operations, type recipeInvocations, recipeVersions } from '#storage/db/schema-work.ts';

export type InvocationRow = typeof recipeInvocations.$inferSelect;

/** Data that the rows refer to: the operations of their steps and the versions of their recipes. */
interface Surroundings {
  operations: ReadonlyMap<string, { status: WorkStatus; progress: number; error: WorkError | null }>;
  versions: ReadonlyMap<string, { name: string; version: number }>;
}

/** Share of an invocation's progress taken by its steps; the rest is writing report and archive. */
const STEPS_SHARE = 0.98;

/**
 * Converts a row to the contract's shape. A pipeline appears as an invocation whose recipe is the invocation itself. The
 * state of steps comes from their operations, so the row need not be updated while they run.
 */
function invocationShape(row: InvocationRow, around: Surroundings): RecipeInvocation {
  const isOver = row.finishedAt !== null;
  const version = around.versions.get(row.recipeVersionId ?? '');
  const steps = row.definition.steps.map(({ key, operation: kind, needs }) => {
    const step = row.steps.find((each) => each.key === key);
    const operation = around.operations.get(step?.operationId ?? '');
    const status = (isOver ? step?.status : (operation?.status ?? step?.status)) as WorkStatus;
    return {
      key,
      operation: kind as OperationKind,
      needs,
      operationId: step?.operationId ?? null,
      status,
      progress: status === 'completed' ? 1 : (operation?.progress ?? 0),
      error: operation?.error ?? null,
    };
  });
  const done = steps.reduce((sum, { progress }) => sum + progress, 0) / Math.max(1, steps.length);
  return {
    id: row.id,
    projectId: row.projectId,
    recipePk: row.recipeId ?? row.id,
    recipeVersionId: row.recipeVersionId ?? row.id,
    recipeName: version?.name ?? null,
    version: version?.version ?? null,
    status: row.status,
    progress: isOver ? row.progress : Math.max(row.progress, STEPS_SHARE * done),
    verdict: row.verdict,
    steps,
    gates: row.definition.gates.map(({ key, measure, comparison, limit, unit, ...given }) => {
      const judged = row.gates.find((gate) => gate.key === key);
      const { measured = null, verdict = null, guardBand = given.guardBand } = judged ?? {};
      return { key, measure, comparison, measured, limit, unit, guardBand, verdict };
    }),
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
    error: row.error,
  };
}

/** Converts rows to the contract's shape, with two additional queries for any number of rows. */
export async function invocationShapes(db: Executor, rows: InvocationRow[]): Promise<RecipeInvocation[]> {
  const operationIds = rows.flatMap(({ steps }) => steps.flatMap(({ operationId }) => operationId ?? []));
  const versionIds = rows.flatMap(({ recipeVersionId }) => recipeVersionId ?? []);
  const { id, status, progress, error } = operations;
  const found = operationIds.length
    ? await db.select({ id, status, progress, error }).from(operations).where(inArray(id, operationIds))
    : [];
  const versions = versionIds.length
    ? await db
        .select({ id: recipeVersions.id, name: recipeVersions.name, version: recipeVersions.version })
        .from(recipeVersions)
        .where(inArray(recipeVersions.id, versionIds))
    : [];
  const around: Surroundings = {
    operations: new Map(found.map((operation) => [operation.id, operation])),
    versions: new Map(versions.map((version) => [version.id, version])),
  };
  return rows.map((row) => invocationShape(row, around));
}
