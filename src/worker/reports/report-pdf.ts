/** A report as PDF: page 1 has what an engineer signs, followed by each analysis with picture, numbers and places. */
import type { AnalysisDeclaration } from '#contract/analyses/declaration.ts';
import { describeParameters } from '#contract/analyses/fields.ts';
import { type ShownPlaces, showPlaces } from '#contract/analyses/place-lists.ts';
import { formatMeasured } from '#contract/analyses/quantities.ts';
import { getStep, type StepKind } from '#contract/analyses/steps.ts';
import { decimalsFor, fixed, formatCount, formatNumber } from '#contract/base/format-number.ts';
import type { Provenance } from '#contract/shapes/operation.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import { narrowRow } from '#storage/db/schema-data.ts';
import type { StepResult } from '../results/run-results.ts';
import { type Cell, type Column, ink, ReportPages } from './pdf-layout.ts';
import { formatMoment, type ReportContent } from './report-content.ts';
import { drawBookmarks, drawHead, drawPictures } from './report-drawings.ts';
import { type ReportPicture, scanPicture, surfacePicture } from './report-pictures.ts';
import type { ShownCharacteristic } from './show-characteristic.ts';

export interface ReportOptions {
  store: BlobStore;
  /** version of this program */
  version: string;
  createdAt: Date;
  signal: AbortSignal;
}

/** Characteristics and worst places on page 1, so that all of its parts fit. */
const listedFirst = 10;
const worstListed = 6;
/** Places per result; its files have all of them. */
const placesListed = 60;

/** The PDF, A4. Its length is bounded; all defects are in the files of the result. */
export async function writeReport(content: ReportContent, options: ReportOptions): Promise<Uint8Array> {
  const { version, createdAt, signal } = options;
  const pages = new ReportPages({
    title: `Inspection report: ${content.project.name}`,
    author: `Scanwright ${version}`,
    createdAt,
  });
  drawHead(pages, content);
  pages.facts(content.facts);
  if (content.disposition !== null) pages.text(content.disposition);
  if (content.error !== null) pages.text(content.error, { color: ink.fail, bold: true });
  const overview = await writeOverview(pages, content, options);
  const { characteristics } = content;
  if (characteristics.length > 0) {
    pages.heading('Verdict', 40);
    writeCharacteristics(pages, characteristics.slice(0, listedFirst));
    if (characteristics.length > listedFirst)
      pages.text(
        `The ${listedFirst} worst of ${formatCount(characteristics.length)}; all of them follow below.`,
        {
          size: 7.5,
          color: ink.dim,
        },
      );
  }
  const formatPlace = choosePlaceFormat(content.volume);
  writeWorstPlaces(pages, content, formatPlace);
  if (characteristics.length > 0) pages.text(decisionRule, { size: 7, color: ink.dim });
  if (characteristics.length > listedFirst) {
    pages.heading('All characteristics', 60);
    writeCharacteristics(pages, characteristics);
  }
  for (const section of content.sections) {
    signal.throwIfAborted();
    // Drawing takes longer than the rest of a report.
    const isDrawn = section === overview.section;
    const drawn = content.sections.length > 1 ? overview.picture : undefined;
    const picture = isDrawn ? drawn : await surfacePicture(options.store, section, content.sections, signal);
    writeSection(pages, section, picture, { inputNames: content.inputNames, formatPlace });
  }
  writeMeasurements(pages, content);
  if (content.views) drawBookmarks(pages, content.views);
  writeFiles(pages, content);
  return pages.end(content.foot);
}

const decisionRule =
  'Decision rule after ISO 14253-1: a value passes where it keeps its limit by at least the guard band, fails where it misses it by more than the guard band, and is indeterminate between. The part has the worst of these verdicts.';

function writeCharacteristics(pages: ReportPages, characteristics: readonly ShownCharacteristic[]): void {
  pages.table(
    [
      { title: 'Characteristic', share: 0.34 },
      { title: 'Measured', share: 0.17, align: 'right' },
      { title: 'Tolerance', share: 0.2, align: 'right' },
      { title: 'Guard band', share: 0.14, align: 'right' },
      { title: 'Verdict', share: 0.15, align: 'right' },
    ],
    characteristics.map(({ name, measured, tolerance, guardBand, verdict }): Cell[] => [
      { text: name },
      { text: measured },
      { text: tolerance },
      { text: guardBand },
      { text: verdict ?? 'not measured', bold: true, color: ink[verdict ?? 'none'] },
    ]),
  );
  for (const { name, reason } of characteristics)
    if (reason !== null) pages.text(`${name}: ${reason}`, { size: 7.5 });
}

/** Whether its surface has no measured colours. */
const isPlain = (kind: StepKind): boolean => {
  const { surface, scalars, shownScalar }: AnalysisDeclaration = getStep(kind);
  return surface === 'part' && (shownScalar !== undefined || scalars.every(({ onDemand }) => onDemand));
};

/**
 * A slice of the scan beside the part's surface, coloured if something was measured on it.
 *
 * @returns the analysis whose surface it shows, and its picture
 */
async function writeOverview(
  pages: ReportPages,
  { volume, sections }: ReportContent,
  { store, signal }: Pick<ReportOptions, 'store' | 'signal'>,
): Promise<{ section: StepResult | undefined; picture: ReportPicture | undefined }> {
  const coloured = sections.find(({ kind, dataObjects }) => {
    const { surface }: AnalysisDeclaration = getStep(kind);
    return surface === 'part' && !isPlain(kind) && dataObjects.length > 0;
  });
  const section = coloured ?? sections.find(({ dataObjects }) => dataObjects.length > 0);
  const scan = volume && (await scanPicture(store, volume));
  const picture = section && (await surfacePicture(store, section, sections, signal));
  drawPictures(
    pages,
    [scan, picture].filter((found) => found !== undefined),
    168,
  );
  return { section, picture };
}

type PlaceFormat = (pointMm: readonly number[]) => string;
const usualPlaceDecimals = 3;

/** Positions are known to about a voxel and shown to the second digit of that. */
function choosePlaceFormat(volume: ReportContent['volume']): PlaceFormat {
  const voxelsMm = volume && narrowRow(volume, 'volume')?.metadata.voxelSizeMm;
  const decimals = voxelsMm ? decimalsFor(Math.min(...voxelsMm) / 10) : usualPlaceDecimals;
  return (pointMm) => pointMm.map((mm) => fixed(mm, decimals)).join(', ');
}

/** The places that a result lists; undefined when it lists none. */
function findPlaces({ kind, dataObjects }: StepResult): ShownPlaces | undefined {
  const { places }: AnalysisDeclaration = getStep(kind);
  const [made] = dataObjects;
  const shown = places && made ? showPlaces(made.row.metadata, places) : undefined;
  return shown && shown.rows.length > 0 ? shown : undefined;
}

/** The worst places of each result in turn, so that none crowds out the others. */
function writeWorstPlaces(
  pages: ReportPages,
  { sections, characteristics }: ReportContent,
  formatPlace: PlaceFormat,
): void {
  const lists = sections.flatMap((section) => {
    const places = findPlaces(section);
    return places ? [{ of: section.title, ...places }] : [];
  });
  const judged = characteristics
    .filter(({ verdict, positionMm }) => verdict !== 'pass' && positionMm !== null)
    .map(({ name, measured, positionMm }): Cell[] => [
      { text: name },
      { text: measured },
      { text: formatPlace(positionMm ?? []) },
    ]);
  const listed = Array.from({ length: worstListed }, (_, rank) =>
    lists.flatMap(({ of, noun, rows }): Cell[][] => {
      const row = rows[rank];
      if (!row?.pointMm) return [];
      const name = `${of}: ${noun.toLowerCase()} ${rank + 1}`;
      return [[{ text: name }, { text: row.worst }, { text: formatPlace(row.pointMm) }]];
    }),
  ).flat();
  // If two analyses found the same place it is listed once, under the one that decides about the part.
  const all = new Map<string, Cell[]>();
  for (const cells of [...judged, ...listed]) {
    const place = cells.at(-1)?.text ?? '';
    if (!all.has(place)) all.set(place, cells);
  }
  const rows = [...all.values()].slice(0, worstListed);
  if (rows.length === 0) return;
  pages.heading('Worst places', 40);
  pages.table(
    [
      { title: 'Place', share: 0.34 },
      { title: 'Value', share: 0.34, align: 'right' },
      { title: 'x, y, z, mm', share: 0.32, align: 'right' },
    ],
    rows,
  );
}

const statusWords: Record<string, string> = {
  completed: 'completed',
  failed: 'failed',
  cancelled: 'not carried out',
};

function writeSection(
  pages: ReportPages,
  section: StepResult,
  picture: ReportPicture | undefined,
  { inputNames, formatPlace }: Pick<ReportContent, 'inputNames'> & { formatPlace: PlaceFormat },
): void {
  const { key, title, status, operation, needs } = section;
  // Keeps related content on one page.
  pages.heading(key === '' ? title : `${title}  (step “${key}”)`, picture ? 280 : 110);
  const provenance = operation?.provenance as Provenance | null | undefined;
  pages.facts([
    ['State', statusWords[status] ?? status],
    ...(needs.length > 0 ? ([['After', needs.join(', ')]] as [string, string][]) : []),
    ['Started', formatMoment(operation?.startedAt ?? null)],
    ['Duration', provenance ? `${formatNumber(provenance.seconds, 1)} s` : '–'],
  ]);
  if (operation?.error) pages.text(operation.error.detail, { color: ink.fail });
  for (const { message } of operation?.warnings ?? []) pages.text(message, { color: ink.indeterminate });
  if (picture) drawPictures(pages, [picture], 190);
  writeMeasures(pages, section);
  writeFacts(pages, section);
  const places = findPlaces(section);
  if (places) writePlaces(pages, places, formatPlace);
  if (operation) writeParameters(pages, section, provenance?.parameters ?? operation.parameters, inputNames);
  if (provenance) writeProvenance(pages, provenance);
}

function writeParameters(
  pages: ReportPages,
  { kind }: StepResult,
  parameters: object,
  inputNames: ReportContent['inputNames'],
): void {
  const findName = (id: string) => inputNames.get(id) ?? id;
  const described = describeParameters(getStep(kind), parameters, findName);
  if (described.length === 0) return;
  pages.label('Parameters');
  pages.table(
    [
      { title: 'Name', share: 0.3 },
      { title: 'Value', share: 0.7 },
    ],
    described.map(({ label, value }) => [{ text: label }, { text: value }]),
  );
}

/** Rows of measures that are kept on one page. */
const maxUndivided = 15;

function writeMeasures(pages: ReportPages, { values }: StepResult): void {
  if (values.length === 0) return;
  const cells = values.map(({ measure, value, expanded }): Cell[] => [
    { text: measure.label },
    { text: formatMeasured(value, measure.quantity, expanded) },
  ]);
  const half = Math.ceil(cells.length / 2);
  // Read down each column, so a short table is not divided between pages.
  pages.label('Measured', half <= maxUndivided ? 20 * (half + 1) : undefined);
  const columns: Column[] = [
    { title: 'Characteristic', share: 0.3 },
    { title: 'Value (± k = 2)', share: 0.2, align: 'right' },
  ];
  pages.table(
    [...columns, ...columns],
    cells.slice(0, half).map((left, i) => [...left, ...(cells[half + i] ?? [{ text: '' }, { text: '' }])]),
  );
}

/** Facts of a result besides its measures, as on its page. */
function writeFacts(pages: ReportPages, { kind, dataObjects: [made] }: StepResult): void {
  const { facts }: AnalysisDeclaration = getStep(kind);
  if (!facts || !made) return;
  pages.label(facts.title);
  pages.table(
    [
      { title: 'Name', share: 0.3 },
      { title: 'Value', share: 0.7 },
    ],
    facts.list({ ...made.row.metadata }).map(({ label, value }) => [{ text: label }, { text: value }]),
  );
}

function writeMeasurements(pages: ReportPages, { measurements }: ReportContent): void {
  if (measurements.length === 0) return;
  pages.heading('Measurements', 60);
  pages.table(
    [
      { title: 'Name', share: 0.15 },
      { title: 'Kind', share: 0.12 },
      { title: 'Measured (± k = 2)', share: 0.32 },
      { title: 'On', share: 0.14 },
      { title: 'Method', share: 0.27 },
    ],
    measurements.map(({ name, kind, values, measuredOn, method }): Cell[] =>
      [name, kind, values.join('\n'), measuredOn, method].map((text) => ({ text })),
    ),
  );
  pages.text(measuredBy, { size: 7, color: ink.dim });
}

const measuredBy = 'Measured by hand in the viewer. The scale of the scanner is not in the uncertainties.';

function writePlaces(
  pages: ReportPages,
  { title, headings, rows, count }: ShownPlaces,
  formatPlace: PlaceFormat,
): void {
  const listed = rows.slice(0, placesListed);
  pages.label(
    listed.length < count
      ? `${title}: the first ${formatCount(listed.length)} of ${formatCount(count)}; all of them are in the files`
      : `${title}: ${formatCount(count)}`,
  );
  const columns: Column[] = [
    { title: 'No.', share: 0 },
    ...headings.map((title): Column => ({ title, share: 0, align: 'right' })),
    { title: 'x, y, z, mm', share: 0, align: 'right' },
  ];
  const cells = listed.map(({ cells: values, pointMm }, row) => [
    { text: String(row + 1) },
    ...values.map((text) => ({ text })),
    // Without a line break, which could be misread.
    { text: pointMm === null ? '–' : formatPlace(pointMm).replaceAll(' ', '\u00a0') },
  ]);
  pages.table(chooseColumnWidths(columns, cells), cells);
}

/** Minimum width of a column, and of the gap between columns, in characters. */
const MIN_LETTERS = 3;
const GAP_LETTERS = 2.5;

/** Column widths by their widest word, so that no word is broken. */
function chooseColumnWidths(columns: readonly Column[], rows: readonly Cell[][]): Column[] {
  const letters = columns.map(({ title }, i) => {
    const words = [title, ...rows.map((row) => row[i]?.text ?? '')].flatMap((text) => text.split(/ /));
    return GAP_LETTERS + Math.max(MIN_LETTERS, ...words.map(({ length }) => length));
  });
  const all = letters.reduce((sum, of) => sum + of, 0);
  return columns.map((column, i) => ({ ...column, share: (letters[i] ?? 0) / all }));
}

function writeProvenance(pages: ReportPages, provenance: Provenance): void {
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
      [{ text: 'Program' }, { text: `Scanwright ${provenance.version}` }],
    ],
  );
}

function writeFiles(pages: ReportPages, { files }: ReportContent): void {
  if (files.length === 0) return;
  pages.heading('Files with this report', 60);
  pages.table(
    [
      { title: 'File', share: 0.32 },
      { title: 'Bytes', share: 0.13, align: 'right' },
      { title: 'SHA-256', share: 0.55, mono: true },
    ],
    files.map(({ path, file }) => [
      { text: path },
      { text: formatCount(file.sizeBytes) },
      { text: file.sha256 },
    ]),
  );
  pages.text('SHA256SUMS in the archive lists these and the report’s own data; sha256sum -c checks them.', {
    size: 7.5,
    color: ink.dim,
  });
}
