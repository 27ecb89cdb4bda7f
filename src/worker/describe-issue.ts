import type { ZodError } from 'zod';

/** The first thing that a schema found wrong, after its place; `whole` names what has no path. */
export const describeIssue = ({ issues: [issue] }: ZodError, whole: string): string =>
  `${issue?.path.join('.') || whole}: ${issue?.message ?? 'not valid'}.`;
