/** Body of every error response. */
import { z } from 'zod';
import { problemCodes } from './problem-codes.ts';

const ProblemCode = z
  .enum(Object.keys(problemCodes) as [keyof typeof problemCodes, ...(keyof typeof problemCodes)[]])
  .meta({ id: 'ProblemCode' });

export const FieldProblem = z
  .object({ field: z.string(), detail: z.string(), code: z.string() })
  .meta({ id: 'FieldProblem' });
export type FieldProblem = z.infer<typeof FieldProblem>;

export const Problem = z
  .object({
    detail: z.string().meta({ description: 'what is wrong, where, and what would be valid' }),
    code: ProblemCode,
    field: z.string().optional().meta({ description: 'path of the invalid field' }),
    errors: z.array(FieldProblem).optional().meta({ description: 'one entry per invalid field' }),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof Problem>;
