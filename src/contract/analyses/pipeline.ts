import { z } from 'zod';
import { declareAnalysis } from './declaration.ts';
import { Gate, listGateIssues } from './gates.ts';
import { getStep, stepKinds } from './steps.ts';

/** One step of a recipe or pipeline. */
export const RecipeStep = z
  .strictObject({
    key: z
      .string()
      .regex(/^[a-z][a-zA-Z0-9_-]{0,63}$/, 'letters, digits, - and _, starting with a small letter'),
    operation: z.enum(stepKinds),
    parameters: z.record(z.string(), z.unknown()).default({}).meta({
      description:
        'parameters of the analysis. sourceDataObjectId, referenceDataObjectId and matrix default to the results of the steps in `needs`, then to the project’s newest suitable data and newest CAD',
    }),
    needs: z
      .array(z.string())
      .max(50)
      .default([])
      .meta({ description: 'keys of steps that must finish first' }),
  })
  .meta({ id: 'RecipeStep' });
export type RecipeStep = z.infer<typeof RecipeStep>;

/** Placeholder for validating a step whose matrix is known only when it runs. */
const laterMatrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Whether the analysis finds a pose that later steps can use. */
export const findsPose = (step: RecipeStep): boolean => 'pose' in getStep(step.operation);

/** Whether the step takes its pose from one of the steps it needs. */
export const takesPose = (step: RecipeStep, steps: readonly RecipeStep[]): boolean =>
  'pose' in getStep(step.operation).needs &&
  step.parameters['alignment'] !== 'none' &&
  step.parameters['matrix'] === undefined &&
  steps.some((before) => findsPose(before) && step.needs.includes(before.key));

/** Validates the parameters of a step: the issues found, or the parameters with defaults filled in. */
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

/** The steps with defaults filled in, so that changed defaults in a later version don't affect them. */
export function fillDefaults(steps: readonly RecipeStep[]): RecipeStep[] {
  return steps.map((step) => {
    const parsed = parseStep(step, steps);
    return parsed.success ? { ...step, parameters: parsed.parameters } : step;
  });
}

/** Steps in any order, with unique keys, known and acyclic needs, and parameters valid for their analyses. */
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

/** Refinement for steps with gates: the measure and unit of every gate must belong to the analysis of its step. */
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
  purpose: 'Several analyses in order, with pass/fail gates',
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
