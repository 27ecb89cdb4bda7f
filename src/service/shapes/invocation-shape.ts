import type { WorkStatus } from '#contract/shapes/primitives.ts';
import type { RecipeInvocation } from '#contract/shapes/recipe.ts';
import type { recipeInvocations } from '#storage/db/schema-work.ts';

export type InvocationRow = typeof recipeInvocations.$inferSelect;

/** A pipeline is shown as an invocation whose recipe is the invocation itself. */
export function invocationShape(row: InvocationRow): RecipeInvocation {
  return {
    id: row.id,
    projectId: row.projectId,
    recipePk: row.recipeId ?? row.id,
    recipeVersionId: row.recipeVersionId ?? row.id,
    status: row.status,
    progress: row.progress,
    verdict: row.verdict,
    steps: row.steps.map(({ key, operationId, status }) => ({
      key,
      operationId,
      status: status as WorkStatus,
    })),
    gates: row.gates.map(({ key, measured, limit, verdict }) => ({
      key,
      measured,
      limit: Array.isArray(limit) ? limit[0] : limit,
      verdict,
    })),
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
    error: row.error,
  };
}
