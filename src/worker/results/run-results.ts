/** Results of an invocation: those of its steps, every measure, and its gates. */
import { asc, eq, inArray } from 'drizzle-orm';
import { type MeasuredValue, readMeasured, readPlace, readVerdict } from '#contract/analyses/data-kinds.ts';
import type { Measure } from '#contract/analyses/declaration.ts';
import { combineVerdicts, type Gate, judgeResult } from '#contract/analyses/gates.ts';
import type { RecipeStep } from '#contract/analyses/pipeline.ts';
import {
  findMeasure,
  getStep,
  listMeasures,
  readExpanded,
  readMeasure,
  splitMeasure,
} from '#contract/analyses/steps.ts';
import type { Verdict } from '#contract/metadata/verdict.ts';
import type { Executor } from '#storage/db/connection.ts';
import { type DataObjectRow, dataObjects, type FileRow } from '#storage/db/schema-data.ts';
import { type InvocationStep, recipeVersions, type WorkError } from '#storage/db/schema-work.ts';
import type { ProjectRow, WorkRow } from '#storage/work/kinds.ts';
import { listFiles } from '../list-files.ts';

export type OperationRow = WorkRow<'operation'>;

/** An invocation with everything needed to write its end. */
export interface OpenInvocation {
  row: WorkRow<'invocation'>;
  project: ProjectRow;
  steps: InvocationStep[];
  /** the newest operation of each step that has started */
  operations: OperationRow[];
}

export interface StepResult {
  key: string;
  kind: RecipeStep['operation'];
  title: string;
  needs: string[];
  status: string;
  /** undefined for a step that never started */
  operation: OperationRow | undefined;
  dataObjects: { row: DataObjectRow; files: FileRow[] }[];
  values: MeasuredValue[];
}

export interface GateResult extends Gate {
  label: string;
  measured: number | null;
  /** the result it was read from */
  dataObjectId: string | null;
  /** the worst place */
  positionMm: [number, number, number] | null;
  /** expanded, in the unit of the gate */
  uncertainty: number | null;
  /** null when the step of the gate did not succeed */
  verdict: Verdict | null;
  /** why it is indeterminate regardless of the numbers; null when the numbers explain it */
  reason: string | null;
}

export interface RunResults {
  recipeName: string | null;
  version: number | null;
  status: 'completed' | 'failed' | 'cancelled';
  error: WorkError | null;
  verdict: Verdict | null;
  steps: StepResult[];
  gates: GateResult[];
}

/** Reads what the steps made, for an invocation without waiting or running steps. */
export async function runResults(
  db: Executor,
  { row, steps, operations }: OpenInvocation,
): Promise<RunResults> {
  const definitions = row.definition.steps;
  const ids = operations.map(({ id }) => id);
  const objects = await db
    .select()
    .from(dataObjects)
    .where(inArray(dataObjects.createdByOperationId, ids))
    .orderBy(asc(dataObjects.createdAt), asc(dataObjects.id));
  const files = await listFiles(
    db,
    objects.map(({ id }) => id),
  );
  const results = definitions.map(({ key, operation: kind, needs }): StepResult => {
    const step = steps.find((each) => each.key === key);
    const operation = operations.find(({ id }) => id === step?.operationId);
    // In the order in which they were made: a measure is taken from the first that has it.
    const made = (operation?.outputDataObjectIds ?? []).flatMap(
      (id) => objects.find((object) => object.id === id) ?? [],
    );
    return {
      key,
      kind,
      title: getStep(kind).title,
      needs,
      status: step?.status ?? 'cancelled',
      operation,
      dataObjects: made.map((object) => ({
        row: object,
        files: files.filter(({ dataObjectId }) => dataObjectId === object.id),
      })),
      values: listMeasures(kind).flatMap((measure) => {
        const found = findMeasured(made, measure);
        return (found && readMeasured(found.metadata, measure)) ?? [];
      }),
    };
  });
  const gates = row.definition.gates.map((gate) => gateResult(gate, results));
  const isCancelled = row.cancelRequestedAt !== null;
  const error = isCancelled ? null : findFailure(results);
  const isComplete = error === null && !isCancelled;
  const [version] = row.recipeVersionId
    ? await db.select().from(recipeVersions).where(eq(recipeVersions.id, row.recipeVersionId))
    : [];
  return {
    recipeName: version?.name ?? null,
    version: version?.version ?? null,
    status: isCancelled ? 'cancelled' : error === null ? 'completed' : 'failed',
    error,
    verdict: isComplete ? computeVerdict(gates, results) : null,
    steps: results,
    gates,
  };
}

/** The first result that has a value for the measure. */
const findMeasured = (made: DataObjectRow[], measure: Measure): DataObjectRow | undefined =>
  made.find(({ metadata }) => readMeasure(metadata, measure, '') !== null);

function gateResult(gate: Gate, results: StepResult[]): GateResult {
  const { step: stepKey, path } = splitMeasure(gate.measure);
  const step = results.find(({ key }) => key === stepKey);
  const measure = step && findMeasure(step.kind, path);
  const label = measure?.label ?? gate.measure;
  const nowhere = { dataObjectId: null, positionMm: null, uncertainty: null, reason: null };
  if (!measure || step?.status !== 'completed')
    return { ...gate, label, measured: null, verdict: null, ...nowhere };
  const made = step.dataObjects.map(({ row }) => row);
  const found = findMeasured(made, measure);
  if (!found) return { ...gate, label, measured: null, verdict: 'indeterminate', ...nowhere };
  const measured = readMeasure(found.metadata, measure, gate.unit);
  const uncertainty = readExpanded(found.metadata, measure, gate.unit);
  const place = readPlace(found, path);
  return {
    ...gate,
    label,
    measured,
    ...judgeResult(gate, measured, { ...found, uncertainty, isCount: measure.quantity === 'count' }),
    dataObjectId: found.id,
    positionMm: place ? [...place] : null,
    uncertainty,
  };
}

/** From the gates; without gates, from the tolerances of the analyses themselves. */
function computeVerdict(gates: GateResult[], results: StepResult[]): Verdict | null {
  if (gates.length > 0) return combineVerdicts(gates.map(({ verdict }) => verdict));
  const own = results.flatMap(({ dataObjects: made }) => made.flatMap(({ row }) => readVerdict(row) ?? []));
  return combineVerdicts(own);
}

/** Message of the first step that failed by itself. */
function findFailure(results: StepResult[]): WorkError | null {
  const failed = results.find(({ status }) => status === 'failed');
  if (failed) {
    const error = failed.operation?.error;
    return {
      code: error?.code ?? 'STEP_FAILED',
      detail: `The step “${failed.key}” (${failed.title}) failed: ${error?.detail ?? 'without a reason.'}`,
    };
  }
  const stopped = results.find(({ status, operation }) => status !== 'completed' && operation);
  if (stopped) {
    return {
      code: 'STEP_CANCELLED',
      detail: `The step “${stopped.key}” (${stopped.title}) was cancelled on its own. Retry continues with it.`,
    };
  }
  const left = results.find(({ status }) => status !== 'completed');
  return left ? { code: 'STEP_FAILED', detail: `The step “${left.key}” could not begin.` } : null;
}
