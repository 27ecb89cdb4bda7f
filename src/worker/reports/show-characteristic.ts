import { formatGuardBand } from '#contract/analyses/gates.ts';
import { formatMeasuredAgainstLimit } from '#contract/analyses/quantities.ts';
import { formatGiven } from '#contract/base/format-number.ts';
import type { Verdict } from '#contract/metadata/verdict.ts';
import type { GateResult } from '../results/run-results.ts';

/** A characteristic with its limits, as shown in reports. */
export interface ShownCharacteristic {
  name: string;
  measured: string;
  tolerance: string;
  guardBand: string;
  verdict: Verdict | null;
  /** the part of the verdict that the numbers do not explain */
  reason: string | null;
  /** the worst place, in mm */
  positionMm: readonly number[] | null;
}

const comparisonWords = { '<': 'less than', '<=': 'at most', '>': 'more than', '>=': 'at least' } as const;
const order: Record<string, number> = { fail: 0, indeterminate: 1, pass: 3 };

/** Worst first; unmeasured ones before those that pass. */
export const sortWorstFirst = (list: readonly ShownCharacteristic[]): ShownCharacteristic[] =>
  list.toSorted((a, b) => (order[a.verdict ?? ''] ?? 2) - (order[b.verdict ?? ''] ?? 2));

interface JudgedGate extends Omit<GateResult, 'dataObjectId' | 'positionMm'> {
  positionMm: readonly number[] | null;
}

export const showGate = (gate: JudgedGate): ShownCharacteristic => ({
  name: gate.label,
  measured:
    gate.measured === null
      ? 'not measured'
      : formatMeasuredAgainstLimit(gate.measured, gate.uncertainty, gate.limit, gate.unit),
  tolerance: `${comparisonWords[gate.comparison]} ${formatGiven(gate.limit, gate.unit)}`,
  guardBand: formatGuardBand(gate.guardBand, gate.unit),
  verdict: gate.verdict,
  reason: gate.reason,
  positionMm: gate.positionMm,
});
