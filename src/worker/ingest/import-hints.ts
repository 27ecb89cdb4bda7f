import { readImportHints } from '#contract/shapes/import-hints.ts';
import { RetryInput } from '#contract/shapes/operation.ts';
import { describeIssue } from '../describe-issue.ts';
import { WorkFailure } from '../work/describe-failure.ts';

/**
 * What the user stated about a file: with the upload (tus metadata, all text, lists as `x,y,z`), and later with a
 * retry, which takes precedence.
 *
 * @throws WorkFailure naming the invalid field
 */
export function readHints(metadata: Record<string, string>, parameters: Record<string, unknown>): RetryInput {
  const parsed = RetryInput.safeParse(readImportHints({ ...metadata, ...parameters }));
  if (parsed.success) return parsed.data;
  throw new WorkFailure(
    'VALIDATION_FAILED',
    `The details given for the file can't be used: ${describeIssue(parsed.error, 'metadata')}`,
  );
}
