/** Places that a result lists, such as defects: what reports show of each. */
import { chooseUnit, formatIn, withUnit } from '../base/format-number.ts';
import type { PlaceList } from './declaration.ts';
import { convertTo, usualUnit } from './quantities.ts';
import { readPath } from './steps.ts';

export interface ShownPlaces {
  title: string;
  noun: string;
  /** with the unit of its numbers */
  headings: string[];
  rows: {
    cells: string[];
    /** what it is listed for, such as “Thinnest 0.4 mm” */
    worst: string;
    pointMm: readonly number[] | null;
  }[];
  /** of all there are */
  count: number;
}

/** The places of a result as they are shown, in its order, numbers of a column in one unit. */
export function showPlaces(
  result: object,
  { list, count, title, noun, columns, point }: PlaceList,
): ShownPlaces {
  const items = readPath(result, list);
  const places = Array.isArray(items) ? (items as object[]) : [];
  const all = readPath(result, count);
  const values = columns.map(({ path }) => places.map((place) => readPath(place, path)));
  const units = columns.map(({ quantity }, column) => {
    if (!quantity) return { unit: '', factor: 1 };
    const unit = usualUnit(quantity);
    const numbers = values[column].map((value) =>
      typeof value === 'number' ? convertTo(unit, value, quantity) : null,
    );
    return chooseUnit(numbers, unit);
  });
  const show = (value: unknown, column: number): string => {
    const { quantity, words } = columns[column];
    if (typeof value === 'number' && quantity)
      return formatIn(units[column], convertTo(usualUnit(quantity), value, quantity));
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    if (value === null || value === undefined) return '–';
    return words?.[String(value)] ?? String(value);
  };
  return {
    title,
    noun,
    headings: columns.map(({ title: heading }, column) =>
      units[column].unit === '' ? heading : `${heading}, ${units[column].unit}`,
    ),
    rows: places.map((place, row) => {
      const at = readPath(place, point);
      const cells = columns.map((_, column) => show(values[column][row], column));
      return {
        cells,
        worst: `${columns[0].title} ${withUnit(cells[0], cells[0] === '–' ? '' : units[0].unit)}`,
        pointMm: Array.isArray(at) && at.length === 3 ? (at as number[]) : null,
      };
    }),
    count: typeof all === 'number' ? all : places.length,
  };
}
