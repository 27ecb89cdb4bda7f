/** An export from its claim to its end: one zip in the blob store, or nothing. */
import { eq } from 'drizzle-orm';
import { inTransaction } from '#storage/db/connection.ts';
import { users } from '#storage/db/schema-accounts.ts';
import { writeNotification } from '#storage/db/write-notification.ts';
import { CancelRequested } from '#storage/queue/cancel.ts';
import type { JobContext } from '#storage/queue/worker.ts';
import { canSendMail, sendMail } from '#storage/send-mail.ts';
import type { WorkerContext } from '../context.ts';
import { describeFailure, WorkFailure } from '../operations/operation-work.ts';
import { WorkBlobs } from '../work-blobs.ts';
import { WorkLost, WorkRun } from '../work-run.ts';
import { exportEntries, exportFileName } from './export-contents.ts';
import { type ClaimedExport, claimExport, endExport, writeExportProgress } from './export-store.ts';
import { writeArchive } from './write-archive.ts';

const KEPT_DAYS = 7;

/** Handles one job of the queue `export`; ends in the row, and throws only when the job has to be taken again. */
export async function runExport(
  context: WorkerContext,
  { exportId }: { exportId: string },
  job: Pick<JobContext, 'signal'>,
): Promise<void> {
  const claimed = await claimExport(context.db, exportId);
  if (!claimed) return;
  const run = new WorkRun(job.signal, (progress) => writeExportProgress(context.db, claimed, progress));
  const blobs = new WorkBlobs(context.db, context.store, run.signal);
  try {
    const made = await makeArchive(context, claimed, run, blobs);
    run.signal.throwIfAborted();
    await run.end();
    const isWritten = await inTransaction(context.db, async (tx) => {
      const isOurs = await endExport(tx, claimed, { status: 'completed', progress: 1, ...made });
      if (isOurs && claimed.createdBy) {
        await writeNotification(tx, notificationOf(claimed, claimed.createdBy, 'is ready', made.fileName));
      }
      return isOurs;
    });
    if (!isWritten) return await blobs.discard();
  } catch (error) {
    await run.end();
    await blobs.discard();
    if (!run.signal.aborted) return fail(context, claimed, error);
    if (run.signal.reason instanceof WorkLost) return;
    if (!(run.signal.reason instanceof CancelRequested)) throw error;
    await inTransaction(context.db, (tx) => endExport(tx, claimed, { status: 'cancelled' }));
    return;
  }
  context.log.info({ exportId, seconds: run.seconds }, 'export completed');
  await mailRequester(context, claimed);
}

async function makeArchive(
  { db, store, version }: WorkerContext,
  claimed: ClaimedExport,
  run: WorkRun,
  blobs: WorkBlobs,
) {
  const { project, config } = claimed;
  const entries = await exportEntries(db, store, project.id, config);
  if (entries.length === 0) {
    throw new WorkFailure(
      'NOTHING_TO_EXPORT',
      'The project has no data of the chosen kinds; choose others, or run an analysis first.',
    );
  }
  const total = entries.reduce((sum, { expectedBytes }) => sum + expectedBytes, 0);
  const createdAt = new Date();
  let passed = 0;
  const archive = writeArchive({
    store,
    project,
    config,
    entries,
    version,
    createdAt,
    signal: run.signal,
    onBytes: (bytes) => {
      passed += bytes;
      run.report(0.99 * (passed / Math.max(1, total)), 'Packing');
    },
  });
  const { key, sizeBytes, sha256 } = await blobs.put('exports', archive, 'application/zip');
  return {
    blobKey: key,
    sizeBytes,
    sha256,
    fileName: exportFileName(project, createdAt),
    exportGenerationTime: new Date(),
    expiresAt: new Date(Date.now() + KEPT_DAYS * 24 * 3600 * 1000),
  };
}

async function fail(context: WorkerContext, claimed: ClaimedExport, error: unknown): Promise<void> {
  const failure = describeFailure(error, claimed.id);
  if (failure.code === 'INTERNAL') context.log.error({ err: error, exportId: claimed.id }, 'export failed');
  await inTransaction(context.db, async (tx) => {
    const isOurs = await endExport(tx, claimed, { status: 'failed', error: failure });
    if (isOurs && claimed.createdBy) {
      await writeNotification(tx, notificationOf(claimed, claimed.createdBy, 'failed', failure.detail));
    }
  });
}

/** Ends an export whose job was given up by the queue after every attempt. */
export async function giveUpExport(context: WorkerContext, exportId: string, reason: string): Promise<void> {
  const claimed = await claimExport(context.db, exportId);
  if (claimed) await fail(context, claimed, new Error(`the queue gave the job up: ${reason}`));
}

function notificationOf({ id, project }: ClaimedExport, userId: string, outcome: string, body: string) {
  return {
    userId,
    organizationId: project.organizationId,
    kind: outcome === 'failed' ? 'export.failed' : 'export.completed',
    title: `Export ${outcome}: ${project.name}`,
    body,
    subject: { resource: 'export', id, projectId: project.id },
  };
}

/** A mail with the page's address: whoever follows it signs in there; no token travels by mail. */
async function mailRequester(context: WorkerContext, claimed: ClaimedExport): Promise<void> {
  const { config, db, log } = context;
  if (!claimed.sendToRequester || !claimed.createdBy || !canSendMail(config)) return;
  const [user] = await db.select().from(users).where(eq(users.id, claimed.createdBy));
  if (!user) return;
  const address = config.publicUrl ?? `http://${config.host}:${config.port}`;
  try {
    await sendMail(config, {
      to: user.email,
      subject: `Export ready: ${claimed.project.name}`,
      text: [
        `The export of “${claimed.project.name}” that you asked for is ready for ${KEPT_DAYS} days:`,
        '',
        `${address}/projects/${claimed.projectId}?tab=exports`,
        '',
        'Sign in there to download it.',
      ].join('\n'),
    });
  } catch (err) {
    // The notification in the dashboard has told him already.
    log.warn({ err, exportId: claimed.id }, 'the mail about an export could not be sent');
  }
}
