/** The measures of a result, with the labels and units of their declaration. Pure. */
import type { AnalysisDeclaration, Measure } from '#contract/analyses/declaration.ts';
import { formatMeasured } from '#contract/analyses/quantities.ts';
import { readExpanded, readMeasure } from '#contract/analyses/steps.ts';
import type { Figure } from './figures.tsx';

const aboutUncertainty =
  '±: expanded uncertainty (k = 2) from what this scan shows. The scale of the scanner is not in it.';

/**
 * A figure for each measure present in the result, in the declaration's order.
 * @param section the main measures if undefined
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
      const expanded = readExpanded(result, measure, '');
      const explained = !expanded ? help : [help, aboutUncertainty].filter(Boolean).join(' ');
      return [{ label, help: explained, value: formatMeasured(value, quantity, expanded) }];
    });
