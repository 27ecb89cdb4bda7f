/**
 * Packs the results of many projects into one zip in the blob store: a folder per project, every measured value in
 * `results.csv`, and `SHA256SUMS`. The zip is streamed a few projects at a time; a killed worker leaves no archive, and
 * the next one starts over.
 */

import { createHash } from 'node:crypto';
import { asc, eq } from 'drizzle-orm';
import { listMeasured } from '#contract/analyses/data-kinds.ts';
import { roundMeasured } from '#contract/analyses/quantities.ts';
import {
  kindTitles,
  listFitNumbers,
  quantityTitles,
  roundMeasurement,
} from '#contract/shapes/measurement.ts';
import { type CsvCell, writeCsv } from '#formats/csv/write-csv.ts';
import { writeZip, type ZipInput } from '#formats/zip/write-zip.ts';
import { safeName } from '#storage/blobs/file-name.ts';
import { permitted } from '#storage/bulk/plan.ts';
import { type BulkRow, lockBulk } from '#storage/bulk/requests.ts';
import {
  type MeasurementRow,
  noResults,
  type ResultFilter,
  resultMeasurements,
  resultObjects,
} from '#storage/bulk/results.ts';
import { among } from '#storage/db/among.ts';
import type { Executor } from '#storage/db/connection.ts';
import type { DataObjectRow } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { bulkItems, operations, recipeInvocations, recipeVersions } from '#storage/db/schema-work.ts';
import { countItems } from '#storage/work/bulk-items.ts';
import type { WorkerContext } from '../context.ts';
import { uniqueName } from '../exports/export-contents.ts';
import { listFiles } from '../list-files.ts';
import type { Outcome, Work } from '../work/work.ts';
import type { WorkRun } from '../work/work-run.ts';
import { type ItemOutcome, writeOutcomes } from './take-items.ts';

/** projects read from the database at once */
const PROJECTS_AT_ONCE = 50;

type ProjectRow = typeof projects.$inferSelect;
interface Item {
  id: string;
  projectId: string;
}

/** Packs all items of a `downloadResults` request. */
export async function packResults(work: Work<'bulk'>): Promise<Outcome> {
  const { row, context, run, blobs } = work;
  const items = await context.db
    .select({ id: bulkItems.id, projectId: bulkItems.projectId })
    .from(bulkItems)
    .where(eq(bulkItems.bulkRequestId, row.id))
    .orderBy(asc(bulkItems.position));
  const outcomes = new Map<string, ItemOutcome>();
  const contents = new ResultContents(context, row, items, outcomes, run);
  const { key } = await blobs.put('exports', writeZip(contents.inputs(), run.signal), 'application/zip');
  const isFull = [...outcomes.values()].some(({ status }) => status === 'completed');
  return {
    status: isFull ? 'completed' : 'failed',
    values: { blobKey: isFull ? key : null },
    async write(tx) {
      await lockBulk(tx, row.id);
      await writeOutcomes(tx, outcomes);
      await countItems(tx, row.id);
    },
  };
}

/** The files of the archive in order, each read when it is needed. */
class ResultContents {
  readonly #context: WorkerContext;
  readonly #row: BulkRow;
  readonly #items: Item[];
  readonly #outcomes: Map<string, ItemOutcome>;
  readonly #run: WorkRun;
  readonly #sums: string[] = [];
  /** folder of each project that has results */
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

  get #filter(): ResultFilter {
    const { recipePk, recipeVersionId } = this.#row.parameters;
    return {
      recipeId: typeof recipePk === 'string' ? recipePk : undefined,
      recipeVersionId: typeof recipeVersionId === 'string' ? recipeVersionId : undefined,
    };
  }

  async *inputs(): AsyncGenerator<ZipInput> {
    const taken = new Set<string>(['results.csv', 'sha256sums']);
    let done = 0;
    for (let from = 0; from < this.#items.length; from += PROJECTS_AT_ONCE) {
      const items = this.#items.slice(from, from + PROJECTS_AT_ONCE);
      const { allowed, rows, objects, measured, runs } = await this.#read(items);
      for (const { id, projectId } of items) {
        const refused = allowed.get(projectId);
        const row = rows.get(projectId);
        const own = objects.get(projectId) ?? [];
        const byHand = measured.get(projectId) ?? [];
        if (refused || !row || own.length + byHand.length === 0) {
          this.#outcomes.set(id, { status: 'failed', error: refused ?? noResults(this.#filter.recipeId) });
        } else {
          const folder = uniqueName(safeName(row.name), taken);
          this.#folders.set(projectId, folder);
          yield* this.#filesOf(folder, own);
          const lines = [...listValues(row, folder, own, runs), ...listMeasurements(row, folder, byHand)];
          yield this.#small(`${folder}/results.csv`, writeCsv([csvHead, ...lines]));
          this.#outcomes.set(id, { status: 'completed' });
        }
        this.#run.report((0.95 * ++done) / this.#items.length);
      }
    }
    yield this.#hashed('results.csv', this.#allValues());
    yield { path: 'SHA256SUMS', data: Buffer.from(this.#sums.map((line) => `${line}\n`).join('')) };
  }

  /** Refusals, projects and results of these items. */
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
    const objects = await resultObjects(db, allowed, this.#filter);
    const measured = await resultMeasurements(db, allowed, this.#filter);
    return {
      allowed: refused,
      rows: new Map(found.map((row) => [row.id, row])),
      objects: Map.groupBy(objects, ({ projectId }) => projectId),
      measured: Map.groupBy(measured, ({ projectId }) => projectId),
      runs: await readRuns(db, objects),
    };
  }

  async *#filesOf(folder: string, objects: DataObjectRow[]): AsyncGenerator<ZipInput> {
    const { db, store } = this.#context;
    const files = await listFiles(
      db,
      objects.map(({ id }) => id),
    );
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

  /** Every value of every project, read again a few projects at a time. */
  async *#allValues(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(writeCsv([csvHead]));
    const ids = [...this.#folders.keys()];
    for (let from = 0; from < ids.length; from += PROJECTS_AT_ONCE) {
      const part = ids.slice(from, from + PROJECTS_AT_ONCE).map((projectId) => ({ id: '', projectId }));
      const { rows, objects, measured, runs } = await this.#read(part);
      for (const { projectId } of part) {
        const row = rows.get(projectId);
        if (!row) continue;
        const folder = this.#folders.get(projectId) ?? '';
        const lines = [
          ...listValues(row, folder, objects.get(projectId) ?? [], runs),
          ...listMeasurements(row, folder, measured.get(projectId) ?? []),
        ];
        if (lines.length > 0) yield Buffer.from(writeCsv(lines));
      }
      this.#run.report(0.95 + (0.05 * (from + part.length)) / ids.length);
    }
  }

  #small(path: string, text: string): ZipInput {
    const data = Buffer.from(text);
    this.#sums.push(`${createHash('sha256').update(data).digest('hex')}  ${path}`);
    return { path, data };
  }

  /** Computes the checksum of a stream as it passes. @throws Error when it differs from the expected one */
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
  'recipe',
  'recipeVersion',
  'gate',
  'comparison',
  'limit',
  'limitUnit',
  'guardBand',
  'gateVerdict',
  'measure',
  'label',
  'value',
  'unit',
  // Expanded (k = 2), in the unit of the value.
  'uncertainty',
];

/** The run in which a result was made, and its step. */
interface ResultRun {
  stepKey: string | null;
  definition: (typeof recipeInvocations.$inferSelect)['definition'];
  gates: (typeof recipeInvocations.$inferSelect)['gates'];
  recipe: string | null;
  version: number | null;
}

/** Keyed by the operation that made the result; results made outside of a run have none. */
async function readRuns(db: Executor, objects: DataObjectRow[]): Promise<Map<string, ResultRun>> {
  const rows = await db
    .select({
      operationId: operations.id,
      stepKey: operations.stepKey,
      definition: recipeInvocations.definition,
      gates: recipeInvocations.gates,
      recipe: recipeVersions.name,
      version: recipeVersions.version,
    })
    .from(operations)
    .innerJoin(recipeInvocations, eq(recipeInvocations.id, operations.invocationId))
    .leftJoin(recipeVersions, eq(recipeVersions.id, recipeInvocations.recipeVersionId))
    .where(
      among(
        operations.id,
        objects.flatMap(({ createdByOperationId }) => createdByOperationId ?? []),
      ),
    );
  return new Map(rows.map(({ operationId, ...run }) => [operationId, run]));
}

/** One row for each gate on the measure, or one without a gate. */
function gateCells(run: ResultRun | undefined, path: string): CsvCell[][] {
  const recipe = [run?.recipe ?? null, run?.version ?? null];
  const gates = run?.definition.gates.filter(({ measure }) => measure === `${run.stepKey}.${path}`) ?? [];
  if (run === undefined || gates.length === 0) return [[...recipe, ...Array<null>(6).fill(null)]];
  return gates.map(({ key, comparison, limit, unit, guardBand }) => {
    const judged = run.gates.find((gate) => gate.key === key);
    return [...recipe, key, comparison, limit, unit, judged?.guardBand ?? guardBand, judged?.verdict ?? null];
  });
}

const partCells = (row: ProjectRow, folder: string): CsvCell[] => [
  folder,
  row.id,
  row.name,
  row.partNumber,
  row.serialNumber,
  row.lot,
  row.verdict,
];

const listValues = (
  row: ProjectRow,
  folder: string,
  objects: DataObjectRow[],
  runs: ReadonlyMap<string, ResultRun>,
): CsvCell[][] =>
  objects.flatMap((object) =>
    listMeasured(object).flatMap(({ measure, ...exact }) => {
      const { value, expanded, unit } = roundMeasured(exact.value, measure.quantity, exact.expanded);
      return gateCells(runs.get(object.createdByOperationId ?? ''), measure.path).map((gate) => [
        ...partCells(row, folder),
        ...[object.id, object.kind, object.name, object.createdAt.toISOString()],
        ...gate,
        measure.path,
        measure.label,
        value,
        unit,
        expanded,
      ]);
    }),
  );

/** Manual measurements, under their names, on the data object they were measured on. */
const listMeasurements = (row: ProjectRow, folder: string, measured: MeasurementRow[]): CsvCell[][] =>
  measured.flatMap(({ dataObjectId, kind, name, createdAt, result }) => {
    const values = result.values.map((exact) => {
      const { value, expanded } = roundMeasurement(exact);
      return {
        name: exact.quantity,
        title: quantityTitles[exact.quantity],
        value,
        unit: exact.unit,
        expanded,
      };
    });
    const fit = listFitNumbers(result.feature).map((each) => ({ ...each, expanded: null }));
    return [...values, ...fit].map((each): CsvCell[] => [
      ...partCells(row, folder),
      ...[dataObjectId, 'measurement', name, createdAt.toISOString()],
      ...gateCells(undefined, '').flat(),
      ...[`${kind}.${each.name}`, `${kindTitles[kind]}: ${each.title}`],
      ...[each.value, each.unit, each.expanded],
    ]);
  });
