import { RetryInput } from '#contract/shapes/operation.ts';
import { WorkFailure } from '../operations/operation-work.ts';

/**
 * What the person said about a file: with the upload (tus metadata, all of it text, lists as `x,y,z`), and later
 * with a retry, which goes before.
 *
 * @throws WorkFailure naming the field that can't be used
 */
export function hintsOf(metadata: Record<string, string>, parameters: Record<string, unknown>): RetryInput {
  const given: Record<string, unknown> = {};
  for (const field of Object.keys(RetryInput.shape)) {
    const value = parameters[field] ?? metadata[field];
    if (value === undefined || value === null || value === '') continue;
    given[field] = typeof value === 'string' ? fromText(field, value) : value;
  }
  const parsed = RetryInput.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new WorkFailure(
    'VALIDATION_FAILED',
    `What was said of the file can't be used: ${issue.path.join('.') || 'metadata'}: ${issue.message}.`,
  );
}

function fromText(field: string, text: string): unknown {
  switch (field) {
    case 'voxelSizeMm':
    case 'dimensions': {
      const numbers = text
        .replace(/[[\]\s]/g, '')
        .split(',')
        .map(Number);
      // One length stands for all three axes.
      return field === 'voxelSizeMm' && numbers.length === 1 ? [numbers[0], numbers[0], numbers[0]] : numbers;
    }
    case 'headerBytes':
    case 'sourceToAxisMm':
    case 'sourceToDetectorMm':
    case 'pixelSizeMm':
    case 'totalAngleDeg':
      return Number(text);
    default:
      return text;
  }
}
