/** What a step works on: what its parameters name, else what the steps made that it needs, else the project's newest. */
import { and, desc, eq, inArray, isNull, notInArray, or } from 'drizzle-orm';
import { type DataObjectKind, readPose } from '#contract/analyses/data-kinds.ts';
import { type RecipeStep, takesPose } from '#contract/analyses/pipeline.ts';
import { getStep } from '#contract/analyses/steps.ts';
import type { Executor } from '#storage/db/connection.ts';
import { type DataObjectRow, dataObjects } from '#storage/db/schema-data.ts';
import type { WorkError } from '#storage/db/schema-work.ts';
import { newestReference } from '#storage/projects/references.ts';
import { missingReference, missingSource } from '#storage/recipes/missing-data.ts';

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
  const { title, needs } = getStep(step.operation);
  const sourceKinds: readonly DataObjectKind[] = needs.source;
  const parameters = { ...step.parameters };
  const needed = step.needs.flatMap((key) => place.outputs.get(key) ?? []);
  const inputDataObjectIds: string[] = [];

  const given = parameters['referenceDataObjectId'];
  const named = parameters['sourceDataObjectId'];
  if (typeof named === 'string') inputDataObjectIds.push(named);
  else if (sourceKinds.length > 0) {
    const source =
      needed.find((row) => sourceKinds.includes(row.kind)) ??
      (await newestOf(db, place, sourceKinds, typeof given === 'string' ? given : undefined));
    if (!source) return { error: missingSource(title, sourceKinds) };
    parameters['sourceDataObjectId'] = source.id;
    inputDataObjectIds.push(source.id);
  }
  if (needs.reference.length > 0) {
    const [sourceId] = inputDataObjectIds;
    const reference =
      typeof given === 'string' ? given : (await newestReference(db, place.projectId, sourceId))?.id;
    if (reference === undefined) return { error: missingReference(title) };
    parameters['referenceDataObjectId'] = reference;
    inputDataObjectIds.push(reference);
  }
  if (takesPose(step, place.steps)) {
    const matrix = needed.map(readPose).find((pose) => pose !== undefined);
    if (!matrix) return missing(`${title} waits for an alignment, but the step that it needs made none.`);
    parameters['alignment'] = 'matrix';
    parameters['matrix'] = matrix;
  }
  return { parameters, inputDataObjectIds };
}
