/** The current characteristics of a project for its report. */
import { formatBand, formatGuardBand } from '#contract/analyses/gates.ts';
import { formatMeasuredAgainstLimit } from '#contract/analyses/quantities.ts';
import { formatGiven } from '#contract/base/format-number.ts';
import type { Characteristic } from '#contract/shapes/characteristic.ts';
import type { Executor } from '#storage/db/connection.ts';
import { listCharacteristics } from '#storage/verdicts/list-characteristics.ts';
import type { ShownCharacteristic } from './show-characteristic.ts';

/** `at most 0.5 mm`, `±0.1 mm`. */
function formatTolerance({ nominal, lower, upper, unit }: Characteristic): string {
  if (lower !== null && upper !== null) return formatBand(nominal, lower, upper, unit);
  if (upper !== null) return `at most ${formatGiven(upper, unit)}`;
  return lower === null ? '–' : `at least ${formatGiven(lower, unit)}`;
}

function formatMeasured({ measured, uncertainty, lower, upper, unit }: Characteristic): string {
  if (measured === null) return 'not measured';
  const near = (limit: number | null) => (limit === null ? Infinity : Math.abs(measured - limit));
  const limit = near(lower) < near(upper) ? lower : upper;
  return formatMeasuredAgainstLimit(measured, uncertainty, limit ?? Number.NaN, unit);
}

export async function listProjectCharacteristics(
  db: Executor,
  projectId: string,
): Promise<ShownCharacteristic[]> {
  const found = await listCharacteristics(db, [projectId], { onlyCurrent: true });
  return (found.get(projectId)?.characteristics ?? []).map((characteristic) => {
    const { name, unit, guardBand, verdict, reason, positionMm } = characteristic;
    return {
      name,
      measured: formatMeasured(characteristic),
      tolerance: formatTolerance(characteristic),
      guardBand: formatGuardBand(guardBand, unit),
      verdict,
      reason,
      positionMm,
    };
  });
}
