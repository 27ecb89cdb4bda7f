/**
 * The characteristics of parts: gates of recipes and tolerances of comparisons, and which of them are current. They are not
 * stored, but derived from operations, runs, recipes and data objects.
 */
import { sql } from 'drizzle-orm';
import { readTolerance, readVerdict } from '#contract/analyses/data-kinds.ts';
import { readLimits } from '#contract/analyses/gates.ts';
import { findMeasure, getStep, isStepKind, splitMeasure } from '#contract/analyses/steps.ts';
import { readTitle } from '#contract/analyses/titles.ts';
import type { Characteristic } from '#contract/shapes/characteristic.ts';
import { among } from '../db/among.ts';
import type { Executor } from '../db/connection.ts';
import { type DataObjectRow, dataObjects } from '../db/schema-data.ts';
import { type OperationRecord, type PartRecords, type RunRecord, readPartRecords } from './part-records.ts';
import { rankCharacteristics } from './rank-characteristics.ts';
import { findScans, type Scans } from './scans.ts';

export interface PartCharacteristics {
  /** worst first, outdated ones last */
  characteristics: Characteristic[];
  newestScanAt: Date | undefined;
}

/** A comparison whose own tolerance is a characteristic. */
interface Comparison {
  operation: OperationRecord;
  /** run of a recipe without gates, which is judged by its comparisons */
  run: RunRecord | undefined;
  outdated: boolean;
}

export interface Part extends PartRecords {
  scans: Scans;
  runsById: ReadonlyMap<string, RunRecord>;
  operationsById: ReadonlyMap<string, OperationRecord>;
}

export const describePart = (record: PartRecords): Part => ({
  ...record,
  scans: findScans(record),
  runsById: new Map(record.runs.map((run) => [run.id, run])),
  operationsById: new Map(record.operations.map((operation) => [operation.id, operation])),
});

const compares = (operation: string): boolean =>
  isStepKind(operation) && 'judgedTolerance' in getStep(operation);

const endedAt = ({ finishedAt, createdAt }: { finishedAt: Date | null; createdAt: Date }): number =>
  +(finishedAt ?? createdAt);

export const byEnd = (
  a: { finishedAt: Date | null; createdAt: Date; id: string },
  b: { finishedAt: Date | null; createdAt: Date; id: string },
): number => endedAt(b) - endedAt(a) || (a.id < b.id ? 1 : -1);

/** Whether a run counts for the part; cancelled runs and runs of drafts do not. */
const judges = ({ recipeId, status, isReleased }: RunRecord): boolean =>
  recipeId !== null && isReleased && (status === 'completed' || status === 'failed');

/** Whether a run used the newest scan; a run that measured nothing counts for the newest scan at its start. */
export function isOnNewestScan(run: RunRecord, { scans, operationsById }: Part): boolean {
  const { newest } = scans;
  const keys = run.steps.flatMap(({ operationId }) => {
    const operation = operationsById.get(operationId ?? '');
    return operation ? (scans.findScan(operation.inputDataObjectIds[0]) ?? []) : [];
  });
  if (keys.length > 0) return keys.includes(newest?.key ?? '');
  return newest === undefined || newest.createdAt <= (run.startedAt ?? run.createdAt);
}

/**
 * The newest run of each recipe on the newest scan. If that run failed to execute, the previous completed run counts as well,
 * so that a failed part does not become indeterminate by an unsuccessful retry.
 *
 * @param runs newest first
 */
function findCurrentRuns(runs: readonly RunRecord[], part: Part): ReadonlySet<string> {
  const current = new Set<string>();
  const seen = new Set<string | null>();
  const measured = new Set<string | null>();
  for (const run of runs) {
    const { id, recipeId, status } = run;
    const isCompleted = status === 'completed';
    if (measured.has(recipeId) || (seen.has(recipeId) && !isCompleted) || !isOnNewestScan(run, part))
      continue;
    current.add(id);
    seen.add(recipeId);
    if (isCompleted) measured.add(recipeId);
  }
  return current;
}

function findComparisons(part: Part, currentRuns: ReadonlySet<string>): Comparison[] {
  const { scans, runsById } = part;
  const taken = new Set<string>();
  return part.operations
    .filter(({ operation }) => compares(operation))
    .sort(byEnd)
    .flatMap((operation): Comparison[] => {
      const run = operation.invocationId === null ? undefined : runsById.get(operation.invocationId);
      const isOfRecipe = run !== undefined && run.recipeId !== null;
      if (isOfRecipe && (!judges(run) || run.gates.length > 0)) return [];
      const scan = scans.findScan(operation.inputDataObjectIds[0]);
      const { referenceId } = operation;
      // Data made from a scan can't be a reference for the same scan.
      if (scan !== undefined && scan === scans.findScan(referenceId ?? undefined)) return [];
      const isOnNewest = scan !== undefined && scan === scans.newest?.key;
      if (isOfRecipe) return [{ operation, run, outdated: !isOnNewest || !currentRuns.has(run.id) }];
      const key = `${operation.operation} ${referenceId}`;
      const outdated = !isOnNewest || taken.has(key);
      if (!outdated) taken.add(key);
      return [{ operation, run: undefined, outdated }];
    });
}

function describeGates(run: RunRecord, part: Part, isCurrent: boolean): Characteristic[] {
  const { scans, operationsById } = part;
  const labels = run.definition.gates.map(({ measure, key }) => {
    const { step, path } = splitMeasure(measure);
    const kind = run.definition.steps.find((each) => each.key === step)?.operation;
    return (kind && findMeasure(kind, path)?.label) ?? key;
  });
  return run.definition.gates.map((gate, index): Characteristic => {
    const { step: stepKey, path } = splitMeasure(gate.measure);
    const operationId = run.steps.find(({ key }) => key === stepKey)?.operationId ?? null;
    const operation = operationsById.get(operationId ?? '');
    const scan = operation && scans.findScan(operation.inputDataObjectIds[0]);
    const result = run.gates.find(({ key }) => key === gate.key);
    const measured = result?.measured ?? null;
    const label = labels[index] ?? gate.key;
    const isRepeated = labels.filter((each) => each === label).length > 1;
    return {
      id: `${run.id}.${gate.key}`,
      name: isRepeated ? `${label} (${gate.key})` : label,
      source: { ...describeRun(run), operationId },
      measure: path,
      nominal: null,
      ...readLimits(gate),
      measured,
      unit: gate.unit,
      uncertainty: result?.uncertainty ?? null,
      guardBand: result?.guardBand ?? gate.guardBand ?? 0,
      verdict: result?.verdict ?? 'indeterminate',
      reason: result?.reason ?? explainGate(run, gate, result?.verdict ?? null, measured),
      positionMm: result?.positionMm ?? null,
      dataObjectId: result?.dataObjectId ?? operation?.outputDataObjectIds[0] ?? null,
      outdated: !isCurrent || (scan !== undefined && scan !== scans.newest?.key),
      measuredAt: new Date(endedAt(run)).toISOString(),
    };
  });
}

function explainGate(
  { status, error }: RunRecord,
  { comparison, limit }: RunRecord['definition']['gates'][number],
  verdict: Characteristic['verdict'] | null,
  measured: number | null,
): string | null {
  if (verdict === null && status === 'failed') return `Could not run. ${error?.detail ?? ''}`.trim();
  if (measured === null) return 'The result has no value for this measure.';
  if (verdict === 'fail' && comparison.length === 1 && measured === limit)
    return `The value must be ${comparison === '<' ? 'less' : 'more'} than the limit, not equal to it.`;
  return verdict === 'indeterminate' ? 'Within the guard band of the limit.' : null;
}

const describeRun = (run: RunRecord) => ({
  kind: 'recipe' as const,
  name: run.recipeName ?? 'Recipe',
  ...(run.recipeId === null ? {} : { recipePk: run.recipeId }),
  ...(run.recipeVersionId === null ? {} : { recipeVersionId: run.recipeVersionId }),
  ...(run.version === null ? {} : { version: run.version }),
  invocationId: run.id,
});

export type Result = Pick<DataObjectRow, 'id' | 'kind' | 'metadata' | 'warnings'>;

function describeComparison(
  { operation, run, outdated }: Comparison,
  results: ReadonlyMap<string, Result>,
  { title, name }: ComparisonNames,
): Characteristic[] {
  const result = operation.outputDataObjectIds
    .map((id) => results.get(id))
    .find((each) => each && readTolerance(each));
  const tolerance = result && readTolerance(result);
  const verdict = result && readVerdict(result);
  if (!tolerance || !verdict) return [];
  const { positionMm, ...numbers } = tolerance;
  const source = run ? describeRun(run) : { kind: 'comparison' as const, name: title };
  return [
    {
      id: operation.id,
      name,
      source: {
        ...source,
        operationId: operation.id,
        ...(operation.referenceId === null ? {} : { referenceDataObjectId: operation.referenceId }),
      },
      ...numbers,
      verdict,
      positionMm: positionMm === null ? null : [...positionMm],
      dataObjectId: result.id,
      outdated,
      measuredAt: new Date(endedAt(operation)).toISOString(),
    },
  ];
}

interface ComparisonNames {
  /** of the analysis */
  title: string;
  /** the title, with the name of the reference when there are several */
  name: string;
}

function nameComparisons(
  comparisons: readonly Comparison[],
  { objects }: Part,
): Map<string, ComparisonNames> {
  const names = new Map<string, ComparisonNames>();
  for (const { operation } of comparisons) {
    const others = comparisons.filter((each) => each.operation.operation === operation.operation);
    const isOne = new Set(others.map((each) => each.operation.referenceId)).size === 1;
    const reference = objects.find(({ id }) => id === operation.referenceId);
    const result = objects.find(({ id }) => id === operation.outputDataObjectIds[0]);
    const title = readTitle(getStep(operation.operation as Parameters<typeof getStep>[0]), result?.name);
    const name = isOne || !reference ? title : `${title} with ${reference.name}`;
    names.set(operation.id, { title, name });
  }
  return names;
}

export async function readResults(db: Executor, ids: readonly string[]): Promise<Map<string, Result>> {
  if (ids.length === 0) return new Map();
  const { id, kind, metadata, warnings } = dataObjects;
  const rows = await db
    .select({
      id,
      kind,
      warnings,
      // Long lists are not needed.
      metadata: sql<DataObjectRow['metadata']>`${metadata} - '{histogram,groups,unmeasuredGroups}'::text[]`,
    })
    .from(dataObjects)
    .where(among(id, ids));
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * @param onlyCurrent omits outdated characteristics
 * @returns characteristics by project id
 */
export async function listCharacteristics(
  db: Executor,
  projectIds: readonly string[],
  { onlyCurrent }: { onlyCurrent: boolean },
): Promise<Map<string, PartCharacteristics>> {
  const records = await readPartRecords(db, projectIds);
  const parts = [...records].map(([projectId, record]) => {
    const part = describePart(record);
    const runs = record.runs.filter(judges).sort(byEnd);
    const currentRuns = findCurrentRuns(runs, part);
    const comparisons = findComparisons(part, currentRuns);
    const shown = onlyCurrent ? comparisons.filter(({ outdated }) => !outdated) : comparisons;
    const gates = runs
      .filter(({ id }) => !onlyCurrent || currentRuns.has(id))
      .flatMap((run) => describeGates(run, part, currentRuns.has(run.id)));
    return { projectId, part, comparisons: shown, gates };
  });
  const results = await readResults(
    db,
    parts.flatMap(({ comparisons }) => comparisons.flatMap(({ operation }) => operation.outputDataObjectIds)),
  );
  return new Map(
    parts.map(({ projectId, part, comparisons, gates }) => {
      const names = nameComparisons(comparisons, part);
      const all = [
        ...gates.filter(({ outdated }) => !onlyCurrent || !outdated),
        ...comparisons.flatMap((each) => {
          const named = names.get(each.operation.id);
          return named ? describeComparison(each, results, named) : [];
        }),
      ];
      const newestScanAt = part.scans.newest?.createdAt;
      return [projectId, { characteristics: rankCharacteristics(all), newestScanAt }];
    }),
  );
}
