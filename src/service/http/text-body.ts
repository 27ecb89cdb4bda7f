/** Parses JSON bodies and refuses text that the database can't store. */
import { Problem } from './problem.ts';

/** deeper than any shape of the contract, but safe for recursion */
const MAX_DEPTH = 64;

/** False for text that PostgreSQL can't store: U+0000 and unpaired surrogates. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** @throws Problem MALFORMED_BODY, or VALIDATION_FAILED naming the field */
export function parseJsonBody(text: string): unknown {
  if (text === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Problem('MALFORMED_BODY', `the body is not JSON: ${(error as Error).message}`);
  }
  checkValue(value, '', 0);
  return value;
}

function checkValue(value: unknown, place: string, depth: number): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) refuse(place, 'has a NUL character or an unpaired surrogate');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth === MAX_DEPTH)
    throw new Problem('MALFORMED_BODY', `the body is nested deeper than ${MAX_DEPTH} levels`);
  for (const [key, inner] of Object.entries(value)) {
    const inside = place === '' ? key : `${place}.${key}`;
    if (!isStorable(key)) refuse(place || 'body', 'has a field whose name is not text');
    if (key === '__proto__') refuse(inside, 'is not a name that a field may have');
    checkValue(inner, inside, depth + 1);
  }
}

function refuse(field: string, detail: string): never {
  const name = isStorable(field) ? field || 'body' : 'body';
  throw new Problem('VALIDATION_FAILED', `${name} ${detail}`, {
    field: name,
    errors: [{ field: name, detail, code: 'VALIDATION_FAILED' }],
  });
}
