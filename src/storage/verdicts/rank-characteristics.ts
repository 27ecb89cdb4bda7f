import type { Characteristic } from '#contract/shapes/characteristic.ts';

type Numbers = Pick<Characteristic, 'lower' | 'upper' | 'measured'>;

/**
 * How much of its tolerance a measured value uses; 1: at the limit. With two limits by the distance from their middle, with
 * one limit by the ratio to it.
 */
function measureUse({ lower, upper, measured }: Numbers): number {
  if (measured === null) return 0;
  if (lower !== null && upper !== null) {
    const half = (upper - lower) / 2;
    return half > 0 ? Math.abs(measured - (upper + lower) / 2) / half : 0;
  }
  if (upper !== null) return upper > 0 ? measured / upper : measured > upper ? 2 : 0;
  if (lower !== null) return measured > 0 ? lower / measured : measured < lower ? 2 : 0;
  return 0;
}

const ranks = { fail: 0, indeterminate: 1, pass: 2 } as const;

/** Sorts by verdict (worst first), then by use of the tolerance; outdated ones follow, newest first. */
export const rankCharacteristics = (all: readonly Characteristic[]): Characteristic[] =>
  [...all].sort(
    (a, b) =>
      Number(a.outdated) - Number(b.outdated) ||
      (a.outdated ? b.measuredAt.localeCompare(a.measuredAt) : 0) ||
      ranks[a.verdict] - ranks[b.verdict] ||
      measureUse(b) - measureUse(a) ||
      a.name.localeCompare(b.name, 'en') ||
      a.id.localeCompare(b.id),
  );
