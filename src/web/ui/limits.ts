/** Formats measured values and their limits. Pure. */
import { formatBand } from '#contract/analyses/gates.ts';
import { formatMeasuredAgainstLimit } from '#contract/analyses/quantities.ts';
import { formatGiven } from '#contract/base/format-number.ts';

export interface Limited {
  nominal: number | null;
  lower: number | null;
  upper: number | null;
  measured: number | null;
  /** expanded (k = 2); null or undefined when unknown */
  uncertainty?: number | null;
  unit: string;
}

const withMinus = (text: string): string => text.replaceAll('-', '\u2212');
const given = (value: number, unit: string): string => withMinus(formatGiven(value, unit));

/** `±0.1 mm`, `−0.1 / +0.2 mm`, `≤ 1 %`. */
export function formatTolerance({ nominal, lower, upper, unit }: Limited): string {
  if (lower !== null && upper !== null) return withMinus(formatBand(nominal, lower, upper, unit));
  if (upper !== null) return `≤ ${given(upper, unit)}`;
  return lower === null ? '–' : `≥ ${given(lower, unit)}`;
}

/** The measured value beside the nearer limit. */
export function formatMeasured({ lower, upper, measured, uncertainty = null, unit }: Limited): string {
  const isLower = lower !== null && (upper === null || (measured ?? 0) < (lower + upper) / 2);
  const limit = (isLower ? lower : upper) ?? Number.NaN;
  return withMinus(formatMeasuredAgainstLimit(measured, uncertainty, limit, unit));
}

export const formatNominal = ({ nominal, unit }: Limited): string =>
  nominal === null ? '–' : given(nominal, unit);

/** The measured value and its limits in one line. */
export function explainLimited({
  name,
  reason,
  ...limited
}: Limited & { name: string; reason: string | null }): string {
  const numbers = `${name}: ${formatMeasured(limited)}, tolerance ${formatTolerance(limited)}.`;
  return reason === null ? numbers : `${numbers} ${reason}`;
}

export interface Deviation {
  /** as a fraction of the bar's width, 0 to 1 */
  at: number;
  /** ends of the uncertainty interval */
  interval: readonly [number, number];
  lower: number | null;
  upper: number | null;
}

/** The bar extends to 1.5 times the tolerance; values further out are drawn at its end. */
const REACH = 1.5;
const clamp = (value: number): number => Math.min(1, Math.max(0, value));

/** Positions of the measured value and its limits on a bar; null without a measured value or a limit. */
export function placeOnBar({ lower, upper, measured, uncertainty }: Limited): Deviation | null {
  if (measured === null) return null;
  const place = choosePlaces(lower, upper, measured);
  if (place === null) return null;
  const half = uncertainty ?? 0;
  return {
    at: clamp(place(measured)),
    interval: [clamp(place(measured - half)), clamp(place(measured + half))],
    lower: lower === null ? null : place(lower),
    upper: upper === null ? null : place(upper),
  };
}

/** Maps values to positions on the bar; null without a limit. */
function choosePlaces(
  lower: number | null,
  upper: number | null,
  measured: number,
): ((value: number) => number) | null {
  if (lower !== null && upper !== null) {
    const [middle, half] = [(lower + upper) / 2, (upper - lower) / 2];
    return (value) => (half > 0 ? 0.5 + (value - middle) / half / REACH / 2 : 0.5);
  }
  const limit = lower ?? upper;
  if (limit === null) return null;
  const scale = Math.abs(limit) || Math.abs(measured) || 1;
  return (value) =>
    limit > 0 && measured >= 0 ? value / scale / REACH : 0.5 + (value - limit) / scale / REACH / 2;
}
