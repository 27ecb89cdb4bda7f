/** An export: one zip in the blob store, or nothing. */
import { eq, sql } from 'drizzle-orm';
import { afterSeconds } from '#storage/db/after.ts';
import { users } from '#storage/db/schema-accounts.ts';
import { canSendMail, inOneLine, sendMail } from '#storage/send-mail.ts';
import { describeProject } from '../reports/report-content.ts';
import { writeReport } from '../reports/report-pdf.ts';
import { drawViews } from '../reports/report-views.ts';
import { WorkFailure } from '../work/describe-failure.ts';
import type { Outcome, Work } from '../work/work.ts';
import { exportEntries, exportFileName } from './export-contents.ts';
import { writeArchive } from './write-archive.ts';

const KEPT_DAYS = 7;

const kept = { exportGenerationTime: sql`now()`, expiresAt: afterSeconds(KEPT_DAYS * 24 * 3600) };

export async function runExport(work: Work<'export'>): Promise<Outcome> {
  const values = work.row.config.report ? await makeReport(work) : await makeArchive(work);
  return { values, afterwards: () => mailRequester(work) };
}

async function makeArchive({ row, project, context, run, blobs }: Work<'export'>) {
  const { db, store, version } = context;
  const { config } = row;
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
    ...kept,
  };
}

async function makeReport(work: Work<'export'>) {
  const { row, project, context, run, blobs } = work;
  const { db, store, version } = context;
  const createdAt = new Date();
  const views = await drawViews(work);
  const request = { requestedBy: row.createdBy, createdAt, version };
  const content = await describeProject(db, { project, views, ...request });
  if (content.sections.length === 0 && !content.volume)
    throw new WorkFailure(
      'NOTHING_TO_EXPORT',
      'There is nothing to report yet: upload a scan, or run an analysis first.',
    );
  run.report(0.9, 'Writing the report');
  const pdf = await writeReport(content, { store, version, createdAt, signal: run.signal });
  const bytes = (async function* () {
    yield pdf;
  })();
  const { key, sizeBytes, sha256 } = await blobs.put('exports', bytes, 'application/pdf');
  return {
    blobKey: key,
    sizeBytes,
    sha256,
    fileName: `report_${exportFileName(project, createdAt).replace(/\.zip$/, '.pdf')}`,
    ...kept,
  };
}

/** Sends a mail with the URL of the page. The recipient signs in there; mails contain no token. */
async function mailRequester({ row, project, context }: Work<'export'>): Promise<void> {
  const { config, db, log } = context;
  if (!row.sendToRequester || !row.createdBy || !canSendMail(config)) return;
  const [user] = await db.select().from(users).where(eq(users.id, row.createdBy));
  if (!user) return;
  const name = inOneLine(project.name);
  const address = config.publicUrl ?? `http://${config.host}:${config.port}`;
  try {
    await sendMail(config, {
      to: user.email,
      subject: `Export ready: ${name}`,
      text: [
        `The export of “${name}” that you requested is ready for ${KEPT_DAYS} days:`,
        '',
        `${address}/projects/${project.id}?tab=exports`,
        '',
        'Sign in there to download it.',
      ].join('\n'),
    });
  } catch (err) {
    // The notification in the dashboard has been sent already.
    log.warn({ err, exportId: row.id }, 'the mail about an export could not be sent');
  }
}
