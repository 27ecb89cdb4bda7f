import { type ColorMapName, colorIndex, colorMap } from '../color/maps.ts';
import { niceStep, ticks, type WeightedHistogram } from '../color/weighted-histogram.ts';
import type { PixelBox } from '../grid/pane-layout.ts';
import type { Canvas2D } from './canvas.ts';
import { type Inks, overlayFont, paintText } from './paint.ts';

export interface LegendModel {
  title: string;
  /** unit in which values are displayed */
  shown: { unit: string; factor: number };
  /** a value in that unit, with the digits needed for the tick step */
  formatTick(value: number, step: number): string;
  map: ColorMapName;
  /** limits of the colours */
  range: readonly [number, number];
  /** values at both ends of the bar: slightly wider than the range */
  domain: readonly [number, number];
  /** only values between these are coloured; null = all */
  brush: readonly [number, number] | null;
  histogram: WeightedHistogram | null;
  /** value under the pointer, marked on the bar */
  marked: number | null;
}

export const barWidth = 16;
/** Space for the numbers right of the bar: grey values have five digits and a separator. */
const numberWidth = 50;
/** Left edge of the bar: the histogram is left of it, the numbers right. */
export const barX = (box: PixelBox) => box.x + box.width - numberWidth - barWidth;

/** Ends of the bar: covers the limits and the bulk of the data, plus 4 %. */
export function legendDomain(
  range: readonly [number, number],
  data: { low: number; high: number } | null,
): [number, number] {
  const low = Math.min(range[0], data?.low ?? range[0]);
  const high = Math.max(range[1], data?.high ?? range[1]);
  const margin = (high - low) * 0.04 || 1;
  // Not below zero for non-negative quantities such as thickness.
  return [low >= 0 && low - margin < 0 ? 0 : low - margin, high + margin];
}

export const valueAtY = (box: PixelBox, domain: readonly [number, number], y: number): number =>
  domain[1] - ((y - box.y) / box.height) * (domain[1] - domain[0]);

export const yAtValue = (box: PixelBox, domain: readonly [number, number], value: number): number =>
  box.y + ((domain[1] - value) / (domain[1] - domain[0])) * box.height;

/** Draws bar, area histogram, ticks, limits and the value under the pointer; on screen and in captures. */
export function paintLegend(context: Canvas2D, legend: LegendModel, box: PixelBox, inks: Inks): void {
  const { domain, range, shown } = legend;
  const { factor } = shown;
  const rgb = colorMap(legend.map);
  const fill = (value: number) => {
    const i = 3 * colorIndex(value, range[0], range[1]);
    return `rgb(${rgb[i]} ${rgb[i + 1]} ${rgb[i + 2]})`;
  };
  const x = barX(box);
  for (let row = 0; row < box.height; row++) {
    context.fillStyle = fill(valueAtY(box, domain, box.y + row + 0.5));
    // Half a row higher, so that a scaled picture has no seams; the next row covers it.
    context.fillRect(x, box.y + row, barWidth, Math.min(1.5, box.height - row));
  }
  hatch(context, box, yAtValue(box, domain, range[1]), box.y, 'rgba(255,255,255,0.5)', -1);
  hatch(context, box, box.y + box.height, yAtValue(box, domain, range[0]), 'rgba(0,0,0,0.5)', 1);

  paintHistogram(context, legend, box, fill, inks);

  context.strokeStyle = inks.text;
  context.lineWidth = 1;
  context.globalAlpha = 0.35;
  context.strokeRect(x - 0.5, box.y - 0.5, barWidth + 1, box.height + 1);
  context.globalAlpha = 1;

  context.font = overlayFont(11, 450);
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  const step = niceStep((domain[1] - domain[0]) / Math.max(2, Math.floor(box.height / 30)));
  for (const tick of ticks(domain[0], domain[1], Math.max(2, Math.floor(box.height / 30)))) {
    const y = Math.round(yAtValue(box, domain, tick)) + 0.5;
    context.fillStyle = inks.text;
    context.globalAlpha = 0.6;
    context.fillRect(x + barWidth, y - 0.5, 4, 1);
    context.globalAlpha = 1;
    paintText(context, legend.formatTick(tick * factor, step * factor), x + barWidth + 7, y, inks);
  }
  for (const limit of range) {
    const y = Math.round(yAtValue(box, domain, limit)) + 0.5;
    context.fillStyle = inks.text;
    context.fillRect(x - 4, y - 1, barWidth + 8, 2);
  }
  if (legend.marked !== null) paintMark(context, legend, legend.marked, box, inks);
}

/** Area by value, extending to the left of the bar, one row of pixels at a time. */
function paintHistogram(
  context: Canvas2D,
  { histogram, domain, brush }: LegendModel,
  box: PixelBox,
  fill: (value: number) => string,
  inks: Inks,
): void {
  if (!histogram) return;
  const { areasMm2, minimum, maximum } = histogram;
  const most = areasMm2.reduce((a, b) => Math.max(a, b), 0);
  const right = barX(box) - 5;
  for (let row = 0; row < box.height && most > 0; row++) {
    const value = valueAtY(box, domain, box.y + row + 0.5);
    const bin = Math.floor(((value - minimum) / (maximum - minimum)) * areasMm2.length);
    const area = areasMm2[bin] ?? 0;
    if (area === 0) continue;
    const length = Math.max(0.75, (area / most) * (right - box.x));
    context.fillStyle = fill(value);
    context.globalAlpha = brush && (value < brush[0] || value > brush[1]) ? 0.25 : 1;
    context.fillRect(right - length, box.y + row, length, Math.min(1.5, box.height - row));
    // Colours as dark or as light as the ground remain visible by their outline.
    context.fillStyle = inks.text;
    context.globalAlpha *= 0.5;
    context.fillRect(right - length - 1, box.y + row, 1, 1);
  }
  context.globalAlpha = 1;
  if (!brush) return;
  const within = (value: number) =>
    Math.min(box.y + box.height, Math.max(box.y, yAtValue(box, domain, value)));
  const [bottom, top] = [within(brush[0]), within(brush[1])];
  context.fillStyle = inks.text;
  context.globalAlpha = 0.12;
  context.fillRect(box.x, top, right - box.x, bottom - top);
  context.globalAlpha = 1;
  for (const y of [bottom, top]) context.fillRect(box.x, Math.round(y) - 0.5, right - box.x, 1);
}

function paintMark(context: Canvas2D, legend: LegendModel, value: number, box: PixelBox, inks: Inks): void {
  const y = Math.min(box.y + box.height, Math.max(box.y, yAtValue(box, legend.domain, value)));
  const x = barX(box);
  context.fillStyle = inks.text;
  context.strokeStyle = inks.halo;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(x + 1, y);
  context.lineTo(x - 8, y - 5);
  context.lineTo(x - 8, y + 5);
  context.closePath();
  context.stroke();
  context.fill();
  context.fillRect(x, y - 0.5, barWidth, 1);
}

/** The hatching that marks values beyond the limits on the surface. */
function hatch(
  context: Canvas2D,
  box: PixelBox,
  bottom: number,
  top: number,
  ink: string,
  direction: 1 | -1,
): void {
  if (bottom - top < 1) return;
  const x = barX(box);
  context.save();
  context.beginPath();
  context.rect(x, top, barWidth, bottom - top);
  context.clip();
  context.strokeStyle = ink;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let y = top - barWidth; y < bottom + barWidth; y += 6) {
    context.moveTo(x, y + (direction === 1 ? barWidth : 0));
    context.lineTo(x + barWidth, y + (direction === 1 ? 0 : barWidth));
  }
  context.stroke();
  context.restore();
}

/** Width of the legend in a picture. CSS pixels. */
export const legendPx = 132;

/** Width that a picture leaves for its legend; 0 = the picture is too narrow for one. CSS pixels. */
export const reserveLegend = (legend: LegendModel | null, widthPx: number): number =>
  legend && widthPx > 320 ? legendPx : 0;

/** Breaks a text between words into lines of at most `maxPx`; a longer word has a line of its own. */
function wrapText(context: Canvas2D, text: string, maxPx: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const longer = `${last} ${word}`;
    if (last === undefined || context.measureText(longer).width > maxPx) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

const titleLinePx = 15;

/** Draws the legend of a picture at its right edge, with name and unit above. CSS pixels. */
export function paintPictureLegend(
  context: Canvas2D,
  legend: LegendModel,
  [widthPx, heightPx]: readonly [number, number],
  inks: Inks,
): void {
  const { title, shown } = legend;
  context.font = overlayFont(12, 600);
  context.textAlign = 'right';
  context.textBaseline = 'alphabetic';
  const lines = wrapText(context, shown.unit ? `${title}, ${shown.unit}` : title, legendPx - 12);
  // One line has space above it for a second.
  const firstPx = lines.length > 1 ? 18 : 26;
  for (const [i, line] of lines.entries())
    paintText(context, line, widthPx - 12, firstPx + i * titleLinePx, inks);
  const y = firstPx + (lines.length - 1) * titleLinePx + (lines.length > 1 ? 14 : 16);
  const box = { x: widthPx - legendPx, y, width: legendPx - 4, height: Math.max(40, heightPx - 22 - y) };
  paintLegend(context, { ...legend, marked: null }, box, inks);
}
