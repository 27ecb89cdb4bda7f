/** A recipe being edited. Pure, so that every rule of the builder can be tested. */

import type { Measure } from '#contract/analyses/declaration.ts';
import type { Gate } from '#contract/analyses/gates.ts';
import { findsPose, type RecipeStep } from '#contract/analyses/pipeline.ts';
import { usualUnit } from '#contract/analyses/quantities.ts';
import { findMeasure, getStep, listMeasures, splitMeasure } from '#contract/analyses/steps.ts';
import { capitalised } from '#contract/base/format-number.ts';
import { RecipeVersionInput } from '#contract/shapes/recipe.ts';

export interface Draft {
  recipePk?: string;
  name: string;
  description: string;
  steps: RecipeStep[];
  gates: Gate[];
}

export const emptyDraft: Draft = { name: '', description: '', steps: [], gates: [] };

const findFreeKey = (stem: string, taken: readonly string[]): string => {
  let key = stem;
  for (let number = 2; taken.includes(key); number += 1) key = `${stem}${number}`;
  return key;
};

/**
 * Default dependencies of a new step: a step that takes a pose depends on the step that finds it, any other on nothing.
 */
function usualNeeds(kind: RecipeStep['operation'], steps: readonly RecipeStep[]): string[] {
  if (!('pose' in getStep(kind).needs)) return [];
  const align = steps.findLast(findsPose);
  return align ? [align.key] : [];
}

export function addStep(draft: Draft, operation: RecipeStep['operation']): Draft {
  const taken = draft.steps.map(({ key }) => key);
  const step: RecipeStep = {
    key: findFreeKey(getStep(operation).stepKey, taken),
    operation,
    parameters: {},
    needs: usualNeeds(operation, draft.steps),
  };
  return { ...draft, steps: [...draft.steps, step] };
}

/** A new key is also changed in dependent steps and in gates. */
export function changeStep(draft: Draft, index: number, changes: Partial<RecipeStep>): Draft {
  const before = draft.steps[index];
  if (!before) return draft;
  const key = changes.key ?? before.key;
  const steps = draft.steps.map((step, at) =>
    at === index
      ? { ...step, ...changes }
      : { ...step, needs: step.needs.map((need) => (need === before.key ? key : need)) },
  );
  const gates = draft.gates.map((gate) => {
    const { step, path } = splitMeasure(gate.measure);
    return step === before.key ? { ...gate, measure: `${key}.${path}` } : gate;
  });
  return { ...draft, steps, gates };
}

/** Removes the step with its gates and all dependencies on it. */
export function removeStep(draft: Draft, index: number): Draft {
  const key = draft.steps[index]?.key;
  return {
    ...draft,
    steps: draft.steps
      .filter((_, at) => at !== index)
      .map((step) => ({ ...step, needs: step.needs.filter((need) => need !== key) })),
    gates: draft.gates.filter(({ measure }) => splitMeasure(measure).step !== key),
  };
}

/** The list with two items swapped. */
export const swapItems = <Item>(items: readonly Item[], one: number, other: number): Item[] =>
  items.map((item, at) => items[at === one ? other : at === other ? one : at] ?? item);

export function moveStep(draft: Draft, index: number, by: -1 | 1): Draft {
  const to = index + by;
  if (to < 0 || to >= draft.steps.length) return draft;
  return { ...draft, steps: swapItems(draft.steps, index, to) };
}

export interface MeasureChoice {
  /** step.path */
  value: string;
  label: string;
  measure: Measure;
}

/** The measures available for gates, grouped by step. */
export const measureChoices = (steps: readonly RecipeStep[]): { group: string; items: MeasureChoice[] }[] =>
  steps
    .map(({ key, operation }) => ({
      group: `${getStep(operation).title} (${key})`,
      items: listMeasures(operation).map((measure) => ({
        value: `${key}.${measure.path}`,
        label: measure.label,
        measure,
      })),
    }))
    .filter(({ items }) => items.length > 0);

/** A new gate uses the measure's usual unit and usual comparison. */
export function addGate(draft: Draft): Draft {
  const used = new Set(draft.gates.map(({ measure }) => measure));
  const all = measureChoices(draft.steps).flatMap(({ items }) => items);
  const choice = all.find(({ value }) => !used.has(value)) ?? all[0];
  if (!choice) return draft;
  const key = findFreeKey(
    choice.value.replace('.', '-'),
    draft.gates.map((gate) => gate.key),
  );
  // The limit starts empty: a default number could be saved unread.
  const gate = { key, limit: Number.NaN, guardBand: null, ...gateOn(choice) };
  return { ...draft, gates: [...draft.gates, gate] };
}

export const gateOn = ({ value, measure }: MeasureChoice): Pick<Gate, 'measure' | 'unit' | 'comparison'> => ({
  measure: value,
  unit: usualUnit(measure.quantity),
  comparison: measure.better === 'higher' ? '>=' : '<=',
});

export const changeGate = (draft: Draft, index: number, changes: Partial<Gate>): Draft => ({
  ...draft,
  gates: draft.gates.map((gate, at) => (at === index ? { ...gate, ...changes } : gate)),
});

export const removeGate = (draft: Draft, index: number): Draft => ({
  ...draft,
  gates: draft.gates.filter((_, at) => at !== index),
});

export interface DraftProblem {
  /** steps.0.parameters.smoothing */
  path: string;
  message: string;
}

/** The problems found by the contract's schema, with their paths; empty if the draft can be released. */
export function findProblems(draft: Draft): DraftProblem[] {
  const parsed = RecipeVersionInput.safeParse(draft);
  return (parsed.error?.issues ?? []).map(({ path, message }) => ({
    path: path.map(String).join('.'),
    message: capitalised(message),
  }));
}

/** The problems of one step or gate, with paths relative to it. */
export const problemsAt = (problems: readonly DraftProblem[], place: string): DraftProblem[] =>
  problems
    .filter(({ path }) => path === place || path.startsWith(`${place}.`))
    .map(({ path, message }) => ({ path: path.slice(place.length + 1), message }));

export const resolveMeasure = (measure: string, steps: readonly RecipeStep[]): Measure | undefined => {
  const { step: key, path } = splitMeasure(measure);
  const step = steps.find((each) => each.key === key);
  return step && findMeasure(step.operation, path);
};

/** Groups steps by the length of their longest dependency chain: steps of one level do not depend on each other. */
export function groupByLevel(steps: readonly Pick<RecipeStep, 'key' | 'needs'>[]): string[][] {
  const level = new Map<string, number>();
  const left = new Set(steps.map(({ key }) => key));
  for (let depth = 0; left.size > 0; depth += 1) {
    const ready = steps.filter(({ key, needs }) => left.has(key) && needs.every((need) => !left.has(need)));
    // In a cycle no step is ready: all are shown, and the cycle is listed among the problems.
    const now = ready.length > 0 ? ready : steps.filter(({ key }) => left.has(key));
    for (const { key } of now) level.set(key, depth);
    for (const { key } of now) left.delete(key);
  }
  return Array.from({ length: Math.max(0, ...[...level.values()].map((depth) => depth + 1)) }, (_, depth) =>
    steps.filter(({ key }) => level.get(key) === depth).map(({ key }) => key),
  );
}

export const comparisonWords: Record<Gate['comparison'], string> = {
  '<': 'less than',
  '<=': 'at most',
  '>': 'more than',
  '>=': 'at least',
};
