/** What a person says of a file, as text: the metadata of an upload. */
import { RetryInput } from './operation.ts';

const numbers = new Set([
  'headerBytes',
  'sourceToAxisMm',
  'sourceToDetectorMm',
  'pixelSizeMm',
  'totalAngleDeg',
]);

const vector = (text: string): number[] =>
  text
    .replace(/[[\]\s]/g, '')
    .split(',')
    .map((part) => (part === '' ? Number.NaN : Number(part)));

function parseText(field: string, text: string): unknown {
  if (field === 'dimensions') return vector(text);
  if (field === 'voxelSizeMm') {
    const sides = vector(text);
    // One length stands for all three axes.
    return sides.length === 1 ? [sides[0], sides[0], sides[0]] : sides;
  }
  if (field === 'sizeConfirmed') return text === 'true' || (text === 'false' ? false : text);
  return numbers.has(field) ? Number(text) : text;
}

/** The fields of `RetryInput` among named values, texts in the types that they stand for; not checked yet. */
export function readImportHints(values: Record<string, unknown>): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const field of Object.keys(RetryInput.shape)) {
    const value = values[field];
    if (value === undefined || value === null || value === '') continue;
    found[field] = typeof value === 'string' ? parseText(field, value) : value;
  }
  return found;
}
