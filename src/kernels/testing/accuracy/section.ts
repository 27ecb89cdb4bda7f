/**
 * The content of docs/accuracy.md: sections of cases with known truth, the figures measured for each, and their bounds.
 * bench/accuracy.ts writes the page; a test checks the figures against it.
 */
import type { KernelPool } from '../../arena.ts';

export interface FigureColumn {
  name: string;
  /** digits after the decimal point */
  digits: number;
  /** written with its sign; the bound applies to the absolute value */
  signed?: boolean;
  /** kind of bound; 'at most' by default */
  bound?: 'at most' | 'at least' | 'exactly' | 'none';
}
export interface AccuracyCase {
  place: string[];
  /** by figure name; a figure without a bound is published without one */
  bounds: Record<string, number>;
  measure(pool: KernelPool): Promise<Record<string, number>>;
}
export interface AccuracySection {
  title: string;
  text: string;
  /** headings of the columns that identify a row */
  places: string[];
  figures: FigureColumn[];
  cases: AccuracyCase[];
}

/** Whether the figure meets its bound; NaN never does. */
export function holds(
  { bound = 'at most' }: FigureColumn,
  value: number,
  limit: number | undefined,
): boolean {
  if (limit === undefined) return !Number.isNaN(value);
  if (bound === 'at least') return value >= limit;
  if (bound === 'exactly') return value === limit;
  return Math.abs(value) <= limit;
}

/** Written beside a bound that the figure does not meet. */
const missMark = ' **not met**';
const noBound = '–';

/** The row's cells as written on the page. */
export function listCells(
  { figures }: AccuracySection,
  { place, bounds }: AccuracyCase,
  values: Record<string, number>,
): string[] {
  const cells = figures.flatMap((figure) => {
    const text = written(figure, values[figure.name]);
    if (figure.bound === 'none') return [text];
    if (bounds[figure.name] === undefined) return [text, noBound];
    const isHeld = holds(figure, values[figure.name], bounds[figure.name]);
    return [text, `${bounds[figure.name]}${isHeld ? '' : missMark}`];
  });
  return [...place, ...cells];
}

export const readHead = ({ places, figures }: AccuracySection): string[] => [
  ...places,
  ...figures.flatMap(({ name, bound }) => (bound === 'none' ? [name] : [name, 'Bound'])),
];

const written = ({ digits, signed }: FigureColumn, value: number) =>
  `${value < 0 ? '−' : signed ? '+' : ''}${Math.abs(value).toFixed(digits)}`;

export interface ReadRow {
  place: string[];
  values: Record<string, number>;
  /** NaN where the page marks the bound as not met */
  bounds: Record<string, number>;
}

/** Parses the rows of a section from the page's text. */
export function listRows(page: string, { title, places, figures }: AccuracySection): ReadRow[] {
  const section = page.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) => {
    const cells = line.slice(2, -2).split(' | ');
    const row: ReadRow = { place: cells.splice(0, places.length), values: {}, bounds: {} };
    for (const { name, bound } of figures) {
      row.values[name] = Number(cells.shift()?.replace('−', '-'));
      if (bound === 'none') continue;
      const cell = cells.shift() ?? '';
      if (cell === noBound) continue;
      row.bounds[name] = Number(cell);
    }
    return row;
  });
}
