/** Reads the import hints that a user gives as text in the metadata of an upload. */
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
    // A single length applies to all three axes.
    return sides.length === 1 ? [sides[0], sides[0], sides[0]] : sides;
  }
  if (field === 'sizeConfirmed') return text === 'true' || (text === 'false' ? false : text);
  return numbers.has(field) ? Number(text) : text;
}

/** Picks the fields of `RetryInput` from named values and converts text to their types; does not validate them. */
export function readImportHints(values: Record<string, unknown>): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const field of Object.keys(RetryInput.shape)) {
    const value = values[field];
    if (value === undefined || value === null || value === '') continue;
    found[field] = typeof value === 'string' ? parseText(field, value) : value;
  }
  return found;
}
