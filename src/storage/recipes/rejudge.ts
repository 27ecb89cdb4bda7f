/** Applies the gates of a recipe version to the measurements of a run. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { combineVerdicts, type Gate, type JudgedGate, judgeResult } from '#contract/analyses/gates.ts';
import type { RecipeStep } from '#contract/analyses/pipeline.ts';
import { findMeasure, readExpanded, readMeasure, splitMeasure } from '#contract/analyses/steps.ts';
import type { Verdict } from '#contract/metadata/verdict.ts';
import type { Warning } from '#contract/metadata/warning.ts';
import type { GateSide, VersionOutcome } from '#contract/shapes/version-effect.ts';
import type { InvocationGate } from '../db/schema-work.ts';

export interface Definition {
  steps: readonly RecipeStep[];
  gates: readonly Gate[];
}

/** Outcome of a version for a part. */
export interface Judged {
  outcome: VersionOutcome;
  gates: ReadonlyMap<string, GateSide & { measure: string }>;
}

/** Whether a step is the same in both versions: with the same parameters, after equal steps. */
export function isSameStep(key: string, a: readonly RecipeStep[], b: readonly RecipeStep[]): boolean {
  const [one, other] = [a, b].map((steps) => steps.find((step) => step.key === key));
  if (!one || !other) return false;
  return (
    one.operation === other.operation &&
    isDeepStrictEqual(one.parameters, other.parameters) &&
    isDeepStrictEqual([...one.needs].sort(), [...other.needs].sort()) &&
    one.needs.every((need) => isSameStep(need, a, b))
  );
}

type GateValue = readonly [
  gate: Gate,
  measured: number | null,
  judged: Pick<JudgedGate, 'verdict' | 'guardBand'>,
];

const judged = (gates: readonly GateValue[]): Judged => ({
  outcome: combineVerdicts(gates.map(([, , { verdict }]) => verdict)) ?? 'none',
  gates: new Map(
    gates.map(
      ([{ key, ...gate }, measured, { verdict, guardBand }]) =>
        [key, { ...gate, measured, verdict, guardBand }] as const,
    ),
  ),
});

/** The outcome of the run itself; gates that it could not measure are indeterminate. */
export function readJudged(
  { gates }: Definition,
  run: {
    verdict: Verdict | null;
    gates: readonly Pick<InvocationGate, 'key' | 'measured' | 'verdict' | 'guardBand'>[];
  },
): Judged {
  if (gates.length === 0) return { outcome: run.verdict ?? 'none', gates: new Map() };
  return judged(
    gates.map((gate) => {
      const result = run.gates.find(({ key }) => key === gate.key);
      const guardBand = result?.guardBand ?? gate.guardBand ?? 0;
      return [gate, result?.measured ?? null, { verdict: result?.verdict ?? 'indeterminate', guardBand }];
    }),
  );
}

/**
 * The outcome that a version would give for a run of another version.
 *
 * @param ran steps of that run
 * @param describeResults returns the results of a step of that run; undefined for one that did not succeed
 * @returns undefined when a gate reads a value that the run did not measure, and for a version without gates
 */
export function rejudge(
  { steps, gates }: Definition,
  ran: readonly RecipeStep[],
  describeResults: (
    stepKey: string,
  ) => readonly { metadata: object; warnings: readonly Warning[] }[] | undefined,
): Judged | undefined {
  if (gates.length === 0) return undefined;
  const values: GateValue[] = [];
  for (const gate of gates) {
    const { step: stepKey, path } = splitMeasure(gate.measure);
    const results = isSameStep(stepKey, steps, ran) ? describeResults(stepKey) : undefined;
    const step = steps.find(({ key }) => key === stepKey);
    const measure = step && findMeasure(step.operation, path);
    if (!results || !measure) return undefined;
    const found = results.find(({ metadata }) => readMeasure(metadata, measure, gate.unit) !== null);
    const measured = found ? readMeasure(found.metadata, measure, gate.unit) : null;
    const uncertainty = found ? readExpanded(found.metadata, measure, gate.unit) : null;
    const warnings = found?.warnings ?? [];
    values.push([
      gate,
      measured,
      judgeResult(gate, measured, { warnings, uncertainty, isCount: measure.quantity === 'count' }),
    ]);
  }
  return judged(values);
}

export interface ChangedGate {
  key: string;
  measure: string;
  before: GateSide | null;
  after: GateSide | null;
}

/** The gates whose verdict changes; a gate missing in a version counts as passed. */
export function listChangedGates(before: Judged, after: Judged): ChangedGate[] {
  if (before.outcome === 'notRun' || after.outcome === 'notRun') return [];
  const keys = new Set([...before.gates.keys(), ...after.gates.keys()]);
  return [...keys].flatMap((key) => {
    const [was, is] = [before.gates.get(key), after.gates.get(key)];
    if ((was?.verdict ?? 'pass') === (is?.verdict ?? 'pass')) return [];
    return [{ key, measure: (is ?? was)?.measure ?? '', before: was ?? null, after: is ?? null }];
  });
}
