/** The screen and the CSV file of a run show the same digits of every measure, from nanometres to metres. */
import { describe, expect, it } from 'vitest';
import { listUnits, type Quantity, usualUnit } from '#contract/analyses/quantities.ts';
import { analyses } from '#contract/analyses/registry.ts';
import { stepAnalyses } from '#contract/analyses/steps.ts';
import { resultsCsv } from '#worker/recipes/write-results-archive.ts';
import type { RunResults } from '#worker/results/run-results.ts';
import { measuredFigures } from './measured.ts';

const mantissas = [1.23456789, 2.03389, 9.99951];
const orders = [-6, -5, -4, -3, -2, -1, 0, 1, 2, 3];
/** factor from the unit on screen to the unit of the CSV */
const factors: Record<string, number> = { µm: 1e-3, 'µm²': 1e-6, 'µm³': 1e-9 };

/** A result with this value at this path and nothing else. */
const resultWith = (path: string, value: number): object =>
  path
    .split('.')
    .reverse()
    .reduce<unknown>((inner, name) => ({ [name]: inner }), value) as object;

function readCsv(
  step: (typeof stepAnalyses)[number],
  measure: (typeof step.measures)[number],
  value: number,
) {
  const [unit] = listUnits(measure.quantity);
  const steps = [{ key: 'step', values: [{ measure, value, expanded: null, unit }] }];
  const [, line = ''] = resultsCsv({ steps, gates: [], version: null } as unknown as RunResults).split(
    '\r\n',
  );
  const cells = line.split(',');
  // Counted from the end, because labels contain commas.
  return { value: Number(cells.at(-9)), unit: cells.at(-8) };
}

describe('Every measured number', () => {
  it('belongs to one of the nine kinds tested here', () => {
    expect(analyses).toHaveLength(9);
    const others = analyses.filter(({ key }) => !stepAnalyses.some((step) => step.key === key));
    expect(others.map(({ measures }) => measures.length)).toEqual([0]);
  });

  it.each(stepAnalyses.map((step) => [step.title, step] as const))(
    'of %s has the same digits on the screen and in the CSV',
    (_, step) => {
      const wrong: string[] = [];
      for (const measure of step.measures) {
        const quantity: Quantity = measure.quantity;
        for (const order of orders) {
          for (const mantissa of mantissas) {
            const value =
              quantity === 'count' ? Math.round(mantissa * 10 ** (order + 6)) : mantissa * 10 ** order;
            const section = 'section' in measure ? measure.section : undefined;
            const [figure] = measuredFigures(
              { measures: [measure] },
              resultWith(measure.path, value),
              section,
            );
            const [number = '', unit = ''] = (figure?.value ?? '').split('\u202f');
            const shown = Number(number.replaceAll(',', ''));
            const csv = readCsv(step, measure, value);
            const exact = quantity === 'share' ? 100 * value : value;
            const told = shown * (factors[unit] ?? 1);
            const same = Math.abs(told - csv.value) <= 1e-9 * Math.abs(csv.value);
            const near = Math.abs(told - exact) <= 6e-4 * Math.abs(exact);
            const readable = number.length <= 13 && !/^0\.000/.test(number.replace(/e.*/, ''));
            const small = quantity === 'ratio' || quantity === 'share';
            if (!same || !near || !(readable || small) || csv.unit !== usualUnit(quantity))
              wrong.push(`${measure.path} ${value}: ${figure?.value} and ${csv.value} ${csv.unit}`);
          }
        }
      }
      expect(wrong).toEqual([]);
    },
  );
});
