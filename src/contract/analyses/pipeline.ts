import { z } from 'zod';
import { analysisKinds } from './kinds.ts';

/** One step of a recipe or pipeline; `needs` names the steps that must have ended before. */
export const RecipeStep = z
  .strictObject({
    key: z
      .string()
      .regex(/^[a-z][a-zA-Z0-9_-]{0,63}$/, 'letters, digits, - and _, starting with a small letter'),
    operation: z.enum(analysisKinds).exclude(['runPipeline']),
    parameters: z.record(z.string(), z.unknown()).default({}),
    needs: z.array(z.string()).default([]),
  })
  .meta({ id: 'RecipeStep' });
export type RecipeStep = z.infer<typeof RecipeStep>;

/** Steps in any order; keys unique, needs known and free of cycles. */
export const RecipeSteps = z
  .array(RecipeStep)
  .min(1)
  .max(50)
  .check((context) => {
    const steps = context.value;
    const left = new Set(steps.map(({ key }) => key));
    if (left.size !== steps.length) {
      context.issues.push({ code: 'custom', input: steps, message: 'each step needs a key of its own' });
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

export const PipelineParameters = z.strictObject({ steps: RecipeSteps }).meta({ id: 'PipelineParameters' });
export type PipelineParameters = z.infer<typeof PipelineParameters>;
