/**
 * The results of many projects as one zip in the blob store: a folder a project, every measured value in
 * `results.csv`, and `SHA256SUMS`. It is written as a stream, some projects at a time; a worker that is killed
 * leaves no archive, and the next one packs anew.
 */

import { createHash } from 'node:crypto';
import { asc, eq, sql } from 'drizzle-orm';
import { writeZip, type ZipInput } from '#formats/zip/write-zip.ts';
import { permitted } from '#storage/bulk/plan.ts';
import { type BulkRow, cancelWaiting, lockBulk, tellBulk } from '#storage/bulk/requests.ts';
import { measuredNumbers, noResults, resultObjects } from '#storage/bulk/results.ts';
import { among } from '#storage/db/among.ts';
import { type Database, inTransaction } from '#storage/db/connection.ts';
import { dataObjectFiles, type dataObjects } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { bulkItems, bulkRequests } from '#storage/db/schema-work.ts';
import { CancelRequested } from '#storage/queue/cancel.ts';
import type { WorkerContext } from '../context.ts';
import { safeName, uniqueName } from '../exports/export-contents.ts';
import { describeFailure } from '../operations/operation-work.ts';
import { WorkBlobs } from '../work-blobs.ts';
import { WorkLost, WorkRun } from '../work-run.ts';
import { type ItemOutcome, settle, writeOutcomes } from './take-items.ts';

/** what is read of the database at once */
const PROJECTS_AT_ONCE = 50;

type ProjectRow = typeof projects.$inferSelect;
type DataObjectRow = typeof dataObjects.$inferSelect;
interface Item {
  id: string;
  projectId: string;
}

/** Marks it as begun, or ends it when it was cancelled before; then there is nothing to pack. */
async function begin(db: Database, id: string): Promise<BulkRow | undefined> {
  return inTransaction(db, async (tx) => {
    const row = await lockBulk(tx, id);
    if (!row || row.finishedAt !== null) return undefined;
    if (row.cancelRequestedAt !== null) {
      await cancelWaiting(tx, id);
      await settle(tx, row);
      return undefined;
    }
    await tx
      .update(bulkRequests)
      .set({ status: 'processing', progress: 0, startedAt: sql`now()` })
      .where(eq(bulkRequests.id, id));
    await tellBulk(tx, 'updated', row);
    return row;
  });
}

const writeProgress = (db: Database, row: BulkRow, progress: number): Promise<boolean> =>
  inTransaction(db, async (tx) => {
    const [written] = await tx
      .update(bulkRequests)
      .set({ progress })
      .where(sql`${bulkRequests.id} = ${row.id} and ${bulkRequests.finishedAt} is null`)
      .returning({ id: bulkRequests.id });
    await tellBulk(tx, 'updated', row);
    return written !== undefined;
  });

/** Packs all items of a request `downloadResults`; ends in the rows. */
export async function packResults(context: WorkerContext, id: string, signal: AbortSignal): Promise<void> {
  const { db, store } = context;
  const row = await begin(db, id);
  if (!row) return;
  const run = new WorkRun(signal, (progress) => writeProgress(db, row, progress));
  const blobs = new WorkBlobs(db, store, run.signal);
  const outcomes = new Map<string, ItemOutcome>();
  try {
    const items = await db
      .select({ id: bulkItems.id, projectId: bulkItems.projectId })
      .from(bulkItems)
      .where(eq(bulkItems.bulkRequestId, id))
      .orderBy(asc(bulkItems.position));
    const contents = new ResultContents(context, row, items, outcomes, run);
    const { key } = await blobs.put('exports', writeZip(contents.inputs(), run.signal), 'application/zip');
    run.signal.throwIfAborted();
    await run.end();
    const isFull = [...outcomes.values()].some(({ status }) => status === 'completed');
    const isWritten = await inTransaction(db, async (tx) => {
      const now = await lockBulk(tx, id);
      if (!now || now.finishedAt !== null) return false;
      await writeOutcomes(tx, outcomes);
      if (isFull) await tx.update(bulkRequests).set({ blobKey: key }).where(eq(bulkRequests.id, id));
      await settle(tx, now);
      return isFull;
    });
    if (!isWritten) await blobs.discard();
    context.log.info({ bulkRequestId: id, seconds: run.seconds }, 'results packed');
  } catch (error) {
    await run.end();
    await blobs.discard();
    if (run.signal.aborted && run.signal.reason instanceof WorkLost) return;
    const isCancelled = run.signal.aborted && run.signal.reason instanceof CancelRequested;
    if (run.signal.aborted && !isCancelled) throw error;
    const failure = isCancelled ? null : describeFailure(error, id);
    if (failure?.code === 'INTERNAL') context.log.error({ err: error, bulkRequestId: id }, 'packing failed');
    await inTransaction(db, async (tx) => {
      const now = await lockBulk(tx, id);
      if (!now || now.finishedAt !== null) return;
      if (failure === null) await cancelWaiting(tx, id);
      else {
        await tx.update(bulkRequests).set({ error: failure }).where(eq(bulkRequests.id, id));
        await tx
          .update(bulkItems)
          .set({ status: 'failed', error: failure, finishedAt: sql`now()` })
          .where(eq(bulkItems.bulkRequestId, id));
      }
      await settle(tx, now);
    });
  }
}

/** The files of the archive in their order, each read when its turn comes. */
class ResultContents {
  readonly #context: WorkerContext;
  readonly #row: BulkRow;
  readonly #items: Item[];
  readonly #outcomes: Map<string, ItemOutcome>;
  readonly #run: WorkRun;
  readonly #sums: string[] = [];
  /** folders by project, of those that have results */
  readonly #folders = new Map<string, string>();

  constructor(
    context: WorkerContext,
    row: BulkRow,
    items: Item[],
    outcomes: Map<string, ItemOutcome>,
    run: WorkRun,
  ) {
    this.#context = context;
    this.#row = row;
    this.#items = items;
    this.#outcomes = outcomes;
    this.#run = run;
  }

  get #recipeId(): string | undefined {
    const { recipePk } = this.#row.parameters;
    return typeof recipePk === 'string' ? recipePk : undefined;
  }

  async *inputs(): AsyncGenerator<ZipInput> {
    const taken = new Set<string>(['results.csv', 'sha256sums']);
    let done = 0;
    for (let from = 0; from < this.#items.length; from += PROJECTS_AT_ONCE) {
      const items = this.#items.slice(from, from + PROJECTS_AT_ONCE);
      const { allowed, rows, objects } = await this.#read(items);
      for (const { id, projectId } of items) {
        const refused = allowed.get(projectId);
        const row = rows.get(projectId);
        const own = objects.get(projectId) ?? [];
        if (refused || !row || own.length === 0) {
          this.#outcomes.set(id, { status: 'failed', error: refused ?? noResults(this.#recipeId) });
        } else {
          const folder = uniqueName(safeName(row.name), taken);
          this.#folders.set(projectId, folder);
          yield* this.#filesOf(folder, own);
          yield this.#small(`${folder}/results.csv`, csv([csvHead, ...rowsOf(row, folder, own)]));
          this.#outcomes.set(id, { status: 'completed' });
        }
        this.#run.report((0.95 * ++done) / this.#items.length);
      }
    }
    yield this.#hashed('results.csv', this.#allValues());
    yield { path: 'SHA256SUMS', data: Buffer.from(this.#sums.map((line) => `${line}\n`).join('')) };
  }

  /** What is to be packed of these items: refusals, projects and results. */
  async #read(items: Item[]) {
    const { db } = this.#context;
    const ids = items.map(({ projectId }) => projectId);
    const { allowed, refused } = await permitted(
      db,
      this.#row.createdBy,
      ids,
      { withDeleted: false },
      'viewer',
    );
    const found = await db.select().from(projects).where(among(projects.id, allowed));
    const objects = await resultObjects(db, allowed, this.#recipeId);
    return {
      allowed: refused,
      rows: new Map(found.map((row) => [row.id, row])),
      objects: Map.groupBy(objects, ({ projectId }) => projectId),
    };
  }

  async *#filesOf(folder: string, objects: DataObjectRow[]): AsyncGenerator<ZipInput> {
    const { db, store } = this.#context;
    const files = await db
      .select()
      .from(dataObjectFiles)
      .where(
        among(
          dataObjectFiles.dataObjectId,
          objects.map(({ id }) => id),
        ),
      )
      .orderBy(asc(dataObjectFiles.fileName));
    const names = new Set<string>(['results.csv']);
    for (const object of objects) {
      const place = `${folder}/${uniqueName(safeName(object.name), names)}`;
      const own = new Set<string>();
      for (const file of files.filter(({ dataObjectId }) => dataObjectId === object.id)) {
        const path = `${place}/${uniqueName(safeName(file.fileName), own)}`;
        const bytes = await store.get(file.blobKey, undefined, this.#run.signal);
        const input = this.#hashed(path, bytes, file.sha256);
        yield { ...input, sizeBytes: file.sizeBytes, modified: object.createdAt };
      }
    }
  }

  /** Every value of every project, read again some projects at a time. */
  async *#allValues(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(csv([csvHead]));
    const ids = [...this.#folders.keys()];
    for (let from = 0; from < ids.length; from += PROJECTS_AT_ONCE) {
      const part = ids.slice(from, from + PROJECTS_AT_ONCE).map((projectId) => ({ id: '', projectId }));
      const { rows, objects } = await this.#read(part);
      for (const { projectId } of part) {
        const row = rows.get(projectId);
        if (!row) continue;
        const lines = rowsOf(row, this.#folders.get(projectId) ?? '', objects.get(projectId) ?? []);
        if (lines.length > 0) yield Buffer.from(csv(lines));
      }
      this.#run.report(0.95 + (0.05 * (from + part.length)) / ids.length);
    }
  }

  #small(path: string, text: string): ZipInput {
    const data = Buffer.from(text);
    this.#sums.push(`${createHash('sha256').update(data).digest('hex')}  ${path}`);
    return { path, data };
  }

  /** A stream whose sum is taken as it passes. @throws Error when it is not the one expected */
  #hashed(path: string, bytes: AsyncIterable<Uint8Array>, expected?: string): ZipInput {
    const sums = this.#sums;
    const data = async function* () {
      const hash = createHash('sha256');
      for await (const part of bytes) {
        hash.update(part);
        yield part;
      }
      const sum = hash.digest('hex');
      if (expected !== undefined && sum !== expected) {
        throw new Error(`the stored file of ${path} is damaged: its SHA-256 is ${sum}`);
      }
      sums.push(`${sum}  ${path}`);
    };
    return { path, data: data() };
  }
}

const csvHead = [
  'folder',
  'projectId',
  'project',
  'partNumber',
  'serialNumber',
  'lot',
  'verdict',
  'dataObjectId',
  'kind',
  'result',
  'createdAt',
  'measure',
  'value',
  'unit',
];

const rowsOf = (row: ProjectRow, folder: string, objects: DataObjectRow[]): (string | number | null)[][] =>
  objects.flatMap((object) =>
    measuredNumbers(object.metadata).map(({ measure, value, unit }) => [
      folder,
      row.id,
      row.name,
      row.partNumber,
      row.serialNumber,
      row.lot,
      row.verdict,
      object.id,
      object.kind,
      object.name,
      object.createdAt.toISOString(),
      measure,
      value,
      unit,
    ]),
  );

/** Lines as RFC 4180 has them; a text that a spreadsheet would take for a formula is kept a text. */
function csv(lines: (string | number | null)[][]): string {
  const cell = (value: string | number | null): string => {
    if (value === null) return '';
    if (typeof value === 'number') return String(value);
    const plain = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
  };
  return lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}
