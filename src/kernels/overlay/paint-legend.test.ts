import { expect, it } from 'vitest';
import type { Canvas2D } from './canvas.ts';
import { onDark } from './paint.ts';
import { type LegendModel, legendPx, paintPictureLegend } from './paint-legend.ts';

/** Draws a legend on a canvas where a character is 6 px wide. */
function paint(title: string) {
  const texts: { text: string; left: number; y: number }[] = [];
  const bars: number[] = [];
  const context = {
    textAlign: 'left',
    measureText: (text: string) => ({ width: 6 * text.length }),
    fillText(text: string, x: number, y: number) {
      texts.push({ text, left: context.textAlign === 'right' ? x - 6 * text.length : x, y });
    },
    strokeRect: (_x: number, y: number) => bars.push(y),
    ...{ strokeText() {}, beginPath() {}, moveTo() {}, lineTo() {}, stroke() {}, fillRect() {} },
    ...{ save() {}, restore() {}, rect() {}, clip() {} },
  };
  const legend: LegendModel = {
    ...{ title, shown: { unit: 'mm³', factor: 1 }, map: 'viridis', range: [0, 1], domain: [0, 1] },
    ...{ formatTick: String, brush: null, histogram: null, marked: null },
  };
  paintPictureLegend(context as unknown as Canvas2D, legend, [legendPx, 300], onDark);
  const head = texts.filter(({ y }) => y < (bars[0] ?? 0) - 5);
  return { head, barY: bars[0] ?? 0 };
}

it('a title wider than the legend is broken between words, above the bar', () => {
  const { head: short, barY: usual } = paint('Gap');
  expect(short.map(({ text }) => text)).toEqual(['Gap, mm³']);
  const { head, barY } = paint('Volume of the defect');
  expect(head.map(({ text }) => text)).toEqual(['Volume of the', 'defect, mm³']);
  for (const { left, y } of [...short, ...head]) {
    expect(left).toBeGreaterThanOrEqual(0);
    expect(y).toBeLessThan(barY - 8);
  }
  expect(barY - usual).toBeLessThan(10);
});
