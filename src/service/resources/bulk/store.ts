/** Reads bulk requests and their items. */

import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { readLimits } from '#contract/analyses/gates.ts';
import { findMeasure, splitMeasure } from '#contract/analyses/steps.ts';
import { type WorkError, workStatuses } from '#contract/base/primitives.ts';
import { Verdict } from '#contract/metadata/verdict.ts';
import { type BulkItem, type BulkRequest, bulkOperationTypes } from '#contract/shapes/bulk-request.ts';
import { accessibleOrganizations, accessibleProjects, readableBulkRequests } from '#storage/access/access.ts';
import {
  type BulkRow,
  type ItemResult,
  type ItemRow,
  reasonAgainstRetry,
  reasonAgainstUndo,
} from '#storage/bulk/requests.ts';
import { RESULTS_KEPT_DAYS } from '#storage/bulk/results.ts';
import { among } from '#storage/db/among.ts';
import type { Executor } from '#storage/db/connection.ts';
import { hasStatus } from '#storage/db/has-status.ts';
import { byCreation, type Page, type PageRequest, type RowOrder, readPage } from '#storage/db/page.ts';
import { blobs, projects } from '#storage/db/schema-projects.ts';
import { bulkItems, bulkRequests, recipeInvocations, recipes } from '#storage/db/schema-work.ts';
import { countVerdicts, noVerdicts } from '#storage/work/bulk-items.ts';
import { notFound } from '../../http/problem.ts';
import type { SignAddress } from '../../http/signed-address.ts';

/** Filter on a column; an unknown value matches nothing. */
function matches(known: readonly string[], column: SQL, value: string | undefined): SQL | undefined {
  if (value === undefined) return undefined;
  return known.includes(value) ? sql`${column} = ${value}` : sql`false`;
}

export const listBulkRequests = (
  db: Executor,
  userId: string,
  filter: { status?: string[] | undefined; operationType?: string | undefined },
  page: PageRequest,
): Promise<Page<BulkRow>> =>
  readPage(db, page, {
    rows: () => db.select().from(bulkRequests).$dynamic(),
    where: and(
      eq(bulkRequests.createdBy, userId),
      hasStatus(bulkRequests.status, filter.status),
      matches(bulkOperationTypes, sql`${bulkRequests.operationType}`, filter.operationType),
    ),
    order: byCreation(bulkRequests),
    keyed: (row) => row,
  });

export async function readBulkRequest(db: Executor, id: string): Promise<BulkRow> {
  const [row] = await db.select().from(bulkRequests).where(eq(bulkRequests.id, id));
  if (!row) throw notFound('bulk request');
  return row;
}

export async function bulkShapes(
  db: Executor,
  userId: string,
  sign: SignAddress,
  rows: BulkRow[],
): Promise<BulkRequest[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const undos = await db
    .select({ id: bulkRequests.id, undoOf: bulkRequests.undoOf })
    .from(bulkRequests)
    .where(inArray(bulkRequests.undoOf, ids));
  const undoneBy = new Map(undos.map(({ id, undoOf }) => [undoOf, id]));
  const keys = rows.flatMap(({ blobKey }) => blobKey ?? []);
  const sizes = keys.length
    ? await db.select({ key: blobs.key, size: blobs.sizeBytes }).from(blobs).where(inArray(blobs.key, keys))
    : [];
  const verdicts = await countVerdicts(
    db,
    rows.flatMap(({ id, operationType }) => (operationType === 'runRecipe' ? id : [])),
  );
  const sizesByKey = new Map(sizes.map(({ key, size }) => [key, size]));
  const readable = await readableBulkRequests(
    db,
    userId,
    rows.flatMap(({ id, blobKey }) => (blobKey ? [id] : [])),
  );
  return rows.map((row) => {
    const undone = undoneBy.get(row.id) ?? null;
    const possible = (reason: string | null) => ({ allowed: reason === null, reason });
    return {
      id: row.id,
      status: row.status,
      operationType: row.operationType as BulkRequest['operationType'],
      totalCount: row.totalCount,
      completedCount: row.completedCount,
      failedCount: row.failedCount,
      parameters: row.parameters,
      ...describeDownload(row, sizesByKey, readable.has(row.id) ? sign : undefined),
      progress: Math.min(1, row.progress),
      cancelledCount: row.cancelledCount,
      verdicts: row.operationType === 'runRecipe' ? (verdicts.get(row.id) ?? noVerdicts) : null,
      error: row.error as WorkError | null,
      undoOf: row.undoOf,
      undoneBy: undone,
      undo: possible(reasonAgainstUndo(row, undone !== null)),
      retry: possible(reasonAgainstRetry(row, undone !== null)),
      createdBy: row.createdBy,
      createdAt: row.createdAt.toISOString(),
      startedAt: row.startedAt?.toISOString() ?? null,
      finishedAt: row.finishedAt?.toISOString() ?? null,
    };
  });
}

/** The gate that decides a run, when it does not pass. */
function findWorstGate({
  id,
  definition,
  gates,
}: typeof recipeInvocations.$inferSelect): BulkItem['worstGate'] {
  const worst =
    gates.find(({ verdict }) => verdict === 'fail') ??
    gates.find(({ verdict }) => verdict === 'indeterminate');
  const gate = definition.gates.find(({ key }) => key === worst?.key);
  if (!worst || !gate) return null;
  const { step, path } = splitMeasure(gate.measure);
  const kind = definition.steps.find(({ key }) => key === step)?.operation;
  const name = (kind && findMeasure(kind, path)?.label) ?? gate.key;
  const { measured } = worst;
  return {
    id: `${id}.${gate.key}`,
    name,
    nominal: null,
    ...readLimits(gate),
    measured,
    unit: gate.unit,
    reason: null,
  };
}

function describeDownload(
  { id, blobKey, finishedAt }: BulkRow,
  sizesByKey: ReadonlyMap<string, number | null>,
  sign: SignAddress | undefined,
) {
  const none = { downloadUrl: null, downloadSizeBytes: null, downloadExpiresAt: null };
  if (blobKey === null || finishedAt === null) return none;
  const expiresAt = new Date(finishedAt.getTime() + RESULTS_KEPT_DAYS * 86_400_000);
  // Without access to all projects in the archive, the user gets no URL.
  if (sign === undefined || expiresAt.getTime() <= Date.now())
    return { ...none, downloadExpiresAt: expiresAt.toISOString() };
  const fileName = `results_${finishedAt.toISOString().slice(0, 10)}.zip`;
  return {
    downloadUrl: sign({ key: blobKey, fileName, mediaType: 'application/zip' }, { bulkRequestId: id }),
    downloadSizeBytes: sizesByKey.get(blobKey) ?? null,
    downloadExpiresAt: expiresAt.toISOString(),
  };
}

const byPosition: RowOrder<ItemRow> = {
  name: 'position',
  keys: [{ value: bulkItems.position, type: 'int' }],
  isDescending: false,
  readKeys: ({ position }) => [String(position)],
};

export function listBulkItems(
  db: Executor,
  id: string,
  filter: { status?: string | undefined; verdict?: string | undefined },
  page: PageRequest,
): Promise<Page<ItemRow>> {
  const ofRun = matches(Verdict.options, sql`${recipeInvocations.verdict}`, filter.verdict);
  return readPage(db, page, {
    rows: () => db.select().from(bulkItems).$dynamic(),
    where: and(
      eq(bulkItems.bulkRequestId, id),
      matches(workStatuses, sql`${bulkItems.status}`, filter.status),
      ofRun &&
        sql`exists (select 1 from ${recipeInvocations}
          where ${recipeInvocations.id} = (${bulkItems.result}->>'invocationId')::uuid and ${ofRun})`,
    ),
    order: byPosition,
    keyed: (row) => row,
  });
}

/** Converts items to the contract's shape, with the names of projects that the caller may see. */
export async function itemShapes(db: Executor, userId: string, rows: ItemRow[]): Promise<BulkItem[]> {
  const ids = rows.map(({ projectId }) => projectId);
  const seen = await accessibleProjects(db, userId, ids, { withDeleted: true });
  const named = await db
    .select({ id: projects.id, name: projects.name })
    .from(projects)
    .where(among(projects.id, [...seen.keys()]));
  const names = new Map(named.map(({ id, name }) => [id, name]));
  const runs = await db
    .select()
    .from(recipeInvocations)
    .where(
      among(
        recipeInvocations.id,
        rows.flatMap(({ result }) => (result as ItemResult | null)?.invocationId ?? []),
      ),
    );
  const runsById = new Map(runs.map((run) => [run.id, run]));
  return rows.map(({ projectId, status, error, result }) => {
    const { unchanged = false, copyId = null, invocationId = null } = (result ?? {}) as ItemResult;
    const run = runsById.get(invocationId ?? '');
    return {
      projectId,
      status,
      error: error as WorkError | null,
      projectName: names.get(projectId) ?? null,
      unchanged,
      copyId,
      invocationId,
      verdict: run?.verdict ?? null,
      worstGate: run?.status === 'completed' ? findWorstGate(run) : null,
    };
  });
}

/** Finds a recipe of an organization that the user is a member of. */
export async function visibleRecipe(
  db: Executor,
  userId: string,
  id: string,
): Promise<{ organizationId: string } | undefined> {
  const [row] = await db
    .select({ organizationId: recipes.organizationId })
    .from(recipes)
    .where(eq(recipes.id, id));
  if (!row) return undefined;
  const member = await accessibleOrganizations(db, userId, [row.organizationId]);
  return member.has(row.organizationId) ? row : undefined;
}
