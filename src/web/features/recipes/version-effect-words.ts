import { formatCount } from '#contract/base/format-number.ts';
import type { VersionEffectSummary, VersionOutcome } from '#contract/shapes/version-effect.ts';

const words: Record<VersionOutcome, string> = {
  pass: 'Pass',
  fail: 'Fail',
  indeterminate: 'Indeterminate',
  none: 'No verdict',
  notRun: 'Not run',
};

/** “3 would change from Pass to Fail · 12 would keep their verdict · 2 unknown, as a version has not run there”. */
export function summarizeEffects(summary: VersionEffectSummary): string {
  const count = (rows: VersionEffectSummary) => rows.reduce((sum, row) => sum + row.count, 0);
  const isOpen = ({ before, after }: VersionEffectSummary[number]) =>
    before === 'notRun' || after === 'notRun';
  const known = summary.filter((row) => !isOpen(row));
  const same = count(known.filter(({ before, after }) => before === after));
  const open = count(summary.filter(isOpen));
  return [
    ...known
      .filter(({ before, after }) => before !== after)
      .map(
        (row) => `${formatCount(row.count)} would change from ${words[row.before]} to ${words[row.after]}`,
      ),
    ...(same > 0 ? [`${formatCount(same)} would keep ${same === 1 ? 'its' : 'their'} verdict`] : []),
    ...(open > 0 ? [`${formatCount(open)} unknown, as a version has not run there`] : []),
  ].join(' · ');
}
