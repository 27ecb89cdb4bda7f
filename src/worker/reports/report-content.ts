/** Contents of a report: a recipe run, or a project with the newest result of each analysis. */
import { and, desc, eq, inArray } from 'drizzle-orm';
import { listMeasured } from '#contract/analyses/data-kinds.ts';
import { getStep, isStepKind, stepAnalyses } from '#contract/analyses/steps.ts';
import { readTitle } from '#contract/analyses/titles.ts';
import type { Verdict } from '#contract/metadata/verdict.ts';
import { describeFit, formatMeasurement, kindTitles, quantityTitles } from '#contract/shapes/measurement.ts';
import type { Executor } from '#storage/db/connection.ts';
import { users } from '#storage/db/schema-accounts.ts';
import { dispositions, measurements } from '#storage/db/schema-collaboration.ts';
import { type DataObjectRow, dataObjects, type FileRow } from '#storage/db/schema-data.ts';
import { operations } from '#storage/db/schema-work.ts';
import type { InvocationRow } from '#storage/recipes/invocations.ts';
import type { ProjectRow } from '#storage/work/kinds.ts';
import { listFiles } from '../list-files.ts';
import type { RunResults, StepResult } from '../results/run-results.ts';
import { listProjectCharacteristics } from './project-characteristics.ts';
import type { ReportViews } from './report-views.ts';
import { type ShownCharacteristic, showGate, sortWorstFirst } from './show-characteristic.ts';

export interface ReportContent {
  project: ProjectRow;
  /** null with the text to show instead */
  verdict: Verdict | null;
  withoutVerdict: string;
  facts: [name: string, value: string][];
  error: string | null;
  /** the decision about the part; null when there is none, or in reports of a run */
  disposition: string | null;
  /** worst first */
  characteristics: ShownCharacteristic[];
  sections: StepResult[];
  /** manual measurements, oldest first */
  measurements: ShownMeasurement[];
  /** null in reports of a run */
  views: ReportViews | null;
  /** names of the inputs of the sections, some of which may belong to another project */
  inputNames: ReadonlyMap<string, string>;
  /** the scan that the whole report is about */
  volume: DataObjectRow | undefined;
  /** files packed with the report */
  files: { path: string; file: FileRow }[];
  /** footer of each page */
  foot: string;
}

export interface ShownMeasurement {
  name: string;
  kind: string;
  values: string[];
  /** data object and surface with the points */
  measuredOn: string;
  /** how values and uncertainties were computed */
  method: string;
}

export const formatMoment = (at: Date | null): string =>
  at ? `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC` : '–';

const partFacts = (project: ProjectRow): [string, string][] => [
  ['Part number', project.partNumber ?? '–'],
  ['Serial number', project.serialNumber ?? '–'],
  ['Lot', project.lot ?? '–'],
];

async function readUserName(db: Executor, id: string | null): Promise<string> {
  const [user] = id === null ? [] : await db.select().from(users).where(eq(users.id, id));
  return user ? user.name || user.email : '–';
}

export interface RunReport {
  row: InvocationRow;
  project: ProjectRow;
  results: RunResults;
  files: ReportContent['files'];
  createdAt: Date;
  version: string;
}

export async function describeRun(
  db: Executor,
  { row, project, results, files, createdAt, version }: RunReport,
): Promise<ReportContent> {
  const recipe = results.recipeName
    ? `${results.recipeName}, version ${results.version}`
    : 'Pipeline (not saved)';
  return {
    project,
    verdict: results.verdict,
    withoutVerdict: results.status === 'failed' ? 'INCOMPLETE' : 'NO VERDICT',
    facts: [
      ...partFacts(project),
      ['Recipe', recipe],
      ['Started', formatMoment(row.startedAt)],
      ['Reported', formatMoment(createdAt)],
      ['Requested by', await readUserName(db, row.createdBy)],
      ['Run', row.id],
    ],
    error: results.error?.detail ?? null,
    disposition: null,
    characteristics: sortWorstFirst(results.gates.map(showGate)),
    sections: results.steps,
    measurements: [],
    views: null,
    inputNames: await readInputNames(db, results.steps),
    volume: await findScan(db, project.id, results.steps),
    files,
    foot: `Scanwright ${version}  ·  run ${row.id}  ·  ${project.name}`,
  };
}

interface ProjectReport {
  project: ProjectRow;
  views: ReportViews;
  requestedBy: string | null;
  createdAt: Date;
  version: string;
}

export async function describeProject(
  db: Executor,
  { project, views, requestedBy, createdAt, version }: ProjectReport,
): Promise<ReportContent> {
  const sections = await listNewestResults(db, project.id);
  return {
    project,
    verdict: project.verdict,
    withoutVerdict: 'NO VERDICT',
    facts: [
      ...partFacts(project),
      ['Requested by', await readUserName(db, requestedBy)],
      ['Reported', formatMoment(createdAt)],
      ['Project', project.id],
    ],
    error: null,
    disposition: await describeDisposition(db, project),
    characteristics: sortWorstFirst(await listProjectCharacteristics(db, project.id)),
    sections,
    measurements: await listMeasurements(db, project.id),
    views,
    inputNames: await readInputNames(db, sections),
    volume: await findScan(db, project.id, sections),
    files: [],
    foot: `Scanwright ${version}  ·  project ${project.id}  ·  ${project.name}`,
  };
}

/** The newest one, as on the project page. */
async function describeDisposition(db: Executor, { id, measuredAt }: ProjectRow): Promise<string | null> {
  const [newest] = await db
    .select()
    .from(dispositions)
    .where(eq(dispositions.projectId, id))
    .orderBy(desc(dispositions.createdAt), desc(dispositions.id))
    .limit(1);
  if (!newest) return null;
  const { decision, reason, createdBy, createdAt } = newest;
  const by = `${await readUserName(db, createdBy)}, ${formatMoment(createdAt)}`;
  const isOutdated = measuredAt !== null && measuredAt > createdAt;
  return `Disposition: ${decision}. ${reason} (${by}${isOutdated ? '; the part was scanned or measured again since' : ''})`;
}

async function listMeasurements(db: Executor, projectId: string): Promise<ShownMeasurement[]> {
  const rows = await db
    .select()
    .from(measurements)
    .where(eq(measurements.projectId, projectId))
    .orderBy(measurements.createdAt, measurements.id);
  return rows.map(({ name, kind, result }) => ({
    name,
    kind: kindTitles[kind],
    values: [
      ...result.values.map((value) => `${quantityTitles[value.quantity]} ${formatMeasurement(value)}`),
      ...(result.feature ? [describeFit(result.feature)] : []),
    ],
    measuredOn: [result.provenance.dataObjectName, result.provenance.surfaceName]
      .filter((each) => each !== null)
      .join(', '),
    method: result.method,
  }));
}

const listInputs = (sections: readonly StepResult[]): Set<string> =>
  new Set(sections.flatMap(({ operation }) => operation?.inputDataObjectIds ?? []));

async function readInputNames(
  db: Executor,
  sections: readonly StepResult[],
): Promise<ReadonlyMap<string, string>> {
  const { id, name } = dataObjects;
  const ids = [...listInputs(sections)];
  const rows = await db.select({ id, name }).from(dataObjects).where(inArray(id, ids));
  return new Map(rows.map((row) => [row.id, row.name]));
}

/** The volume that was analysed; otherwise the newest one of the project. */
async function findScan(
  db: Executor,
  projectId: string,
  sections: readonly StepResult[],
): Promise<DataObjectRow | undefined> {
  const used = listInputs(sections);
  const volumes = await db
    .select()
    .from(dataObjects)
    .where(
      and(
        eq(dataObjects.projectId, projectId),
        eq(dataObjects.kind, 'volume'),
        eq(dataObjects.status, 'completed'),
      ),
    )
    .orderBy(desc(dataObjects.createdAt));
  return volumes.find(({ id }) => used.has(id)) ?? volumes[0];
}

/** The newest result of each analysis, in the usual order of analyses. */
async function listNewestResults(db: Executor, projectId: string): Promise<StepResult[]> {
  const done = await db
    .select()
    .from(operations)
    .where(and(eq(operations.projectId, projectId), eq(operations.status, 'completed')))
    .orderBy(desc(operations.finishedAt), desc(operations.id));
  const rows: DataObjectRow[] = await db
    .select()
    .from(dataObjects)
    .where(and(eq(dataObjects.projectId, projectId), eq(dataObjects.status, 'completed')));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const newest = stepAnalyses.flatMap(({ key }) => {
    const operation = done.find(
      (each) => each.operation === key && each.outputDataObjectIds.some((id) => byId.has(id)),
    );
    return operation ? [operation] : [];
  });
  const ids = newest.flatMap(({ outputDataObjectIds }) => outputDataObjectIds);
  const files = await listFiles(db, ids);
  return newest.flatMap((operation): StepResult[] => {
    const kind = operation.operation;
    if (!isStepKind(kind)) return [];
    const made = operation.outputDataObjectIds.flatMap((id) => byId.get(id) ?? []);
    return [
      {
        key: '',
        kind,
        title: readTitle(getStep(kind), made[0]?.name),
        needs: [],
        status: 'completed',
        operation,
        dataObjects: made.map((row) => ({
          row,
          files: files.filter(({ dataObjectId }) => dataObjectId === row.id),
        })),
        values: made.slice(0, 1).flatMap(listMeasured),
      },
    ];
  });
}
