import type { MissingField } from './format-error.ts';

/** Parts beyond these are possible, and far more often an error of the unit. */
const smallestPartMm = 0.25;
const largestPartMm = 10_000;

/**
 * The question about a size that few parts have; undefined for one that is likely or was confirmed.
 *
 * @param correctable what a person can correct instead, as it is now
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
