/** Gates of a recipe: a measure compared with a limit, with a guard band around it. */
import { z } from 'zod';
import { formatGiven, roundShown } from '../base/format-number.ts';
import type { Verdict } from '../metadata/verdict.ts';
import type { Warning } from '../metadata/warning.ts';
import { listUnits } from './quantities.ts';
import { findMeasure, type StepKind, splitMeasure } from './steps.ts';

export const comparisons = ['<', '<=', '>', '>='] as const;

export const Gate = z
  .strictObject({
    key: z.string().min(1).max(64),
    measure: z
      .string()
      .min(1)
      .max(200)
      .meta({ description: 'key of the step and path of the measure, such as thickness.minMm' }),
    comparison: z.enum(comparisons),
    limit: z.number('a limit is missing: type a number'),
    unit: z
      .string()
      .max(32)
      .default('')
      .meta({ description: 'unit of the limit and guard band; default: the measure’s' }),
    guardBand: z.number().min(0).nullable().default(null).meta({
      description:
        'half-width of the band around the limit in which the verdict is indeterminate; null (default): the expanded uncertainty (k = 2) of the measured value. When the result states none, the guard band is 0 and the characteristic’s reason says so; if a warning names the measure, the verdict is indeterminate',
    }),
  })
  .meta({ id: 'Gate' });
export type Gate = z.infer<typeof Gate>;

interface Limit extends Pick<Gate, 'comparison' | 'limit'> {
  guardBand: number;
}

/**
 * Verdict according to ISO 14253-1: pass only when the measured value is within the limit by at least the guard band, fail
 * only when it exceeds the limit by more than the guard band, indeterminate in between and when nothing was measured.
 */
export function judgeGate({ comparison, limit, guardBand }: Limit, measured: number | null): Verdict {
  if (measured === null) return 'indeterminate';
  const isUpper = comparison.startsWith('<');
  const isStrict = comparison.length === 1;
  // Distance to the limit, positive on the passing side. Rounding errors of unit conversion don't count.
  const margin = isUpper ? limit - measured : measured - limit;
  const epsilon = 1e-9 * Math.max(Math.abs(limit), Math.abs(measured), Number.MIN_VALUE);
  const isAtLimit = Math.abs(margin) <= epsilon;
  if (guardBand === 0) return (isAtLimit ? !isStrict : margin > 0) ? 'pass' : 'fail';
  if (isStrict ? margin > guardBand + epsilon : margin >= guardBand - epsilon) return 'pass';
  return margin < -guardBand - epsilon ? 'fail' : 'indeterminate';
}

/** Facts about a result that affect the reliability of a measure. */
interface Found {
  warnings: readonly Warning[];
  /** expanded uncertainty, in the unit of the gate; null when the result states none */
  uncertainty: number | null;
  /** the measure is a count, for which no result states an uncertainty */
  isCount: boolean;
}

export interface JudgedGate {
  verdict: Verdict;
  /** explains the verdict when the numbers alone do not; otherwise null */
  reason: string | null;
  /** guard band of the gate, or the uncertainty used instead */
  guardBand: number;
}

/**
 * Judges a gate on a result. Indeterminate, with a reason, when a warning invalidates the measure, or when a warning names
 * the measure and there is neither an uncertainty nor an explicit guard band to cover it.
 */
export function judgeResult(
  gate: Gate,
  measured: number | null,
  { warnings, uncertainty, isCount }: Found,
): JudgedGate {
  const { path } = splitMeasure(gate.measure);
  // Rounded like displayed uncertainties.
  const guardBand = gate.guardBand ?? Number((uncertainty ?? 0).toPrecision(2));
  const doubts = warnings.filter(({ measures }) => measured !== null && measures.includes(path));
  const denial = doubts.find(({ invalidates }) => invalidates);
  if (denial) return { verdict: 'indeterminate', reason: denial.message, guardBand };
  const [mark] = doubts;
  if (mark && gate.guardBand === null && uncertainty === null) {
    const reason = `${mark.message} Its effect on this number is unknown: give the gate its own guard band.`;
    return { verdict: 'indeterminate', reason, guardBand };
  }
  const verdict = judgeGate({ ...gate, guardBand }, measured);
  if (gate.guardBand !== null || measured === null) return { verdict, reason: null, guardBand };
  const reason =
    verdict === 'indeterminate'
      ? `The limit is closer than the uncertainty of the measured value, ${formatGuardBand(guardBand, gate.unit)} (k = 2).`
      : uncertainty === null && !isCount
        ? 'The uncertainty of the measured value is unknown, so it was judged as if it were exact. Give the gate its own guard band.'
        : null;
  return { verdict, reason, guardBand };
}

/** @param guardBand null: the uncertainty of the value, not measured yet */
export function formatGuardBand(guardBand: number | null, unit: string): string {
  if (guardBand === null) return 'uncertainty';
  return guardBand === 0 ? 'none' : `±${formatGiven(roundShown(guardBand), unit)}`;
}

/** A two-sided tolerance: `±0.1 mm` or `-0.1 / +0.2 mm` around a nominal value, without one `0.1 to 0.3 mm`. */
export function formatBand(nominal: number | null, lower: number, upper: number, unit: string): string {
  if (nominal === null) return `${formatGiven(lower)} to ${formatGiven(upper, unit)}`;
  const [below, above] = [lower - nominal, upper - nominal];
  if (Math.abs(below + above) < 1e-9 * Math.abs(above)) return `±${formatGiven(above, unit)}`;
  const signed = (value: number, of = '') => `${value < 0 ? '' : '+'}${formatGiven(value, of)}`;
  return `${signed(below)} / ${signed(above, unit)}`;
}

/** The limit of a gate as the upper or lower limit of a characteristic. */
export const readLimits = ({ comparison, limit }: Pick<Gate, 'comparison' | 'limit'>) =>
  comparison.startsWith('<') ? { lower: null, upper: limit } : { lower: limit, upper: null };

/** The worst verdict: fail, then indeterminate, then pass; null without any. */
export function combineVerdicts(verdicts: readonly (Verdict | null)[]): Verdict | null {
  if (verdicts.includes('fail')) return 'fail';
  if (verdicts.includes('indeterminate')) return 'indeterminate';
  return verdicts.includes('pass') ? 'pass' : null;
}

interface GatedStep {
  key: string;
  operation: StepKind;
}

interface GateIssue {
  path: [index: number, field: string];
  message: string;
}

/** Problems of gates for these steps: duplicate keys, unknown measures, wrong units. */
export function listGateIssues(gates: readonly Gate[], steps: readonly GatedStep[]): GateIssue[] {
  const keys = new Set<string>();
  return gates.flatMap((gate, index): GateIssue[] => {
    const found: GateIssue[] = [];
    if (keys.has(gate.key)) found.push({ path: [index, 'key'], message: 'each gate needs a key of its own' });
    keys.add(gate.key);
    const { step: stepKey, path } = splitMeasure(gate.measure);
    const step = steps.find(({ key }) => key === stepKey);
    if (!step) {
      const known = steps.map(({ key }) => key).join(', ');
      found.push({ path: [index, 'measure'], message: `there is no step “${stepKey}”; there are ${known}` });
      return found;
    }
    const measure = findMeasure(step.operation, path);
    if (!measure) {
      found.push({
        path: [index, 'measure'],
        message: `${step.operation} does not measure “${path}”; docs/interface.md lists what it does`,
      });
      return found;
    }
    const units = listUnits(measure.quantity);
    if (gate.unit !== '' && !units.includes(gate.unit)) {
      const named = units.map((unit) => (unit === '' ? 'no unit' : unit)).join(' or ');
      found.push({ path: [index, 'unit'], message: `“${measure.label}” is given in ${named}` });
    }
    return found;
  });
}

/** The gates, with the unit of their measure filled in when none was given. */
export function fillUnits(gates: readonly Gate[], steps: readonly GatedStep[]): Gate[] {
  return gates.map((gate) => {
    const { step: stepKey, path } = splitMeasure(gate.measure);
    const step = steps.find(({ key }) => key === stepKey);
    const measure = step && findMeasure(step.operation, path);
    return gate.unit === '' && measure ? { ...gate, unit: listUnits(measure.quantity)[0] } : gate;
  });
}
