import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import { sweepBlobs } from '#storage/blobs/sweep.ts';
import type { Config } from '#storage/config.ts';
import { uploadFile, uploadFolder } from '#storage/data-folder.ts';
import type { Database } from '#storage/db/connection.ts';
import { settings } from '#storage/db/schema-system.ts';
import { operations, uploads } from '#storage/db/schema-work.ts';
import type { WorkerContext } from '../context.ts';
import { purgeDue } from './purge.ts';

const DAY_MS = 24 * 3600 * 1000;
const HOUR_MS = DAY_MS / 24;
const SETTING = 'maintenance';
/** time of day, UTC */
const TIME = '02:17';

/** Lets exactly one of all workers do each night's maintenance. A missed one is made up for by the next. */
export function startMaintenance(context: WorkerContext): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const look = () => {
    running = running
      .then(async () => {
        if (await isDue(context.db)) await runMaintenance(context, stopping.signal);
      })
      .catch((err: unknown) => {
        if (!stopping.signal.aborted) context.log.warn({ err }, 'maintenance failed');
      });
  };
  const timer = setInterval(look, HOUR_MS / 4);
  look();
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort(new Error('the worker ends'));
      await running;
    },
  };
}

/** Whether last night's maintenance has not been done yet; if so, the caller has claimed it. */
async function isDue(db: Database): Promise<boolean> {
  const night = sql`to_jsonb((now() at time zone 'UTC' - ${TIME}::time)::date::text)`;
  await db.insert(settings).values({ key: SETTING, value: night }).onConflictDoNothing();
  const [mine] = await db
    .update(settings)
    .set({ value: night, updatedAt: sql`now()` })
    .where(and(eq(settings.key, SETTING), sql`${settings.value} <> ${night}`))
    .returning({ key: settings.key });
  return mine !== undefined;
}

/** Deletes expired rows first, then unreferenced bytes. */
export async function runMaintenance(context: WorkerContext, signal: AbortSignal): Promise<void> {
  const { db, store, config, log } = context;
  const { uploadIds, ...purged } = await purgeDue(db, config.trashDays, signal);
  for (const id of uploadIds) await removeUpload(config, id);
  const files = await removeForgottenUploads(config, db);
  signal.throwIfAborted();
  const blobs = await sweepBlobs(db, store);
  log.info({ ...purged, uploads: uploadIds.length + files, blobs }, 'maintenance done');
}

async function removeUpload(config: Config, id: string): Promise<void> {
  await rm(uploadFile(config, id), { force: true });
  await rm(`${uploadFile(config, id)}.json`, { force: true });
}

/**
 * Removes files of the upload folder that will not be used any more: those without a row, of a successful import, or of
 * one that failed or was cancelled longer ago than uploads are kept.
 */
async function removeForgottenUploads(config: Config, db: Database): Promise<number> {
  const names = await readdir(uploadFolder(config)).catch(() => []);
  const ids = names.filter((name) => /^[0-9a-f-]{36}$/.test(name));
  const old: string[] = [];
  for (const id of ids) {
    const found = await stat(path.join(uploadFolder(config), id)).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > DAY_MS) old.push(id);
  }
  if (old.length === 0) return 0;
  const rows = await db
    .select({ id: uploads.id, status: uploads.status, ingest: operations })
    .from(uploads)
    .leftJoin(operations, eq(operations.id, uploads.operationId))
    .where(and(inArray(uploads.id, old), isNull(uploads.blobKey)));
  const known = new Map(rows.map((row) => [row.id, row]));
  const kept = Date.now() - config.uploadDays * DAY_MS;
  const forgotten = old.filter((id) => {
    const row = known.get(id);
    if (!row || row.status === 'cancelled' || row.ingest?.status === 'completed') return true;
    const endedAt = row.ingest?.finishedAt?.getTime();
    return endedAt !== undefined && endedAt < kept;
  });
  for (const id of forgotten) await removeUpload(config, id);
  return forgotten.length;
}
