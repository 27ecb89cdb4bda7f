/** Summarizes the verdicts of a recipe's runs in one line. Pure. */
import { formatCount, formatQuantity } from '#contract/base/format-number.ts';
import type { Verdict } from '#contract/metadata/verdict.ts';

/** `1 of 3 passed, 33.33 % · 2 indeterminate`; a run that did not pass may be indeterminate rather than failed. */
export function describePassRate({ pass, fail, indeterminate }: Record<Verdict, number>): string | null {
  const judged = pass + fail + indeterminate;
  if (judged === 0) return null;
  return [
    `${formatCount(pass)} of ${formatCount(judged)} passed, ${formatQuantity((100 * pass) / judged, '%')}`,
    ...(fail > 0 ? [`${formatCount(fail)} failed`] : []),
    ...(indeterminate > 0 ? [`${formatCount(indeterminate)} indeterminate`] : []),
  ].join(' · ');
}
