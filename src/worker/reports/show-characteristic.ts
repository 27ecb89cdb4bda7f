import { formatGuardBand, type Gate } from '#contract/analyses/gates.ts';
import { formatMeasuredBeside } from '#contract/analyses/quantities.ts';
import { formatGiven } from '#contract/base/format-number.ts';
import type { Verdict } from '#contract/metadata/verdict.ts';

/** A characteristic with its limits, as a report shows it. */
export interface ShownCharacteristic {
  name: string;
  measured: string;
  tolerance: string;
  guardBand: string;
  verdict: Verdict | null;
  /** what the numbers do not say about the verdict */
  reason: string | null;
  /** where it is worst, in mm */
  positionMm: readonly number[] | null;
}

const comparisonWords = { '<': 'less than', '<=': 'at most', '>': 'more than', '>=': 'at least' } as const;
const order: Record<string, number> = { fail: 0, indeterminate: 1, pass: 3 };

/** The worst first; what was not measured stands before what passes. */
export const sortWorstFirst = (list: readonly ShownCharacteristic[]): ShownCharacteristic[] =>
  list.toSorted((a, b) => (order[a.verdict ?? ''] ?? 2) - (order[b.verdict ?? ''] ?? 2));

interface JudgedGate extends Gate {
  label: string;
  measured: number | null;
  /** expanded, in the gate's unit; null where none is known */
  uncertainty: number | null;
  verdict: Verdict | null;
  reason: string | null;
  positionMm: readonly number[] | null;
}

export const showGate = (gate: JudgedGate): ShownCharacteristic => ({
  name: gate.label,
  measured:
    gate.measured === null
      ? 'not measured'
      : formatMeasuredBeside(gate.measured, gate.uncertainty, gate.limit, gate.unit),
  tolerance: `${comparisonWords[gate.comparison]} ${formatGiven(gate.limit, gate.unit)}`,
  guardBand: formatGuardBand(gate.guardBand, gate.unit),
  verdict: gate.verdict,
  reason: gate.reason,
  positionMm: gate.positionMm,
});
