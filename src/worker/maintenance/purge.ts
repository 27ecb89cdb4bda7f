/** Deletes what has expired: trash, exports, uploads, old views, keys, failures and tokens. */
import { and, eq, inArray, isNotNull, lt, or, sql } from 'drizzle-orm';
import { RESULTS_KEPT_DAYS } from '#storage/bulk/results.ts';
import { type Database, inTransaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { passwordResets, rateLimitHits, tokens } from '#storage/db/schema-accounts.ts';
import { auditLog } from '#storage/db/schema-collaboration.ts';
import { dataViews } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { idempotencyKeys } from '#storage/db/schema-system.ts';
import { bulkRequests, exports, uploads } from '#storage/db/schema-work.ts';

/** rows per transaction */
const BATCH = 100;
/** views not requested for this long are deleted, and created again on request */
const VIEW_DAYS = 30;
const ENDED_TOKEN_DAYS = 30;

export interface Purged {
  projects: number;
  exports: number;
  views: number;
  /** ids of uploads whose partial files can be deleted */
  uploadIds: string[];
}

/**
 * Deletes expired rows. Their blobs are then unreferenced and removed by the next sweep. Every step can be repeated, so
 * an interrupted run is completed by the next.
 */
export async function purgeDue(db: Database, trashDays: number, signal: AbortSignal): Promise<Purged> {
  const purged: Purged = { projects: 0, exports: 0, views: 0, uploadIds: [] };
  for (let count = BATCH; count === BATCH && !signal.aborted; purged.projects += count) {
    count = await purgeTrash(db, trashDays);
  }
  purged.exports = (await forgetExports(db)) + (await forgetResultArchives(db));
  purged.views = await forgetViews(db);
  purged.uploadIds = await forgetUploads(db);
  await db.delete(idempotencyKeys).where(lt(idempotencyKeys.expiresAt, sql`now()`));
  await db.delete(rateLimitHits).where(lt(rateLimitHits.at, sql`now() - interval '1 day'`));
  await db.delete(passwordResets).where(lt(passwordResets.expiresAt, sql`now() - interval '1 day'`));
  const ended = sql`now() - make_interval(days => ${ENDED_TOKEN_DAYS})`;
  await db.delete(tokens).where(or(lt(tokens.expiresAt, ended), lt(tokens.revokedAt, ended)));
  return purged;
}

/** Projects whose time in the trash is over, with everything that belongs to them. */
async function purgeTrash(db: Database, trashDays: number): Promise<number> {
  return inTransaction(db, async (tx) => {
    const due = await tx
      .select()
      .from(projects)
      .where(
        and(
          eq(projects.state, 'deleted'),
          isNotNull(projects.deletedAt),
          lt(projects.deletedAt, sql`now() - make_interval(days => ${trashDays})`),
        ),
      )
      .orderBy(projects.deletedAt)
      .limit(BATCH)
      .for('update', { skipLocked: true });
    if (due.length === 0) return 0;
    await tx.delete(projects).where(
      inArray(
        projects.id,
        due.map(({ id }) => id),
      ),
    );
    await tx.insert(auditLog).values(
      due.map(({ id, organizationId, name, deletedAt }) => ({
        organizationId,
        action: 'purge',
        resource: 'project',
        resourceId: id,
        projectId: id,
        detail: { name, deletedAt: deletedAt?.toISOString() ?? null },
      })),
    );
    for (const { id, organizationId, workspaceId } of due) {
      await notify(tx, {
        type: 'deleted',
        resource: 'project',
        id,
        projectId: id,
        organizationId,
        workspaceId,
      });
    }
    return due.length;
  });
}

/** Removes the archives of expired exports; the rows remain and say so. */
async function forgetExports(db: Database): Promise<number> {
  const forgotten = await db
    .update(exports)
    .set({ blobKey: null })
    .where(and(isNotNull(exports.blobKey), lt(exports.expiresAt, sql`now()`)))
    .returning({ id: exports.id });
  return forgotten.length;
}

/** Removes expired archives of results; the requests remain and say so. */
async function forgetResultArchives(db: Database): Promise<number> {
  const forgotten = await db
    .update(bulkRequests)
    .set({ blobKey: null })
    .where(
      and(
        isNotNull(bulkRequests.blobKey),
        lt(bulkRequests.finishedAt, sql`now() - make_interval(days => ${RESULTS_KEPT_DAYS})`),
      ),
    )
    .returning({ id: bulkRequests.id });
  return forgotten.length;
}

async function forgetViews(db: Database): Promise<number> {
  const forgotten = await db
    .delete(dataViews)
    .where(lt(dataViews.lastUsedAt, sql`now() - make_interval(days => ${VIEW_DAYS})`))
    .returning({ id: dataViews.id });
  return forgotten.length;
}

async function forgetUploads(db: Database): Promise<string[]> {
  const forgotten = await db
    .update(uploads)
    .set({ status: 'cancelled', blobKey: null, updatedAt: sql`now()` })
    .where(and(eq(uploads.status, 'uploading'), lt(uploads.expiresAt, sql`now()`)))
    .returning({ id: uploads.id });
  return forgotten.map(({ id }) => id);
}
