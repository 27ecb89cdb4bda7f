import type { ZodError } from 'zod';

/** The first issue of a schema with its path; `whole` is used when there is no path. */
export const describeIssue = ({ issues: [issue] }: ZodError, whole: string): string =>
  `${issue?.path.join('.') || whole}: ${issue?.message ?? 'not valid'}.`;
