import { type ColorMapName, colorIndex, colorMap } from '#kernels/color/maps.ts';
import { decimalsFor, fixed, withUnit } from '../overlay/format-number.ts';
import { type Inks, overlayFont, paintText } from '../overlay/paint.ts';
import { niceStep, ticks, type WeightedHistogram } from './weighted-histogram.ts';

export interface LegendModel {
  title: string;
  unit: string;
  map: ColorMapName;
  /** limits of the colours */
  range: readonly [number, number];
  /** values at the lower and upper end of the bar: the range and a little more */
  domain: readonly [number, number];
  histogram: WeightedHistogram | null;
  /** value under the pointer, marked on the bar */
  marked: number | null;
}

export interface LegendBox {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Bar of colours at the left of the box, histogram and numbers at its right. */
export const barWidth = 16;

/** The ends of the bar: the limits and the bulk of the data, 4 % wider. */
export function legendDomain(
  range: readonly [number, number],
  data: { low: number; high: number } | null,
): [number, number] {
  const low = Math.min(range[0], data?.low ?? range[0]);
  const high = Math.max(range[1], data?.high ?? range[1]);
  const margin = (high - low) * 0.04 || 1;
  // Nothing below zero when there is nothing: a thickness has no negative end.
  return [low >= 0 && low - margin < 0 ? 0 : low - margin, high + margin];
}

export const valueAtY = (box: LegendBox, domain: readonly [number, number], y: number): number =>
  domain[1] - ((y - box.y) / box.height) * (domain[1] - domain[0]);

export const yAtValue = (box: LegendBox, domain: readonly [number, number], value: number): number =>
  box.y + ((domain[1] - value) / (domain[1] - domain[0])) * box.height;

/** Bar, histogram by area, ticks, limits and the value under the pointer; on the screen and in captures. */
export function paintLegend(
  context: CanvasRenderingContext2D,
  legend: LegendModel,
  box: LegendBox,
  inks: Inks,
): void {
  const { domain, range } = legend;
  const rgb = colorMap(legend.map);
  const fill = (value: number) => {
    const i = 3 * colorIndex(value, range[0], range[1]);
    return `rgb(${rgb[i]} ${rgb[i + 1]} ${rgb[i + 2]})`;
  };
  for (let row = 0; row < box.height; row++) {
    context.fillStyle = fill(valueAtY(box, domain, box.y + row + 0.5));
    context.fillRect(box.x, box.y + row, barWidth, 1);
  }
  hatch(context, box, yAtValue(box, domain, range[1]), box.y, 'rgba(255,255,255,0.5)', -1);
  hatch(context, box, box.y + box.height, yAtValue(box, domain, range[0]), 'rgba(0,0,0,0.5)', 1);

  const left = box.x + barWidth + 6;
  paintHistogram(context, legend, box, left, fill);

  context.strokeStyle = inks.text;
  context.lineWidth = 1;
  context.globalAlpha = 0.35;
  context.strokeRect(box.x - 0.5, box.y - 0.5, barWidth + 1, box.height + 1);
  context.globalAlpha = 1;

  context.font = overlayFont(11, 450);
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  const step = niceStep((domain[1] - domain[0]) / Math.max(2, Math.floor(box.height / 44)));
  for (const tick of ticks(domain[0], domain[1], Math.max(2, Math.floor(box.height / 44)))) {
    const y = Math.round(yAtValue(box, domain, tick)) + 0.5;
    context.fillStyle = inks.text;
    context.globalAlpha = 0.6;
    context.fillRect(box.x + barWidth, y - 0.5, 4, 1);
    context.globalAlpha = 1;
    paintText(context, fixed(tick, decimalsFor(step)), left, y, inks);
  }
  for (const limit of range) {
    const y = Math.round(yAtValue(box, domain, limit)) + 0.5;
    context.fillStyle = inks.text;
    context.fillRect(box.x - 4, y - 1, barWidth + 8, 2);
  }
  if (legend.marked !== null) paintMark(context, legend, legend.marked, box, inks);
}

function paintHistogram(
  context: CanvasRenderingContext2D,
  { histogram, domain }: LegendModel,
  box: LegendBox,
  left: number,
  fill: (value: number) => string,
): void {
  if (!histogram) return;
  const { areasMm2, minimum, maximum } = histogram;
  const most = areasMm2.reduce((a, b) => Math.max(a, b), 0);
  const step = (maximum - minimum) / areasMm2.length;
  const reach = box.x + box.width - left;
  context.globalAlpha = 0.9;
  for (let bin = 0; bin < areasMm2.length && most > 0; bin++) {
    if (areasMm2[bin] === 0) continue;
    const top = yAtValue(box, domain, minimum + (bin + 1) * step);
    const bottom = yAtValue(box, domain, minimum + bin * step);
    context.fillStyle = fill(minimum + (bin + 0.5) * step);
    context.fillRect(
      left,
      top,
      Math.max(0.75, (areasMm2[bin] / most) * reach),
      Math.max(0.5, bottom - top - 0.25),
    );
  }
  context.globalAlpha = 1;
}

function paintMark(
  context: CanvasRenderingContext2D,
  legend: LegendModel,
  value: number,
  box: LegendBox,
  inks: Inks,
): void {
  const y = Math.min(box.y + box.height, Math.max(box.y, yAtValue(box, legend.domain, value)));
  context.fillStyle = inks.text;
  context.strokeStyle = inks.halo;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(box.x + 1, y);
  context.lineTo(box.x - 8, y - 5);
  context.lineTo(box.x - 8, y + 5);
  context.closePath();
  context.stroke();
  context.fill();
  context.fillRect(box.x, y - 0.5, barWidth, 1);
}

/** The same stripes that mark values beyond the limits on the surface. */
function hatch(
  context: CanvasRenderingContext2D,
  box: LegendBox,
  bottom: number,
  top: number,
  ink: string,
  direction: 1 | -1,
): void {
  if (bottom - top < 1) return;
  context.save();
  context.beginPath();
  context.rect(box.x, top, barWidth, bottom - top);
  context.clip();
  context.strokeStyle = ink;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let y = top - barWidth; y < bottom + barWidth; y += 6) {
    context.moveTo(box.x, y + (direction === 1 ? barWidth : 0));
    context.lineTo(box.x + barWidth, y + (direction === 1 ? 0 : barWidth));
  }
  context.stroke();
  context.restore();
}

/** Title of a legend in a capture: name and unit. */
export const legendTitle = (legend: Pick<LegendModel, 'title' | 'unit'>): string =>
  legend.unit ? `${legend.title}, ${withUnit('', legend.unit).trim()}` : legend.title;
