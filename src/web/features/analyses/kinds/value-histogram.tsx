import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import {
  chooseUnit,
  formatIn,
  formatNumber,
  formatQuantities,
  formatQuantity,
} from '#contract/base/format-number.ts';
import { histogramSteps, shareOf } from './histogram-steps.ts';

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

const heightPx = 150;

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
  const shown = chooseUnit(edgesMm, 'mm');
  const { ref: frame, width } = useElementSize();
  const host = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read from the style of the scheme
  useEffect(() => {
    if (!host.current || width < 40) return;
    const style = getComputedStyle(host.current);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const axis = {
      stroke: colour('--mantine-color-dimmed'),
      grid: { stroke: colour('--sw-line'), width: 1 },
      ticks: { stroke: colour('--sw-line'), width: 1, size: 4 },
      font: '11px Inter Variable, system-ui, sans-serif',
    };
    const { x, y } = histogramSteps(edgesMm, amounts);
    const plot = new uPlot(
      {
        width,
        height: heightPx,
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, y: false, points: { show: false } },
        scales: {
          x: {
            time: false,
            range: (_plot, low, high) => [Math.min(low, lowerMm ?? low), Math.max(high, upperMm ?? high)],
          },
          y: { range: (_plot, _low, high) => [0, high * 1.05 || 1] },
        },
        axes: [
          { ...axis, size: 26, values: (_plot, ticks) => ticks.map((tick) => formatIn(shown, tick)) },
          { ...axis, size: 44, values: (_plot, ticks) => ticks.map((tick) => formatNumber(tick)) },
        ],
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
          drawClear: [
            (drawn) => {
              if (lowerMm === null || upperMm === null) return;
              const { left, top, width: across, height } = drawn.bbox;
              const inside = (value: number) =>
                Math.min(left + across, Math.max(left, drawn.valToPos(value, 'x', true)));
              drawn.ctx.save();
              drawn.ctx.fillStyle = `color-mix(in srgb, ${colour('--sw-pass')} 14%, transparent)`;
              drawn.ctx.fillRect(inside(lowerMm), top, inside(upperMm) - inside(lowerMm), height);
              drawn.ctx.restore();
            },
          ],
          draw: [
            (drawn) => {
              for (const limit of [markMm, lowerMm, upperMm]) {
                if (limit === null) continue;
                const at = drawn.valToPos(limit, 'x', true);
                if (at < drawn.bbox.left || at > drawn.bbox.left + drawn.bbox.width) continue;
                drawn.ctx.save();
                drawn.ctx.strokeStyle = colour(limit === markMm ? '--sw-fail' : '--sw-pass');
                drawn.ctx.setLineDash([4, 3]);
                drawn.ctx.beginPath();
                drawn.ctx.moveTo(at, drawn.bbox.top);
                drawn.ctx.lineTo(at, drawn.bbox.top + drawn.bbox.height);
                drawn.ctx.stroke();
                drawn.ctx.restore();
              }
            },
          ],
        },
      },
      [x, y],
      host.current,
    );
    return () => plot.destroy();
  }, [edgesMm, amounts, markMm, lowerMm, upperMm, width, scheme]);

  const peak = amounts.indexOf(Math.max(...amounts));
  const byArea = amountOf.startsWith('area');
  const summary = `Histogram of ${quantity}${byArea ? ' weighted by area' : ''}, from ${formatQuantities([edgesMm[0], edgesMm[edgesMm.length - 1]], 'mm', ' to ')}. Most of the ${byArea ? 'surface' : amountOf}, ${formatQuantity(shareOf(amounts, peak) * 100, '%')}, lies between ${formatQuantities([edgesMm[peak], edgesMm[peak + 1]], 'mm', ' and ')}.`;
  return (
    <div ref={frame}>
      <div ref={host} role="img" aria-label={summary} style={{ height: heightPx }} />
      <div style={{ display: 'flex', justifyContent: 'space-between', fontSize: 11 }}>
        <span style={{ color: 'var(--mantine-color-dimmed)' }}>{amountOf}</span>
        <span style={{ color: 'var(--mantine-color-dimmed)' }}>
          {quantity}, {shown.unit}
        </span>
      </div>
    </div>
  );
}
