import { useCallback } from 'react';
import { chooseUnit, formatQuantities, formatQuantity } from '#contract/base/format-number.ts';
import { computeShare, histogramCsv } from '#web/ui/histogram-steps.ts';
import { type DrawPlot, PlotFrame } from '#web/ui/plot-frame.tsx';
import { plotHistogram } from './plot-histogram.ts';

interface ValueHistogramProps {
  /** one more than `amounts`, rising */
  edgesMm: readonly number[];
  /** how much is in each bin */
  amounts: readonly number[];
  /** what is counted, with its unit; surface by default */
  amountOf?: string;
  /** a limit to mark; null = none */
  markMm: number | null;
  /** what may be: shaded, with its limits */
  bandMm?: readonly [number, number];
  /** what is measured, as in “wall thickness” */
  quantity?: string;
}

/** How much surface, or how many, have which value; the same stands beside it in words for who can't see it. */
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
