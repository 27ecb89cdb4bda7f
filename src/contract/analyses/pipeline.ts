import { z } from 'zod';
import { declareAnalysis } from './declaration.ts';
import { Gate, listGateIssues } from './gates.ts';
import { getStep, stepKinds } from './steps.ts';

/** One step of a recipe or pipeline; `needs` names the steps that must have ended before. */
export const RecipeStep = z
  .strictObject({
    key: z
      .string()
      .regex(/^[a-z][a-zA-Z0-9_-]{0,63}$/, 'letters, digits, - and _, starting with a small letter'),
    operation: z.enum(stepKinds),
    parameters: z.record(z.string(), z.unknown()).default({}).meta({
      description:
        'of the analysis. What is left out of sourceDataObjectId, referenceDataObjectId and matrix comes from the steps that this one needs, else from the project: its newest fitting data, its newest CAD',
    }),
    needs: z.array(z.string()).max(50).default([]),
  })
  .meta({ id: 'RecipeStep' });
export type RecipeStep = z.infer<typeof RecipeStep>;

/** Stands in, while a step is checked, for what is known only when it runs. */
const laterMatrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Whether the analysis finds a pose that steps after it can take. */
export const findsPose = (step: RecipeStep): boolean => 'pose' in getStep(step.operation);

/** Whether the step takes its pose from one that it needs. */
export const takesPose = (step: RecipeStep, steps: readonly RecipeStep[]): boolean =>
  'pose' in getStep(step.operation).needs &&
  step.parameters['alignment'] !== 'none' &&
  step.parameters['matrix'] === undefined &&
  steps.some((before) => findsPose(before) && step.needs.includes(before.key));

/** What the analysis of this step refuses, and the parameters with the defaults filled in when it refuses nothing. */
export function parseStep(
  step: RecipeStep,
  steps: readonly RecipeStep[],
):
  | { success: true; parameters: Record<string, unknown> }
  | { success: false; issues: readonly z.core.$ZodIssue[] } {
  const isLater = takesPose(step, steps);
  const given = isLater ? { ...step.parameters, matrix: laterMatrix } : step.parameters;
  const parsed = getStep(step.operation).parameters.safeParse(given, { reportInput: true });
  if (!parsed.success) return { success: false, issues: parsed.error.issues };
  const parameters: Record<string, unknown> = { ...parsed.data };
  if (isLater) delete parameters['matrix'];
  return { success: true, parameters };
}

/** The steps with the defaults of their analyses filled in, so that a later version's defaults change nothing. */
export function fillDefaults(steps: readonly RecipeStep[]): RecipeStep[] {
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
        message: `“${steps[twice]?.key}” is the key of another step: each step needs a key of its own`,
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
  for (const { path, message } of listGateIssues(context.value.gates, context.value.steps)) {
    context.issues.push({ code: 'custom', input: context.value, path: ['gates', ...path], message });
  }
}

const Parameters = z
  .strictObject({ steps: RecipeSteps, gates: Gates })
  .check(checkGates)
  .meta({ id: 'PipelineParameters' });
export type PipelineParameters = z.infer<typeof Parameters>;

export const pipeline = declareAnalysis({
  key: 'runPipeline',
  statusKey: 'pipeline',
  title: 'Pipeline',
  purpose: 'Run processing pipeline.',
  help: 'Runs several analyses in the order they depend on each other and judges the results, like a recipe, without saving one.',
  module: { key: 'pipelines', name: 'Pipelines' },
  stepKey: 'pipeline',
  parameters: Parameters,
  needs: { source: [], reference: [] },
  makes: null,
  surface: null,
  result: z.object({}),
  measures: [],
  scalars: [],
});
