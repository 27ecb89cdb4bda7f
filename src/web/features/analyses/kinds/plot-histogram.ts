import uPlot from 'uplot';
import { formatIn, formatNumber, type ShownUnit, withUnit } from '#contract/base/format-number.ts';
import { histogramSteps } from '#web/ui/histogram-steps.ts';
import { plotBase, readColour } from '#web/ui/plot-axes.ts';

export interface HistogramLook {
  edgesMm: readonly number[];
  amounts: readonly number[];
  shown: ShownUnit;
  /** titles of the axes */
  titles: { x: string; y: string };
  markMm: number | null;
  /** permitted range: shaded, with its limits; null = no limit */
  lowerMm: number | null;
  upperMm: number | null;
}

/**
 * Draws a histogram into an element, in the colours of its scheme.
 *
 * @param onBin called with the index of the bin under the pointer; null = none
 */
export function plotHistogram(
  host: HTMLElement,
  { edgesMm, amounts, shown, titles, markMm, lowerMm, upperMm }: HistogramLook,
  { width, height }: { width: number; height: number },
  onBin: (bin: number | null) => void,
): uPlot {
  const colour = (name: string) => readColour(host, name);
  const { x, y } = histogramSteps(edgesMm, amounts);
  const options: uPlot.Options = {
    width,
    height,
    ...plotBase(host, titles, { x: (value) => formatIn(shown, value), y: (value) => formatNumber(value) }),
    scales: {
      x: {
        time: false,
        range: (_plot, low, high) => [Math.min(low, lowerMm ?? low), Math.max(high, upperMm ?? high)],
      },
      y: { range: (_plot, _low, high) => [0, high * 1.05 || 1] },
    },
    series: [
      {},
      {
        stroke: colour('--sw-accent-text'),
        fill: `color-mix(in srgb, ${colour('--sw-accent-text')} 25%, transparent)`,
        width: 1,
        points: { show: false },
      },
    ],
    hooks: {
      setCursor: [
        (plot) => {
          const left = plot.cursor.left ?? -1;
          const at = left < 0 ? Number.NaN : plot.posToVal(left, 'x');
          const bin = amounts.findIndex((_, i) => at >= (edgesMm[i] ?? at) && at < (edgesMm[i + 1] ?? at));
          onBin(bin < 0 ? null : bin);
        },
      ],
      drawClear: [(plot) => shadeBand(plot, lowerMm, upperMm, colour('--sw-pass'))],
      draw: [
        (plot) => {
          const limits = [
            [markMm, 1, '--sw-fail'],
            [lowerMm, -1, '--sw-pass'],
            [upperMm, 1, '--sw-pass'],
          ] as const;
          for (const [limit, side, ink] of limits)
            if (limit !== null)
              drawLimit(plot, limit, withUnit(formatIn(shown, limit), shown.unit), side, colour(ink));
        },
      ],
    },
  };
  return new uPlot(options, [x, y], host);
}

function shadeBand(plot: uPlot, lower: number | null, upper: number | null, ink: string): void {
  if (lower === null || upper === null) return;
  const { left, top, width, height } = plot.bbox;
  const inside = (value: number) => Math.min(left + width, Math.max(left, plot.valToPos(value, 'x', true)));
  plot.ctx.save();
  plot.ctx.fillStyle = `color-mix(in srgb, ${ink} 14%, transparent)`;
  plot.ctx.fillRect(inside(lower), top, inside(upper) - inside(lower), height);
  plot.ctx.restore();
}

/** A dashed line with its value above the plot, to the left (-1) or right (1) where there is room. */
function drawLimit(plot: uPlot, limit: number, label: string, side: -1 | 1, ink: string): void {
  const { left, top, width, height } = plot.bbox;
  const at = plot.valToPos(limit, 'x', true);
  if (at < left || at > left + width) return;
  const { ctx } = plot;
  ctx.save();
  ctx.strokeStyle = ink;
  ctx.setLineDash([4, 3]);
  ctx.beginPath();
  ctx.moveTo(at, top);
  ctx.lineTo(at, top + height);
  ctx.stroke();
  ctx.fillStyle = ink;
  ctx.font = `${11 * uPlot.pxRatio}px Inter Variable, system-ui, sans-serif`;
  const needed = ctx.measureText(label).width;
  const isRight = side > 0 ? at + needed < left + width : at - needed < left;
  ctx.textAlign = isRight ? 'left' : 'right';
  ctx.textBaseline = 'bottom';
  ctx.fillText(label, at, top - 2 * uPlot.pxRatio);
  ctx.restore();
}
