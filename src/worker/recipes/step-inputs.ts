/** Inputs of a step: named in its parameters, otherwise made by steps it depends on, otherwise the project's newest. */
import { readPose } from '#contract/analyses/data-kinds.ts';
import { type RecipeStep, takesPose } from '#contract/analyses/pipeline.ts';
import { getStep } from '#contract/analyses/steps.ts';
import type { Executor } from '#storage/db/connection.ts';
import type { DataObjectRow } from '#storage/db/schema-data.ts';
import type { WorkError } from '#storage/db/schema-work.ts';
import { chooseInputs } from '#storage/projects/choose-inputs.ts';

export interface StepPlace {
  projectId: string;
  steps: readonly RecipeStep[];
  /** outputs of completed steps of this invocation, by step key */
  outputs: ReadonlyMap<string, DataObjectRow[]>;
  /** all operations of this invocation, however they ended: their outputs count only for dependent steps */
  operationIds: readonly string[];
}

export type StepInputs =
  | { parameters: Record<string, unknown>; inputDataObjectIds: string[] }
  | { error: WorkError };

const missing = (detail: string): StepInputs => ({ error: { code: 'MISSING_INPUT', detail } });

/** Fills in the inputs that the step leaves open; an error when the project has nothing suitable. */
export async function stepInputs(db: Executor, step: RecipeStep, place: StepPlace): Promise<StepInputs> {
  const analysis = getStep(step.operation);
  const made = step.needs.flatMap((key) => place.outputs.get(key) ?? []);
  const chosen = await chooseInputs(db, {
    projectId: place.projectId,
    analysis,
    named: step.parameters,
    made,
    ignoredOperationIds: place.operationIds,
  });
  if ('error' in chosen) return chosen;
  const inputs = Object.entries(chosen).filter(([, id]) => id !== undefined);
  const parameters: Record<string, unknown> = { ...step.parameters, ...Object.fromEntries(inputs) };
  if (takesPose(step, place.steps)) {
    const matrix = made.map(readPose).find((pose) => pose !== undefined);
    if (!matrix)
      return missing(`${analysis.title} waits for an alignment, but the step that it needs made none.`);
    parameters['alignment'] = 'matrix';
    parameters['matrix'] = matrix;
  }
  return { parameters, inputDataObjectIds: inputs.map(([, id]) => id) };
}
