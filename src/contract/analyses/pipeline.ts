import { z } from 'zod';
import { Gate, gateIssues } from './gates.ts';
import { analysisKinds } from './kinds.ts';
import { type StepKind, stepParameters } from './step-parameters.ts';

/** One step of a recipe or pipeline; `needs` names the steps that must have ended before. */
export const RecipeStep = z
  .strictObject({
    key: z
      .string()
      .regex(/^[a-z][a-zA-Z0-9_-]{0,63}$/, 'letters, digits, - and _, starting with a small letter'),
    operation: z.enum(analysisKinds).exclude(['runPipeline']),
    parameters: z.record(z.string(), z.unknown()).default({}).meta({
      description:
        'of the analysis. What is left out of sourceDataObjectId, referenceDataObjectId and matrix comes from the steps that this one needs, else from the project: its newest fitting data, its newest CAD',
    }),
    needs: z.array(z.string()).max(50).default([]),
  })
  .meta({ id: 'RecipeStep' });
export type RecipeStep = z.infer<typeof RecipeStep>;

/** Stand in, while a step is checked, for what is known only when it runs. */
const laterId = '00000000-0000-0000-0000-000000000000';
const laterMatrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Whether a comparison takes its matrix from an alignment step that it needs. */
export const usesAlignment = (step: RecipeStep, steps: readonly RecipeStep[]): boolean =>
  'alignment' in stepShape(step.operation) &&
  step.parameters['alignment'] !== 'none' &&
  step.parameters['matrix'] === undefined &&
  steps.some(({ key, operation }) => operation === 'runAutoAlignLite' && step.needs.includes(key));

const stepShape = (kind: StepKind): Record<string, z.ZodType> => stepParameters[kind].shape;

/** What the analysis of this step refuses, and the parameters with the defaults filled in when it refuses nothing. */
export function parseStep(
  step: RecipeStep,
  steps: readonly RecipeStep[],
):
  | { success: true; parameters: Record<string, unknown> }
  | { success: false; issues: readonly z.core.$ZodIssue[] } {
  const shape = stepShape(step.operation);
  const later: Record<string, unknown> = {};
  if ('referenceDataObjectId' in shape && step.parameters['referenceDataObjectId'] === undefined)
    later['referenceDataObjectId'] = laterId;
  if (usesAlignment(step, steps)) later['matrix'] = laterMatrix;
  const parsed = stepParameters[step.operation].safeParse(
    { ...step.parameters, ...later },
    { reportInput: true },
  );
  if (!parsed.success) return { success: false, issues: parsed.error.issues };
  const parameters: Record<string, unknown> = { ...parsed.data };
  for (const name of Object.keys(later)) delete parameters[name];
  return { success: true, parameters };
}

/** The steps with the defaults of their analyses filled in, so that a later version's defaults change nothing. */
export function withDefaults(steps: readonly RecipeStep[]): RecipeStep[] {
  return steps.map((step) => {
    const parsed = parseStep(step, steps);
    return parsed.success ? { ...step, parameters: parsed.parameters } : step;
  });
}

/** Steps in any order; keys unique, needs known and free of cycles, parameters as their analyses take them. */
export const RecipeSteps = z
  .array(RecipeStep)
  .min(1)
  .max(50)
  .check((context) => {
    const steps = context.value;
    const left = new Set(steps.map(({ key }) => key));
    if (left.size !== steps.length) {
      const twice = steps.findIndex(({ key }, index) => steps.findIndex((step) => step.key === key) < index);
      context.issues.push({
        code: 'custom',
        input: steps,
        path: [twice, 'key'],
        message: `“${steps[twice].key}” is the key of another step: each step needs a key of its own`,
      });
      return;
    }
    for (const [index, { needs }] of steps.entries()) {
      const unknown = needs.find((key) => !left.has(key));
      if (unknown === undefined) continue;
      context.issues.push({
        code: 'custom',
        input: steps,
        path: [index, 'needs'],
        message: `there is no step “${unknown}”`,
      });
      return;
    }
    for (const [index, step] of steps.entries()) {
      const parsed = parseStep(step, steps);
      if (parsed.success) continue;
      for (const issue of parsed.issues)
        context.issues.push({
          ...issue,
          input: issue.input,
          path: [index, 'parameters', ...issue.path],
        } as z.core.$ZodRawIssue);
    }
    for (let before = -1; before !== left.size; ) {
      before = left.size;
      for (const { key, needs } of steps) if (!needs.some((need) => left.has(need))) left.delete(key);
    }
    if (left.size > 0) {
      const circle = [...left].join(', ');
      context.issues.push({
        code: 'custom',
        input: steps,
        message: `these steps wait for each other: ${circle}`,
      });
    }
  });

export const Gates = z.array(Gate).max(200).default([]);

/** The refinement of an object with steps and gates: every gate's measure and unit are of its step's analysis. */
export function checkGates(context: z.core.ParsePayload<{ steps: RecipeStep[]; gates: Gate[] }>): void {
  for (const { path, message } of gateIssues(context.value.gates, context.value.steps)) {
    context.issues.push({ code: 'custom', input: context.value, path: ['gates', ...path], message });
  }
}

export const PipelineParameters = z
  .strictObject({ steps: RecipeSteps, gates: Gates })
  .check(checkGates)
  .meta({ id: 'PipelineParameters' });
export type PipelineParameters = z.infer<typeof PipelineParameters>;
