import type { MissingField } from './format-error.ts';

/** Parts outside this range are possible but usually have a wrong unit. */
const smallestPartMm = 0.25;
const largestPartMm = 10_000;

/**
 * The question about an unusual size; undefined for a usual or confirmed one.
 *
 * @param correctable fields the user can correct instead, with current values
 */
export function questionSize(
  sizeMm: readonly number[],
  { sizeConfirmed }: { sizeConfirmed?: boolean },
  correctable: Record<string, unknown> = {},
): { missing: MissingField[]; suggested: Record<string, unknown> } | undefined {
  const longest = Math.max(...sizeMm);
  if (sizeConfirmed || (longest >= smallestPartMm && longest <= largestPartMm)) return undefined;
  return { missing: ['sizeConfirmed'], suggested: { sizeMm: [...sizeMm], ...correctable } };
}
