import uPlot from 'uplot';
import { formatCount, formatIn, type ShownUnit } from '#contract/base/format-number.ts';
import { histogramSteps } from '#web/ui/histogram-steps.ts';
import { plotBase, readColour } from '#web/ui/plot-axes.ts';

export interface PlacesLook {
  /** ascending; one more than classes */
  edges: readonly number[];
  /** counts per class: of all places, and of the filtered ones */
  all: readonly number[];
  left: readonly number[];
  isLog: boolean;
  shown: ShownUnit;
  /** titles of the axes */
  titles: { x: string; y: string };
  /** selected classes from … to−1; null = all */
  brushed: ClassRange | null;
}

interface ClassRange {
  from: number;
  to: number;
}

/** Whole numbers only, and a label at each grid line: on a non-linear scale the plot omits most of them by default. */
export const countAxis = {
  incrs: Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat(),
  filter: (_plot: unknown, counts: number[]) => counts,
} satisfies uPlot.Axis;

/**
 * Draws a histogram of places into an element, in the colours of its scheme. Dragging selects a range of classes, a
 * click one.
 *
 * @param onClass called with the class under the pointer; null = none
 * @param onBrush called with the range when the pointer is released
 */
export function plotPlaces(
  host: HTMLElement,
  look: PlacesLook,
  size: { width: number; height: number },
  onClass: (index: number | null) => void,
  onBrush: (range: ClassRange) => void,
): uPlot {
  const { edges, all, left, isLog, shown, titles, brushed } = look;
  const accent = readColour(host, '--sw-accent-text');
  const dim = readColour(host, '--mantine-color-dimmed');
  const fill = (colour: string, percent: number) => `color-mix(in srgb, ${colour} ${percent}%, transparent)`;
  const series = (colour: string, percent: number): uPlot.Series => ({
    stroke: colour,
    fill: fill(colour, percent),
    width: 1,
    points: { show: false },
  });
  const [low = 0, high = 1] = [edges[0], edges.at(-1)];
  const base = plotBase(host, titles, { x: (value) => formatIn(shown, value), y: formatCount });
  const [alongX, alongY] = base.axes ?? [];
  const plot = new uPlot(
    {
      ...size,
      ...base,
      axes: [
        {
          ...alongX,
          ...(isLog ? { splits: roundValues(low, high), filter: leaveRoom } : {}),
        },
        { ...alongY, ...countAxis },
      ],
      scales: {
        x: { time: false, distr: isLog ? 3 : 1, range: [low, high] },
        // Keeps small classes visible beside large ones.
        y: {
          distr: 100,
          fwd: Math.sqrt,
          bwd: (root) => root * root,
          range: (_plot, _low, most) => [0, most * 1.05 || 1],
        },
      },
      series: [{}, series(dim, 20), series(accent, 45)],
      hooks: {
        setCursor: [({ cursor: { left = -1 } }) => onClass(left < 0 ? null : classAt(left))],
        drawClear: [
          ({ ctx, bbox, valToPos }) => {
            if (!brushed) return;
            const [from, to] = [brushed.from, brushed.to].map((at) => valToPos(edges[at] ?? low, 'x', true));
            ctx.fillStyle = fill(accent, 16);
            ctx.fillRect(from ?? 0, bbox.top, (to ?? 0) - (from ?? 0), bbox.height);
          },
        ],
      },
    },
    [histogramSteps(edges, all).x, histogramSteps(edges, all).y, histogramSteps(edges, left).y],
    host,
  );
  function classAt(x: number): number {
    const value = plot.posToVal(x, 'x');
    return Math.min(
      all.length - 1,
      Math.max(
        0,
        edges.findLastIndex((edge) => edge <= value),
      ),
    );
  }
  brushAlongX(plot, classAt, edges, onBrush);
  return plot;
}

/** The labelled values of a logarithmic axis; where they would overlap, the others are only grid lines. */
const leaveRoom = (plot: uPlot, values: number[]): (number | null)[] => {
  const written = chooseWritten(values.map((value) => plot.valToPos(value, 'x')));
  return values.map((value, i) => (written[i] ? value : null));
};

/** Which positions along an axis, in px, can have a label of usual length without overlapping the previous one. */
export function chooseWritten(placesPx: readonly number[]): boolean[] {
  let last = Number.NEGATIVE_INFINITY;
  return placesPx.map((px) => {
    if (px - last < labelPx) return false;
    last = px;
    return true;
  });
}
/** Width of a number with four digits in the font of the axes, and a gap. */
const labelPx = 38;

/**
 * Round values between two positive numbers: 1, 2 and 5 times powers of ten, or only powers of ten over a wide range;
 * the two numbers themselves if there is none.
 */
export function roundValues(low: number, high: number): number[] {
  const powers = Math.log10(high / low);
  const steps = powers > 3 ? [1] : powers > 0.7 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9];
  const first = Math.floor(Math.log10(low));
  const values = Array.from({ length: Math.ceil(powers) + 2 }, (_, i) =>
    steps.map((step) => Number((step * 10 ** (first + i)).toPrecision(3))),
  )
    .flat()
    .filter((value) => value >= low && value <= high);
  return values.length > 1 ? values : [low, high];
}

/** Selects by any pointer type: the plot's own drag ignores fingers and pens. */
function brushAlongX(
  plot: uPlot,
  classAt: (x: number) => number,
  edges: readonly number[],
  onBrush: (range: ClassRange) => void,
): void {
  const { over } = plot;
  over.style.touchAction = 'pan-y';
  over.style.cursor = 'col-resize';
  let start: number | null = null;
  const readRange = (event: PointerEvent, from: number): ClassRange => {
    const at = classAt(event.clientX - over.getBoundingClientRect().left);
    return { from: Math.min(from, at), to: Math.max(from, at) + 1 };
  };
  const show = ({ from, to }: ClassRange) => {
    const [left = 0, right = 0] = [from, to].map((at) => plot.valToPos(edges[at] ?? 0, 'x'));
    plot.setSelect({ left, width: right - left, top: 0, height: over.clientHeight }, false);
  };
  const hide = () => {
    start = null;
    plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  };
  over.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    over.setPointerCapture(event.pointerId);
    start = classAt(event.clientX - over.getBoundingClientRect().left);
    show(readRange(event, start));
  });
  over.addEventListener('pointermove', (event) => {
    if (start !== null) show(readRange(event, start));
  });
  over.addEventListener('pointerup', (event) => {
    if (start === null) return;
    const range = readRange(event, start);
    hide();
    onBrush(range);
  });
  over.addEventListener('pointercancel', hide);
}
