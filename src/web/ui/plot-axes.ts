import type uPlot from 'uplot';

/** Reads a CSS colour of the scheme that applies to the element. */
export const readColour = (element: Element, name: string): string =>
  getComputedStyle(element).getPropertyValue(name).trim();

/** Options common to all plots: both axes with titles, and a cursor along x. */
export function plotBase(
  host: Element,
  titles: { x: string; y: string },
  formats: { x: (value: number) => string; y: (value: number) => string },
): Pick<uPlot.Options, 'legend' | 'cursor' | 'axes'> {
  const font = '11px Inter Variable, system-ui, sans-serif';
  const line = { stroke: readColour(host, '--sw-line'), width: 1 };
  const axis = (label: string, size: number, format: (value: number) => string): uPlot.Axis => ({
    stroke: readColour(host, '--mantine-color-dimmed'),
    grid: line,
    ticks: { ...line, size: 4 },
    font,
    labelFont: font,
    labelSize: 16,
    labelGap: 2,
    label,
    size,
    // uPlot passes null for ticks of a logarithmic scale without space for a label.
    values: (_, ticks: (number | null)[]) => ticks.map((tick) => (tick === null ? null : format(tick))),
  });
  return {
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, y: false, points: { show: false } },
    axes: [axis(titles.x, 26, formats.x), axis(titles.y, 44, formats.y)],
  };
}
