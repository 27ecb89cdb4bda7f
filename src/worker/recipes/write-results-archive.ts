import { createHash } from 'node:crypto';
import { roundMeasured, roundMeasuredAgainstLimit } from '#contract/analyses/quantities.ts';
import { splitMeasure } from '#contract/analyses/steps.ts';
import { writeCsv } from '#formats/csv/write-csv.ts';
import { writeZip, type ZipInput } from '#formats/zip/write-zip.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import { safeName } from '#storage/blobs/file-name.ts';
import type { FileRow } from '#storage/db/schema-data.ts';
import type { RunReport } from '../reports/report-content.ts';
import type { RunResults } from '../results/run-results.ts';

export interface ResultsArchive extends Omit<RunReport, 'files'> {
  store: BlobStore;
  /** the PDF */
  report: Uint8Array;
  signal: AbortSignal;
}

interface PlacedFile {
  path: string;
  file: FileRow;
}

/** Path of each result file in the archive: one folder per step. */
export function placedFiles({ steps }: RunResults): PlacedFile[] {
  const taken = new Set<string>();
  return steps.flatMap(({ key, dataObjects }) =>
    dataObjects.flatMap(({ row, files }, index) =>
      files.map((file) => {
        const folder = index === 0 ? safeName(key) : `${safeName(key)}/${safeName(row.name)}`;
        let path = `${folder}/${safeName(file.fileName)}`;
        for (let number = 2; taken.has(path.toLowerCase()); number++)
          path = `${folder}/${number}-${safeName(file.fileName)}`;
        taken.add(path.toLowerCase());
        return { path, file };
      }),
    ),
  );
}

/**
 * The archive of an invocation as a stream in constant memory: `report.pdf`, `results.json`, `results.csv`, the files
 * of every step, and `SHA256SUMS` for `sha256sum -c`.
 *
 * @throws Error when a stored file differs from the hash taken when it was written
 */
export function writeResultsArchive(options: ResultsArchive): AsyncGenerator<Uint8Array> {
  return writeZip(inputs(options), options.signal);
}

async function* inputs(options: ResultsArchive): AsyncGenerator<ZipInput> {
  const { store, results, report, createdAt: modified, signal } = options;
  const sums: string[] = [];
  const own = [
    { path: 'report.pdf', data: report },
    { path: 'results.json', data: utf8(`${JSON.stringify(resultsJson(options), undefined, 2)}\n`) },
    { path: 'results.csv', data: utf8(resultsCsv(results)) },
  ];
  for (const { path, data } of own) {
    sums.push(`${createHash('sha256').update(data).digest('hex')}  ${path}\n`);
    yield { path, data, modified };
  }
  for (const { path, file } of placedFiles(results)) {
    const hash = createHash('sha256');
    const bytes = await store.get(file.blobKey, undefined, signal);
    const measured = async function* () {
      for await (const part of bytes) {
        hash.update(part);
        yield part;
      }
    };
    yield { path, data: measured(), sizeBytes: file.sizeBytes, modified: file.createdAt };
    const sha256 = hash.digest('hex');
    if (sha256 !== file.sha256)
      throw new Error(`the stored file of ${path} is damaged: its SHA-256 is ${sha256}`);
    sums.push(`${sha256}  ${path}\n`);
  }
  yield { path: 'SHA256SUMS', data: utf8(sums.join('')), modified };
}

const utf8 = (text: string) => new TextEncoder().encode(text);

function resultsJson({ row, project, results, version, createdAt }: ResultsArchive): object {
  const paths = new Map(placedFiles(results).map(({ path, file }) => [file.id, path]));
  const { id, name, partNumber, serialNumber, lot, tags } = project;
  return {
    format: 'scanwright-recipe-results',
    formatVersion: 1,
    generator: `Scanwright ${version}`,
    createdAt: createdAt.toISOString(),
    project: { id, name, partNumber, serialNumber, lot, tags },
    recipe: row.recipeId
      ? {
          recipePk: row.recipeId,
          recipeVersionId: row.recipeVersionId,
          name: results.recipeName,
          version: results.version,
        }
      : null,
    invocation: {
      id: row.id,
      status: results.status,
      error: results.error,
      createdAt: row.createdAt.toISOString(),
      startedAt: row.startedAt?.toISOString() ?? null,
    },
    verdict: results.verdict,
    gates: results.gates,
    steps: results.steps.map(({ key, kind, title, needs, status, operation, values, dataObjects }) => ({
      key,
      operation: kind,
      title,
      needs,
      status,
      operationId: operation?.id ?? null,
      error: operation?.error ?? null,
      warnings: operation?.warnings ?? [],
      parameters: operation?.parameters ?? null,
      provenance: operation?.provenance ?? null,
      measures: values.map(({ measure, value, unit }) => ({
        measure: `${key}.${measure.path}`,
        label: measure.label,
        value,
        unit,
      })),
      dataObjects: dataObjects.map(({ row: object, files }) => ({
        id: object.id,
        kind: object.kind,
        name: object.name,
        metadata: object.metadata,
        files: files.map(({ id: fileId, sizeBytes, sha256 }) => ({
          path: paths.get(fileId),
          sizeBytes,
          sha256,
        })),
      })),
    })),
  };
}

const csvHead = [
  ...['row', 'step', 'measure', 'label', 'value', 'unit'],
  ...['gate', 'comparison', 'limit', 'guardBand', 'verdict'],
  'recipeVersion',
  // Expanded (k = 2), in the unit of the value.
  'uncertainty',
];

/**
 * One row per measured value, and one per gate in the gate's unit, rounded as in the report; the JSON has all digits.
 * The version is that of the recipe, empty for a pipeline.
 */
export const resultsCsv = ({ steps, gates, version }: RunResults): string =>
  writeCsv([
    csvHead,
    ...steps.flatMap(({ key, values }) =>
      values.map(({ measure, ...exact }) => {
        const { value, expanded, unit } = roundMeasured(exact.value, measure.quantity, exact.expanded);
        return [
          ...['measure', key, `${key}.${measure.path}`, measure.label, value, unit],
          ...[null, null, null, null, null, version, expanded],
        ];
      }),
    ),
    ...gates.map(
      ({ measure, label, measured, unit, key, comparison, limit, guardBand, verdict, uncertainty }) => [
        ...['gate', splitMeasure(measure).step, measure, label],
        ...[measured === null ? null : roundMeasuredAgainstLimit(measured, uncertainty, limit, unit), unit],
        ...[key, comparison, limit, guardBand, verdict, version],
        uncertainty && Number(uncertainty.toPrecision(2)),
      ],
    ),
  ]);
