/** The measures of a result, with the words and units of their declaration. Pure. */
import type { AnalysisDeclaration, Measure } from '#contract/analyses/declaration.ts';
import { formatMeasured } from '#contract/analyses/quantities.ts';
import { readMeasure, readUncertainty } from '#contract/analyses/steps.ts';
import type { Figure } from './figures.tsx';

/**
 * A figure for each measure that the result has, in the declaration's order.
 * @param section the main ones without it
 */
export const measuredFigures = (
  { measures }: Pick<AnalysisDeclaration, 'measures'>,
  result: object,
  section?: Measure['section'],
): Figure[] =>
  measures
    .filter((measure) => measure.section === section)
    .flatMap((measure): Figure[] => {
      const { label, help, quantity } = measure;
      const value = readMeasure(result, measure, '');
      if (value === null) return [];
      return [
        { label, help, value: formatMeasured(value, quantity, readUncertainty(result, measure)?.expanded) },
      ];
    });
