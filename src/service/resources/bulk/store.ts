/** Reading bulk requests and their items. */

import { and, asc, count, desc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { type BulkItem, type BulkRequest, bulkOperationTypes } from '#contract/shapes/bulk-request.ts';
import { type WorkError, workStatuses } from '#contract/shapes/primitives.ts';
import { Verdict } from '#contract/shapes/project.ts';
import { accessibleOrganizations, accessibleProjects } from '#storage/access/access.ts';
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
import { blobs, projects } from '#storage/db/schema-projects.ts';
import { bulkItems, bulkRequests, recipeInvocations, recipes } from '#storage/db/schema-work.ts';
import { offsetOf, type PageRequest } from '../../http/page.ts';
import { notFound } from '../../http/problem.ts';
import type { AddressSigner } from '../../http/signed-address.ts';

/** False for a value that no row has, which finds nothing. */
function matches(known: readonly string[], column: SQL, value: string | undefined): SQL | undefined {
  if (value === undefined) return undefined;
  return known.includes(value) ? sql`${column} = ${value}` : sql`false`;
}

export async function listBulkRequests(
  db: Executor,
  userId: string,
  filter: { status?: string | undefined; operationType?: string | undefined },
  page: PageRequest,
): Promise<{ count: number; rows: BulkRow[] }> {
  const condition = and(
    eq(bulkRequests.createdBy, userId),
    matches(workStatuses, sql`${bulkRequests.status}`, filter.status),
    matches(bulkOperationTypes, sql`${bulkRequests.operationType}`, filter.operationType),
  );
  const [{ total }] = await db.select({ total: count() }).from(bulkRequests).where(condition);
  const rows = await db
    .select()
    .from(bulkRequests)
    .where(condition)
    .orderBy(desc(bulkRequests.createdAt), desc(bulkRequests.id))
    .limit(page.page_size)
    .offset(offsetOf(page));
  return { count: total, rows };
}

export async function readBulkRequest(db: Executor, id: string): Promise<BulkRow> {
  const [row] = await db.select().from(bulkRequests).where(eq(bulkRequests.id, id));
  if (!row) throw notFound('bulk request');
  return row;
}

export async function bulkShapes(
  db: Executor,
  addresses: AddressSigner,
  base: string,
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
  const sizeOf = new Map(sizes.map(({ key, size }) => [key, size]));
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
      ...downloadOf(row, sizeOf, addresses, base),
      progress: Math.min(1, row.progress),
      cancelledCount: row.cancelledCount,
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

function downloadOf(
  { blobKey, finishedAt }: BulkRow,
  sizeOf: ReadonlyMap<string, number | null>,
  addresses: AddressSigner,
  base: string,
) {
  const none = { downloadUrl: null, downloadSizeBytes: null, downloadExpiresAt: null };
  if (blobKey === null || finishedAt === null) return none;
  const expiresAt = new Date(finishedAt.getTime() + RESULTS_KEPT_DAYS * 86_400_000);
  if (expiresAt.getTime() <= Date.now()) return { ...none, downloadExpiresAt: expiresAt.toISOString() };
  const fileName = `results_${finishedAt.toISOString().slice(0, 10)}.zip`;
  return {
    downloadUrl: addresses.address(base, { key: blobKey, fileName, mediaType: 'application/zip' }),
    downloadSizeBytes: sizeOf.get(blobKey) ?? null,
    downloadExpiresAt: expiresAt.toISOString(),
  };
}

export async function listBulkItems(
  db: Executor,
  id: string,
  { status, verdict, ...page }: PageRequest & { status?: string | undefined; verdict?: string | undefined },
): Promise<{ count: number; rows: ItemRow[] }> {
  const ofRun = matches(Verdict.options, sql`${recipeInvocations.verdict}`, verdict);
  const condition = and(
    eq(bulkItems.bulkRequestId, id),
    matches(workStatuses, sql`${bulkItems.status}`, status),
    ofRun &&
      sql`exists (select 1 from ${recipeInvocations}
        where ${recipeInvocations.id} = (${bulkItems.result}->>'invocationId')::uuid and ${ofRun})`,
  );
  const [{ total }] = await db.select({ total: count() }).from(bulkItems).where(condition);
  const rows = await db
    .select()
    .from(bulkItems)
    .where(condition)
    .orderBy(asc(bulkItems.position))
    .limit(page.page_size)
    .offset(offsetOf(page));
  return { count: total, rows };
}

/** With the names of those projects that the caller may see. */
export async function itemShapes(db: Executor, userId: string, rows: ItemRow[]): Promise<BulkItem[]> {
  const ids = rows.map(({ projectId }) => projectId);
  const seen = await accessibleProjects(db, userId, ids, { withDeleted: true });
  const named = await db
    .select({ id: projects.id, name: projects.name })
    .from(projects)
    .where(among(projects.id, [...seen.keys()]));
  const names = new Map(named.map(({ id, name }) => [id, name]));
  const runs = await db
    .select({ id: recipeInvocations.id, verdict: recipeInvocations.verdict })
    .from(recipeInvocations)
    .where(
      among(
        recipeInvocations.id,
        rows.flatMap(({ result }) => (result as ItemResult | null)?.invocationId ?? []),
      ),
    );
  const verdicts = new Map(runs.map(({ id, verdict }) => [id, verdict]));
  return rows.map(({ projectId, status, error, result }) => {
    const { unchanged = false, copyId = null, invocationId = null } = (result ?? {}) as ItemResult;
    return {
      projectId,
      status,
      error: error as WorkError | null,
      projectName: names.get(projectId) ?? null,
      unchanged,
      copyId,
      invocationId,
      verdict: (invocationId !== null && verdicts.get(invocationId)) || null,
    };
  });
}

/** A recipe of an organization that the user is a member of. */
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
