import { useCallback } from 'react';
import { chooseUnit, formatQuantities, formatQuantity } from '#contract/base/format-number.ts';
import { computeShare, histogramCsv } from '#web/ui/histogram-steps.ts';
import { type DrawPlot, PlotFrame } from '#web/ui/plot-frame.tsx';
import { plotHistogram } from './plot-histogram.ts';

interface ValueHistogramProps {
  /** ascending; one more than `amounts` */
  edgesMm: readonly number[];
  /** amount in each bin */
  amounts: readonly number[];
  /** what is summed up, with its unit; surface area by default */
  amountOf?: string;
  /** a limit to mark; null = none */
  markMm: number | null;
  /** permitted range: shaded, with its limits */
  bandMm?: readonly [number, number];
  /** the measured quantity, as in “wall thickness” */
  quantity?: string;
}

/** Distribution of a value by surface area or count, with the same information as text for screen readers. */
export function ValueHistogram({
  edgesMm,
  amounts,
  amountOf = 'area, mm²',
  markMm,
  bandMm,
  quantity = 'wall thickness',
}: ValueHistogramProps) {
  const [lowerMm, upperMm] = bandMm ?? [null, null];
  const draw = useCallback<DrawPlot>(
    (host, size, onBin) => {
      const shown = chooseUnit(edgesMm, 'mm');
      const titles = { x: `${quantity}, ${shown.unit}`, y: amountOf };
      return plotHistogram(host, { edgesMm, amounts, shown, titles, markMm, lowerMm, upperMm }, size, onBin);
    },
    [edgesMm, amounts, amountOf, markMm, lowerMm, upperMm, quantity],
  );
  const peak = amounts.indexOf(Math.max(...amounts));
  const byArea = amountOf.startsWith('area');
  const summary = `Histogram of ${quantity}${byArea ? ' weighted by area' : ''}, from ${formatQuantities([...edgesMm.slice(0, 1), ...edgesMm.slice(-1)], 'mm', ' to ')}. Most of the ${byArea ? 'surface' : amountOf}, ${formatQuantity(computeShare(amounts, peak) * 100, '%')}, lies between ${formatQuantities(edgesMm.slice(peak, peak + 2), 'mm', ' and ')}.`;
  const [counted, unit = ''] = amountOf.split(', ');
  return (
    <PlotFrame
      name={`histogram of ${quantity}`}
      fileName={`${quantity}_histogram`}
      summary={summary}
      draw={draw}
      describe={(bin) =>
        `${formatQuantities(edgesMm.slice(bin, bin + 2), 'mm', ' to ')}: ${counted} ${formatQuantity(amounts[bin] ?? 0, unit)}`
      }
      writeCsv={() => histogramCsv(edgesMm, amounts, `${quantity}, mm`, amountOf)}
    />
  );
}
