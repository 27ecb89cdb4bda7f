/** The report of an invocation: verdict, limits and what was measured, pictures, and what all of it rests on. */
import { desc, eq, inArray } from 'drizzle-orm';
import type { Provenance } from '#contract/shapes/operation.ts';
import { colorMap } from '#kernels/color/maps.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import type { Executor } from '#storage/db/connection.ts';
import { users } from '#storage/db/schema-accounts.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import type { InvocationRow } from '#storage/recipes/invocations.ts';
import type { ProjectRow } from './advance-invocation.ts';
import { type Cell, ink, ReportPages } from './pdf-layout.ts';
import { printable, setFont } from './report-fonts.ts';
import { type ReportPicture, scanPicture, surfacePicture } from './report-pictures.ts';
import type { DataObjectRow, GateResult, RunResults, StepResult } from './run-results.ts';
import { placedFiles } from './write-results-archive.ts';

export interface ReportOptions {
  db: Executor;
  store: BlobStore;
  row: InvocationRow;
  project: ProjectRow;
  results: RunResults;
  /** of this program */
  version: string;
  createdAt: Date;
  signal: AbortSignal;
}

const verdictWords = { pass: 'PASS', fail: 'FAIL', indeterminate: 'INDETERMINATE' } as const;
const comparisonWords = { '<': 'less than', '<=': 'at most', '>': 'more than', '>=': 'at least' } as const;

/** Six significant digits, without zeros at the end; units as they are written. */
export function formatValue(value: number | null, unit: string): string {
  if (value === null) return 'not measured';
  const digits = Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  if (unit === '') return digits;
  return unit === '%' ? `${digits} %` : `${digits} ${unit}`;
}

const moment = (at: Date | null): string =>
  at ? `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC` : '–';

/** The PDF, A4; some pages, however many defects there are: those are in the files beside it. */
export async function reportPdf(options: ReportOptions): Promise<Uint8Array> {
  const { db, row, project, results, version, createdAt, signal } = options;
  const recipe = results.recipeName
    ? `${results.recipeName}, version ${results.version}`
    : 'Pipeline (not saved)';
  const pages = new ReportPages({
    title: `Inspection report: ${project.name}`,
    author: `Scanwright ${version}`,
    createdAt,
  });
  const [requester] = row.createdBy ? await db.select().from(users).where(eq(users.id, row.createdBy)) : [];
  head(pages, project, results);
  pages.facts([
    ['Part number', project.partNumber ?? '–'],
    ['Recipe', recipe],
    ['Serial number', project.serialNumber ?? '–'],
    ['Run', row.id],
    ['Lot', project.lot ?? '–'],
    ['Requested by', requester ? requester.name || requester.email : '–'],
    ['Started', moment(row.startedAt)],
    ['Reported', moment(createdAt)],
  ]);
  if (results.error) pages.text(results.error.detail, { color: ink.fail, bold: true });
  gatesTable(pages, results.gates);
  await overview(pages, options);
  for (const step of results.steps) {
    signal.throwIfAborted();
    await stepSection(pages, options, step);
  }
  filesTable(pages, results);
  return pages.end(`Scanwright ${version}  ·  ${project.name}  ·  run ${row.id}`);
}

function head(pages: ReportPages, project: ProjectRow, { verdict, status }: RunResults): void {
  const { doc } = pages;
  const { y } = doc;
  const words = verdict ? verdictWords[verdict] : status === 'failed' ? 'INCOMPLETE' : 'NO VERDICT';
  const color = ink[verdict ?? 'none'];
  doc.font('Helvetica-Bold').fontSize(14);
  const badge = doc.widthOfString(words) + 28;
  doc
    .roundedRect(pages.left + pages.width - badge, y, badge, 32, 4)
    .fill(color)
    .fillColor('#ffffff')
    .text(words, pages.left + pages.width - badge, y + 10.5, {
      width: badge,
      align: 'center',
      lineBreak: false,
    });
  const width = pages.width - badge - 16;
  doc.font('Helvetica').fontSize(9).fillColor(ink.accent).text('INSPECTION REPORT', pages.left, y, {
    width,
    characterSpacing: 1.2,
  });
  const name = printable(project.name);
  const font = setFont(doc, name, { size: 19, bold: true, color: ink.text });
  doc.text(name, pages.left, y + 14, { ...font, width });
  doc.y = Math.max(doc.y, y + 36) + 10;
  doc
    .moveTo(pages.left, doc.y)
    .lineTo(pages.left + pages.width, doc.y)
    .lineWidth(0.75)
    .strokeColor(ink.line)
    .stroke();
  doc.y += 10;
}

function gatesTable(pages: ReportPages, gates: GateResult[]): void {
  if (gates.length === 0) return;
  pages.heading('Limits and verdicts');
  pages.table(
    [
      { title: 'Gate', share: 0.16 },
      { title: 'Characteristic', share: 0.29 },
      { title: 'Measured', share: 0.14, align: 'right' },
      { title: 'Limit', share: 0.18, align: 'right' },
      { title: 'Guard band', share: 0.13, align: 'right' },
      { title: 'Verdict', share: 0.1, align: 'right' },
    ],
    gates.map((gate): Cell[] => [
      { text: gate.key, bold: true },
      { text: gate.label },
      { text: formatValue(gate.measured, gate.unit) },
      { text: `${comparisonWords[gate.comparison]} ${formatValue(gate.limit, gate.unit)}` },
      { text: gate.guardBand === 0 ? 'none' : `± ${formatValue(gate.guardBand, gate.unit)}` },
      {
        text: gate.verdict === 'indeterminate' ? 'open' : (gate.verdict ?? '–'),
        bold: true,
        color: ink[gate.verdict ?? 'none'],
      },
    ]),
  );
  pages.text(
    'Decision rule after ISO 14253-1: a gate passes where the measured value keeps its limit by at least the guard band, fails where it misses it by more than the guard band, and is open (indeterminate) between. One gate that fails fails the part; without such a one, one that is open leaves the part open.',
    { size: 7.5, color: ink.dim },
  );
}

/** The scan and the plainest surface side by side, on the first page if there is room. */
async function overview(pages: ReportPages, { db, store, results }: ReportOptions): Promise<void> {
  const volume = await sourceVolume(db, results);
  const surface = results.steps.find(
    ({ kind, dataObjects: made }) => kind === 'createMesh' && made.length > 0,
  );
  const found = [
    volume && (await scanPicture(store, volume)),
    surface && (await surfacePicture(store, surface)),
  ].filter((picture) => picture !== undefined);
  if (found.length === 0) return;
  pages.heading('The part', 190);
  pictures(pages, found);
}

async function sourceVolume(db: Executor, { steps }: RunResults): Promise<DataObjectRow | undefined> {
  const ids = steps.flatMap(({ operation }) => operation?.inputDataObjectIds ?? []);
  if (ids.length === 0) return undefined;
  const rows = await db
    .select()
    .from(dataObjects)
    .where(inArray(dataObjects.id, ids))
    .orderBy(desc(dataObjects.createdAt));
  return rows.find(({ kind }) => kind === 'volume');
}

/** One or two pictures beside each other, each with its caption and legend. */
function pictures(pages: ReportPages, list: ReportPicture[], height = 175): void {
  const { doc } = pages;
  pages.reserve(height + 34);
  const { y } = doc;
  const cell = (pages.width - 16) / 2;
  let lowest = y;
  for (const [i, { png, aspect, caption, legend }] of list.slice(0, 2).entries()) {
    const x = pages.left + i * (cell + 16);
    doc.roundedRect(x, y, cell, height, 3).lineWidth(0.5).fillAndStroke('#fafbfc', ink.line);
    const inner = legend ? cell - 58 : cell - 8;
    const scale = Math.min(inner / aspect, height - 8);
    const width = scale * aspect;
    doc.image(Buffer.from(png), x + 4 + (inner - width) / 2, y + 4 + (height - 8 - scale) / 2, {
      width,
      height: scale,
    });
    if (legend) drawLegend(pages, legend, x + cell - 52, y + 16, height - 32);
    const words = printable(caption);
    setFont(doc, words, { size: 7.5, color: ink.dim });
    doc.text(words, x, y + height + 4, { width: cell });
    lowest = Math.max(lowest, doc.y);
  }
  doc.y = lowest + 8;
}

function drawLegend(
  { doc }: ReportPages,
  { map, minimum, maximum, unit }: NonNullable<ReportPicture['legend']>,
  x: number,
  y: number,
  height: number,
): void {
  const table = colorMap(map);
  const steps = 64;
  for (let step = 0; step < steps; step++) {
    const at = 3 * Math.round(((steps - 1 - step) / (steps - 1)) * 255);
    doc
      .rect(x, y + (step * height) / steps, 9, height / steps + 0.4)
      .fill([table[at], table[at + 1], table[at + 2]]);
  }
  doc.font('Helvetica').fontSize(7).fillColor(ink.dim);
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const value = maximum - share * (maximum - minimum);
    const text = String(Number(value.toPrecision(3)));
    doc.text(share === 0 ? `${text} ${unit}` : text, x + 12, y + share * height - 3, {
      width: 42,
      lineBreak: false,
    });
  }
}

const statusWords: Record<string, string> = {
  completed: 'completed',
  failed: 'failed',
  cancelled: 'not carried out',
};

async function stepSection(pages: ReportPages, { store }: ReportOptions, step: StepResult): Promise<void> {
  const { key, title, status, operation, values, needs } = step;
  const picture = step.kind === 'createMesh' ? undefined : await surfacePicture(store, step);
  // What belongs together stays on one page.
  pages.heading(`${title}  (step “${key}”)`, picture ? 280 : 110);
  const provenance = operation?.provenance as Provenance | null | undefined;
  pages.facts([
    ['State', statusWords[status] ?? status],
    ['After', needs.length > 0 ? needs.join(', ') : 'nothing; works on the scan'],
    ['Started', moment(operation?.startedAt ?? null)],
    ['Took', provenance ? `${provenance.seconds.toFixed(1)} s` : '–'],
  ]);
  if (operation?.error) pages.text(operation.error.detail, { color: ink.fail });
  if (picture) pictures(pages, [picture], 190);
  if (values.length > 0) {
    pages.label('Measured');
    const cells = values.map(({ measure, value, unit }): Cell[] => [
      { text: measure.label },
      { text: measure.quantity === 'share' ? formatValue(100 * value, '%') : formatValue(value, unit) },
    ]);
    const half = Math.ceil(cells.length / 2);
    pages.table(
      [
        { title: 'Characteristic', share: 0.32 },
        { title: 'Value', share: 0.18, align: 'right' },
        { title: 'Characteristic', share: 0.32 },
        { title: 'Value', share: 0.18, align: 'right' },
      ],
      cells.slice(0, half).map((left, i) => [...left, ...(cells[half + i] ?? [{ text: '' }, { text: '' }])]),
    );
  }
  if (operation) {
    pages.label('Parameters');
    pages.table(
      [
        { title: 'Name', share: 0.3 },
        { title: 'Value', share: 0.7 },
      ],
      flatten(operation.parameters).map(([name, value]) => [{ text: name }, { text: value }]),
    );
  }
  if (provenance) {
    pages.label('Provenance');
    const algorithms = Object.entries(provenance.algorithms).map(([name, of]) => `${name} ${of}`);
    pages.table(
      [
        { title: 'What', share: 0.2 },
        { title: 'Value', share: 0.8, mono: true },
      ],
      [
        ...provenance.inputs.map(({ dataObjectId, sha256 }): Cell[] => [
          { text: 'Input' },
          { text: `${dataObjectId}\nSHA-256 ${sha256 ?? 'not known'}` },
        ]),
        [{ text: 'Algorithms' }, { text: algorithms.join(', ') }],
        [
          { text: 'Program' },
          {
            text: `Scanwright ${provenance.version}, ${(provenance.peakMemoryBytes / 2 ** 20).toFixed(0)} MiB at most`,
          },
        ],
      ],
    );
  }
}

/** Nested parameters as dotted names; lists of numbers on one line. */
function flatten(parameters: Record<string, unknown>, before = ''): [string, string][] {
  return Object.entries(parameters).flatMap(([name, value]): [string, string][] => {
    const path = before === '' ? name : `${before}.${name}`;
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return flatten(value as Record<string, unknown>, path);
    return [[path, Array.isArray(value) ? value.map(String).join(', ') : String(value)]];
  });
}

function filesTable(pages: ReportPages, results: RunResults): void {
  const placed = placedFiles(results);
  if (placed.length === 0) return;
  pages.heading('Files with this report', 60);
  pages.table(
    [
      { title: 'File', share: 0.32 },
      { title: 'Bytes', share: 0.13, align: 'right' },
      { title: 'SHA-256', share: 0.55, mono: true },
    ],
    placed.map(({ path, file }) => [
      { text: path },
      { text: file.sizeBytes.toLocaleString('en-US').replaceAll(',', ' ') },
      { text: file.sha256 },
    ]),
  );
  pages.text('SHA256SUMS in the archive lists these and the report’s own data; sha256sum -c checks them.', {
    size: 7.5,
    color: ink.dim,
  });
}
