/** What a step works on: what its parameters name, else what the steps made that it needs, else the project's newest. */
import { and, desc, eq, inArray, isNull, notInArray, or } from 'drizzle-orm';
import { type AnalysisKind, analysisFacts, type DataObjectKind } from '#contract/analyses/kinds.ts';
import { analysisParameters } from '#contract/analyses/parameters.ts';
import { type RecipeStep, usesAlignment } from '#contract/analyses/pipeline.ts';
import type { Executor } from '#storage/db/connection.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import type { WorkError } from '#storage/db/schema-work.ts';
import { missingReference, missingSource } from '#storage/recipes/missing-data.ts';

type DataObjectRow = typeof dataObjects.$inferSelect;

export interface StepPlace {
  projectId: string;
  steps: readonly RecipeStep[];
  /** what the completed steps of this invocation made, by the key of the step */
  outputs: ReadonlyMap<string, DataObjectRow[]>;
  /** of this invocation, whatever they ended with: their outputs count only where they are needed */
  operationIds: readonly string[];
}

export type StepInputs =
  | { parameters: Record<string, unknown>; inputDataObjectIds: string[] }
  | { error: WorkError };

const missing = (detail: string): StepInputs => ({ error: { code: 'MISSING_INPUT', detail } });

/** The newest completed data object of the first of these kinds that the project had without this invocation. */
async function newestOf(
  db: Executor,
  { projectId, operationIds }: StepPlace,
  kinds: readonly DataObjectKind[],
  except: string | undefined,
): Promise<DataObjectRow | undefined> {
  if (kinds.length === 0) return undefined;
  const rows = await db
    .select()
    .from(dataObjects)
    .where(
      and(
        eq(dataObjects.projectId, projectId),
        eq(dataObjects.status, 'completed'),
        inArray(dataObjects.kind, [...kinds]),
        operationIds.length > 0
          ? or(
              isNull(dataObjects.createdByOperationId),
              notInArray(dataObjects.createdByOperationId, [...operationIds]),
            )
          : undefined,
      ),
    )
    .orderBy(desc(dataObjects.createdAt), desc(dataObjects.id));
  return kinds
    .map((kind) => rows.find((row) => row.kind === kind && row.id !== except))
    .find((row) => row !== undefined);
}

/** Fills in what the step leaves open; an error in words when the project has nothing that fits. */
export async function stepInputs(db: Executor, step: RecipeStep, place: StepPlace): Promise<StepInputs> {
  const kind: AnalysisKind = step.operation;
  const { title } = analysisFacts[kind];
  const sourceKinds: readonly DataObjectKind[] = analysisFacts[kind].sourceKinds;
  const parameters = { ...step.parameters };
  const needed = step.needs.flatMap((key) => place.outputs.get(key) ?? []);
  const inputDataObjectIds: string[] = [];

  if ('referenceDataObjectId' in analysisParameters[kind].shape) {
    const named = parameters['referenceDataObjectId'];
    const id = typeof named === 'string' ? named : (await newestOf(db, place, ['cad'], undefined))?.id;
    if (id === undefined) return { error: missingReference(title) };
    parameters['referenceDataObjectId'] = id;
  }
  const reference = parameters['referenceDataObjectId'];
  const named = parameters['sourceDataObjectId'];
  if (typeof named === 'string') inputDataObjectIds.push(named);
  else if (sourceKinds.length > 0) {
    const source =
      needed.find((row) => sourceKinds.includes(row.kind)) ??
      (await newestOf(db, place, sourceKinds, typeof reference === 'string' ? reference : undefined));
    if (!source) return { error: missingSource(title, sourceKinds) };
    parameters['sourceDataObjectId'] = source.id;
    inputDataObjectIds.push(source.id);
  }
  if (typeof reference === 'string') inputDataObjectIds.push(reference);
  if (usesAlignment(step, place.steps)) {
    const matrix = needed.find((row) => row.kind === 'alignment')?.metadata['matrix'];
    if (!Array.isArray(matrix))
      return missing(`${title} waits for an alignment, but the step that it needs made none.`);
    parameters['alignment'] = 'matrix';
    parameters['matrix'] = matrix;
  }
  return { parameters, inputDataObjectIds };
}
