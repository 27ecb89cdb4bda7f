/**
 * Bulk requests and their items, shared by service and worker. Their state is only in the database: each turn processes the
 * next items, and the request is woken whenever there may be more to do.
 */

import { and, desc, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import { accessibleProjects } from '../access/access.ts';
import type { Executor, Transaction } from '../db/connection.ts';
import { auditLog } from '../db/schema-collaboration.ts';
import { bulkItems, bulkRequests } from '../db/schema-work.ts';
import { insertRow } from '../db/take-row.ts';
import type { Actor } from '../projects/change-projects.ts';
import { type Step, type UndoableType, undoableTypes } from '../projects/decide.ts';
import { countItems } from '../work/bulk-items.ts';
import { endWork, requestWork, retryWork } from '../work/life.ts';

export type BulkRow = typeof bulkRequests.$inferSelect;
export type ItemRow = typeof bulkItems.$inferSelect;
export type BulkType = UndoableType | 'copy' | 'restore' | 'runRecipe' | 'downloadResults';

/** Result of an item, stored beside the state before. */
export interface ItemResult {
  /** state of the project after the change; undo is possible only while it is still the same */
  after?: Step['after'];
  /** for an undo: the change to revert */
  undo?: Step;
  /** the project needed no change */
  unchanged?: boolean;
  copyId?: string;
  invocationId?: string;
  [key: string]: unknown;
}

/** The inverse of each change. */
const undoTypes: Record<UndoableType, BulkType> = {
  archive: 'restore',
  delete: 'restore',
  move: 'move',
  addTags: 'removeTags',
  removeTags: 'addTags',
};

export const isUndoable = (type: string): type is UndoableType =>
  (undoableTypes as readonly string[]).includes(type);

/** Thrown when a request can't be retried or undone. */
export class BulkConflict extends Error {
  override name = 'BulkConflict';
}

export interface NewBulkRequest {
  type: BulkType;
  parameters: Record<string, unknown>;
  /** without duplicates */
  projectIds: readonly string[];
}

/** number of projects checked to determine the organization of a request */
const LOOKED_AT = 100;

async function findOrganization(
  tx: Executor,
  userId: string,
  ids: readonly string[],
): Promise<string | null> {
  const first = ids.slice(0, LOOKED_AT);
  const seen = await accessibleProjects(tx, userId, first, { withDeleted: true });
  const known = first.find((id) => seen.has(id));
  return known === undefined ? null : (seen.get(known)?.organizationId ?? null);
}

/** Creates a bulk request; its work is queued when `tx` commits. */
export async function createBulkRequest(
  tx: Transaction,
  actor: Actor,
  { type, parameters, projectIds }: NewBulkRequest,
): Promise<BulkRow> {
  const row = await insertRow(tx, bulkRequests, {
    organizationId: await findOrganization(tx, actor.userId, projectIds),
    operationType: type,
    parameters,
    totalCount: projectIds.length,
    createdBy: actor.userId,
  });
  await tx.execute(sql`
    insert into ${bulkItems} (bulk_request_id, project_id, position)
    select ${row.id}, id, place - 1
    from unnest(${sql.param([...projectIds])}::uuid[]) with ordinality as ids(id, place)`);
  await announce(tx, actor, row);
  return row;
}

async function announce(tx: Transaction, actor: Actor, row: BulkRow): Promise<void> {
  await requestWork(tx, 'bulk', row);
  if (row.organizationId !== null) {
    await tx.insert(auditLog).values({
      organizationId: row.organizationId,
      userId: actor.userId,
      userEmail: actor.email,
      action: `bulk.${row.operationType}`,
      resource: 'bulkRequest',
      resourceId: row.id,
      detail: { totalCount: row.totalCount, ...(row.undoOf === null ? {} : { undoOf: row.undoOf }) },
    });
  }
}

/** Locks and returns the row; required for changing its items. */
export async function lockBulk(tx: Transaction, id: string): Promise<BulkRow | undefined> {
  const [row] = await tx.select().from(bulkRequests).where(eq(bulkRequests.id, id)).for('update');
  return row;
}

/** The request that undoes this one, if any. */
export async function findUndo(db: Executor, id: string): Promise<BulkRow | undefined> {
  const [row] = await db
    .select()
    .from(bulkRequests)
    .where(eq(bulkRequests.undoOf, id))
    .orderBy(desc(bulkRequests.createdAt))
    .limit(1);
  return row;
}

/** Why the request can't be retried; null when it can. */
export function reasonAgainstRetry(row: BulkRow, hasUndo: boolean): string | null {
  if (row.finishedAt === null) return `it is ${row.status}; wait until it has ended`;
  if (row.failedCount + row.cancelledCount === 0) return 'no item failed or was cancelled';
  if (hasUndo) return 'it was undone; start a new request instead';
  return null;
}

/** Why the request can't be undone; null when it can. */
export function reasonAgainstUndo(row: BulkRow, hasUndo: boolean): string | null {
  if (row.undoOf !== null) return 'it is an undo itself; start a new request instead';
  if (!isUndoable(row.operationType)) return `${row.operationType} can’t be undone`;
  if (row.finishedAt === null) return `it is ${row.status}; cancel it, or wait until it has ended`;
  if (hasUndo) return 'it has already been undone';
  if (row.completedCount === 0) return 'it changed nothing';
  return null;
}

/** Retries the failed and cancelled items. @throws BulkConflict */
export async function retryBulk(tx: Transaction, id: string): Promise<BulkRow | undefined> {
  const before = await lockBulk(tx, id);
  if (!before) return undefined;
  const reason = reasonAgainstRetry(before, (await findUndo(tx, id)) !== undefined);
  if (reason !== null) throw new BulkConflict(reason);
  // An archive is always packed completely.
  const isWhole = before.operationType === 'downloadResults';
  await tx
    .update(bulkItems)
    .set({ status: 'pending', error: null, startedAt: null, finishedAt: null })
    .where(
      and(
        eq(bulkItems.bulkRequestId, id),
        isWhole ? undefined : inArray(bulkItems.status, ['failed', 'cancelled']),
      ),
    );
  const { progress } = await countItems(tx, id);
  return (await retryWork(tx, 'bulk', id, { progress }, [before.status])) as BulkRow | undefined;
}

/** Reverts a request's change on each project that has not changed since. @throws BulkConflict */
export async function undoBulk(tx: Transaction, actor: Actor, id: string): Promise<BulkRow | undefined> {
  const before = await lockBulk(tx, id);
  if (!before) return undefined;
  const reason = reasonAgainstUndo(before, (await findUndo(tx, id)) !== undefined);
  if (reason !== null || !isUndoable(before.operationType)) throw new BulkConflict(reason ?? '');
  const changed = and(
    eq(bulkItems.bulkRequestId, id),
    eq(bulkItems.status, 'completed'),
    isNotNull(bulkItems.before),
  );
  const totalCount = await tx.$count(bulkItems, changed);
  if (totalCount === 0) throw new BulkConflict('it changed nothing');
  const row = await insertRow(tx, bulkRequests, {
    organizationId: before.organizationId,
    operationType: undoTypes[before.operationType],
    parameters: before.parameters,
    totalCount,
    createdBy: actor.userId,
    undoOf: id,
  });
  await tx.execute(sql`
    insert into ${bulkItems} (bulk_request_id, project_id, position, result)
    select ${row.id}, project_id, row_number() over (order by position) - 1,
      jsonb_build_object('undo', jsonb_build_object('before', before, 'after', result -> 'after'))
    from ${bulkItems} where ${changed}`);
  await announce(tx, actor, row);
  return row;
}

/** Finishes the request when all its items are finished; otherwise returns undefined. */
export async function endIfOver(tx: Transaction, row: BulkRow): Promise<BulkRow | undefined> {
  const { completedCount, failedCount, cancelledCount, totalCount, error } = row;
  if (completedCount + failedCount + cancelledCount < totalCount) return undefined;
  const values = { progress: 1, error };
  const status = cancelledCount > 0 ? 'cancelled' : completedCount === 0 ? 'failed' : 'completed';
  return (await endWork(tx, 'bulk', row.id, { status, values })) as BulkRow | undefined;
}
