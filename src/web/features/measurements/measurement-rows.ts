import { listFitNumbers, quantityTitles } from '#contract/shapes/measurement.ts';
import type { Measurement } from '#web/api/generated/types.gen.ts';
import type { NumberRow } from '#web/ui/number-files.ts';

/** Rounded to a nanometre: the four digits of other results are too few for a length. */
const round = (value: number) => ({ value: Number(value.toFixed(6)), isRounded: true });

/** Measurements as rows of a table: each value with its uncertainty, further figures of a fit, and the provenance. */
export const listMeasurementRows = (
  measurements: readonly Pick<Measurement, 'name' | 'result'>[],
): NumberRow[] =>
  measurements.flatMap(({ name: section, result }) => [
    ...result.values.flatMap(({ quantity, value, unit, uncertainty }): NumberRow[] => {
      const title = quantityTitles[quantity];
      const row = { section, quantity: title, ...round(value), unit };
      if (!uncertainty) return [row];
      return [row, { ...row, quantity: `${title}: uncertainty (k = 2)`, ...round(uncertainty.expanded) }];
    }),
    ...listFitNumbers(result.feature).map(({ title, value, unit }) => ({
      ...{ section, quantity: title },
      ...{ ...round(value), unit },
    })),
    { section, quantity: 'Method', value: result.method, unit: '' },
    { section, quantity: 'Data object', value: result.provenance.dataObjectName, unit: '' },
    { section, quantity: 'Surface', value: result.provenance.surfaceName, unit: '' },
  ]);
