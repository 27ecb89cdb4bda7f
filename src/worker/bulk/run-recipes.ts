/**
 * Runs a recipe on many projects. Each item is an invocation; only a few of a user's wait or run at a time, so that the
 * runs of two users alternate in the queue. A turn collects ended invocations and starts as many new ones.
 */
import { and, eq, inArray, isNull, ne, sql } from 'drizzle-orm';
import { permitted } from '#storage/bulk/plan.ts';
import { type BulkRow, type ItemRow, lockBulk } from '#storage/bulk/requests.ts';
import { inTransaction, type Transaction } from '#storage/db/connection.ts';
import { auditLog } from '#storage/db/schema-collaboration.ts';
import {
  bulkItems,
  bulkRequests,
  recipeInvocations,
  recipes,
  recipeVersions,
  type WorkError,
} from '#storage/db/schema-work.ts';
import { takeRow } from '#storage/db/take-row.ts';
import { type Actor, lockProjects } from '#storage/projects/change-projects.ts';
import { isArchived, noSuchProject, type ProjectRow } from '#storage/projects/decide.ts';
import {
  cancelInvocation,
  createInvocation,
  type InvocationRow,
  type RecipeVersionRow,
  retryInvocation,
} from '#storage/recipes/invocations.ts';
import { disabledReason } from '#storage/recipes/missing-data.ts';
import { endItems } from '#storage/work/bulk-items.ts';
import { wakeWork } from '#storage/work/life.ts';
import type { Outcome, Work } from '../work/work.ts';
import { findActor, type ItemOutcome, settle, writeOutcomes } from './take-items.ts';

/** waiting or running invocations per user, over all of the user's bulk requests */
const IN_FLIGHT = 8;

const unfinished = inArray(bulkRequests.status, ['pending', 'processing', 'cancelling']);

/** One turn of a `runRecipe` request. The end of each invocation wakes it again. */
export async function runRecipes({ context, row: { id } }: Work<'bulk'>): Promise<Outcome> {
  const { db } = context;
  const { progress, running } = await inTransaction(db, async (tx) => {
    const row = await lockBulk(tx, id);
    if (!row || row.finishedAt !== null) return { progress: 'over', running: [] };
    await takeIn(tx, id);
    if (row.cancelRequestedAt === null) await startSome(tx, row);
    else await endItems(tx, id);
    const progress = await settle(tx, row);
    await wakeOthers(tx, row);
    return { progress, running: row.cancelRequestedAt === null ? [] : await listItemInvocations(tx, id) };
  });
  // One transaction each: whoever writes the end of an invocation holds its lock and wakes this request.
  for (const invocationId of running) await inTransaction(db, (tx) => cancelInvocation(tx, invocationId));
  return progress === 'over' ? 'ended' : 'waiting';
}

/** Invocations of the request that wait or run. */
async function listItemInvocations(tx: Transaction, id: string): Promise<string[]> {
  const rows = await tx
    .select({ id: recipeInvocations.id })
    .from(recipeInvocations)
    .innerJoin(bulkItems, eq(bulkItems.id, recipeInvocations.bulkItemId))
    .where(and(eq(bulkItems.bulkRequestId, id), isNull(recipeInvocations.finishedAt)));
  return rows.map((row) => row.id);
}

function toOutcome({ id, status, error }: InvocationRow): ItemOutcome {
  const result = { invocationId: id };
  if (status === 'completed') return { status: 'completed', result };
  if (status === 'cancelled') return { status: 'cancelled', result };
  const unknown: WorkError = { code: 'INTERNAL', detail: 'the run ended without saying why' };
  return { status: 'failed', error: error ?? unknown, result };
}

/** Collects invocations that have ended. */
async function takeIn(tx: Transaction, id: string): Promise<void> {
  const ended = await tx
    .select({ item: bulkItems, invocation: recipeInvocations })
    .from(bulkItems)
    .leftJoin(
      recipeInvocations,
      sql`${recipeInvocations.id} = (${bulkItems.result} ->> 'invocationId')::uuid`,
    )
    .where(and(eq(bulkItems.bulkRequestId, id), eq(bulkItems.status, 'processing')));
  const outcomes = new Map<string, ItemOutcome>();
  for (const { item, invocation } of ended) {
    // Deleted with its project.
    if (!invocation) outcomes.set(item.id, { status: 'failed', error: noSuchProject });
    else if (invocation.finishedAt !== null) outcomes.set(item.id, toOutcome(invocation));
  }
  if (outcomes.size > 0) await writeOutcomes(tx, outcomes);
}

/** How many of the user's invocations may start now. */
async function room(tx: Transaction, { createdBy }: BulkRow): Promise<number> {
  if (createdBy === null) return IN_FLIGHT;
  const rows = await tx
    .select({ count: sql<number>`count(*)::int` })
    .from(bulkItems)
    .innerJoin(bulkRequests, eq(bulkRequests.id, bulkItems.bulkRequestId))
    .where(
      and(
        eq(bulkRequests.createdBy, createdBy),
        eq(bulkRequests.operationType, 'runRecipe'),
        unfinished,
        eq(bulkItems.status, 'processing'),
      ),
    );
  return IN_FLIGHT - takeRow(rows).count;
}

/** Wakes the user's other bulk requests if this one leaves room. */
async function wakeOthers(tx: Transaction, row: BulkRow): Promise<void> {
  if (row.createdBy === null || (await room(tx, row)) <= 0) return;
  const others = await tx
    .select()
    .from(bulkRequests)
    .where(
      and(
        eq(bulkRequests.createdBy, row.createdBy),
        eq(bulkRequests.operationType, 'runRecipe'),
        inArray(bulkRequests.status, ['pending', 'processing']),
        ne(bulkRequests.id, row.id),
        sql`exists (select 1 from ${bulkItems} where ${bulkItems.bulkRequestId} = ${bulkRequests.id}
          and ${bulkItems.status} = 'pending')`,
      ),
    );
  for (const { id } of others) await wakeWork(tx, 'bulk', id);
}

async function startSome(tx: Transaction, row: BulkRow): Promise<void> {
  const actor = await findActor(tx, row);
  for (let left = await room(tx, row); left > 0; ) {
    const items = await tx
      .select()
      .from(bulkItems)
      .where(and(eq(bulkItems.bulkRequestId, row.id), eq(bulkItems.status, 'pending')))
      .orderBy(bulkItems.position)
      .limit(left);
    if (items.length === 0) return;
    const outcomes = await start(tx, row, actor, items);
    await writeOutcomes(tx, outcomes);
    // Items that could not start leave their slot to the next.
    left -= [...outcomes.values()].filter(({ status }) => status === 'processing').length;
  }
}

async function findVersion(
  tx: Transaction,
  { parameters }: BulkRow,
): Promise<(RecipeVersionRow & { isArchived: boolean }) | undefined> {
  const [found] = await tx
    .select({ version: recipeVersions, archivedAt: recipes.archivedAt })
    .from(recipeVersions)
    .innerJoin(recipes, eq(recipes.id, recipeVersions.recipeId))
    .where(eq(recipeVersions.id, String(parameters['recipeVersionId'])));
  return found && { ...found.version, isArchived: found.archivedAt !== null };
}

async function start(
  tx: Transaction,
  row: BulkRow,
  actor: Actor | undefined,
  items: ItemRow[],
): Promise<Map<string, ItemOutcome>> {
  const ids = items.map(({ projectId }) => projectId);
  const { refused } = await permitted(tx, row.createdBy, ids, { withDeleted: false });
  const rows = await lockProjects(tx, ids);
  const version = await findVersion(tx, row);
  const off = version && (await disabledReason(tx, version.organizationId, version.steps));
  const outcomes = new Map<string, ItemOutcome>();
  for (const item of items) {
    const project = rows.get(item.projectId);
    const error =
      refused.get(item.projectId) ??
      (project && version
        ? (reasonAgainst(project, version) ?? off)
        : (project && noSuchRecipe) || noSuchProject);
    if (error || !actor || !version || !project) {
      outcomes.set(item.id, { status: 'failed', error: error ?? noSuchProject });
    } else outcomes.set(item.id, await startOne(tx, { row, actor, item, project, version }));
  }
  return outcomes;
}

const noSuchRecipe: WorkError = { code: 'NOT_FOUND', detail: 'the recipe is not there any more' };

function reasonAgainst(
  project: ProjectRow,
  version: RecipeVersionRow & { isArchived: boolean },
): WorkError | undefined {
  if (version.isArchived) return noSuchRecipe;
  if (project.state === 'archived') return isArchived;
  if (project.organizationId === version.organizationId) return undefined;
  return { code: 'NOT_FOUND', detail: 'the recipe belongs to another organization than the project' };
}

interface Start {
  row: BulkRow;
  actor: Actor;
  item: ItemRow;
  project: ProjectRow;
  version: RecipeVersionRow;
}

/** Starts a new invocation, or resumes the one that failed before at its failed step. */
async function startOne(
  tx: Transaction,
  { row, actor, item, project, version }: Start,
): Promise<ItemOutcome> {
  const before = item.result?.['invocationId'];
  if (typeof before === 'string') {
    const again = await retryInvocation(tx, before);
    if (again) return { status: 'processing', result: { invocationId: again.id } };
    // It was run again separately in the meantime.
    const [now] = await tx.select().from(recipeInvocations).where(eq(recipeInvocations.id, before));
    if (now?.finishedAt === null) return { status: 'processing', result: { invocationId: now.id } };
    if (now?.status === 'completed') return toOutcome(now);
  }
  const made = await createInvocation(tx, {
    project,
    steps: version.steps,
    gates: version.gates,
    recipe: { recipeId: version.recipeId, recipeVersionId: version.id },
    createdBy: row.createdBy,
    bulkItemId: item.id,
  });
  await tx.insert(auditLog).values({
    organizationId: project.organizationId,
    userId: actor.userId,
    userEmail: actor.email,
    action: 'runRecipe',
    resource: 'recipeInvocation',
    resourceId: made.id,
    projectId: project.id,
    detail: { recipe: version.name, version: version.version, bulkRequestId: row.id },
  });
  return { status: 'processing', result: { invocationId: made.id } };
}
