/** Formats the places that a result lists, such as defects, for reports. */
import { chooseUnit, formatIn, withUnit } from '../base/format-number.ts';
import type { PlaceColumn, PlaceList } from './declaration.ts';
import { convertTo, usualUnit } from './quantities.ts';
import { readPath } from './steps.ts';

export interface ShownPlaces {
  title: string;
  noun: string;
  /** including the unit */
  headings: string[];
  rows: {
    cells: string[];
    /** main value, such as “Thinnest 0.4 mm” */
    worst: string;
    pointMm: readonly number[] | null;
  }[];
  /** total number, including places not listed */
  count: number;
}

/** The cells of a column; all its numbers have the same unit. */
function showColumn(places: readonly object[], { path, quantity, words, title: heading }: PlaceColumn) {
  const values = places.map((place) => readPath(place, path));
  const usual = quantity ? usualUnit(quantity) : '';
  const convert = (value: number) => (quantity ? convertTo(usual, value, quantity) : value);
  const chosen = chooseUnit(
    values.map((value) => (typeof value === 'number' ? convert(value) : null)),
    usual,
  );
  const cells = values.map((value): string => {
    if (typeof value === 'number' && quantity) return formatIn(chosen, convert(value));
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    if (value === null || value === undefined) return '–';
    return words?.[String(value)] ?? String(value);
  });
  return { heading, unit: quantity ? chosen.unit : '', cells };
}

/** The places of a result in its order; all numbers of a column have the same unit. */
export function showPlaces(
  result: object,
  { list, count, title, noun, columns, point }: PlaceList,
): ShownPlaces {
  const items = readPath(result, list);
  const places = Array.isArray(items) ? (items as object[]) : [];
  const all = readPath(result, count);
  const shown = columns.map((column) => showColumn(places, column));
  const [first] = shown;
  return {
    title,
    noun,
    headings: shown.map(({ heading, unit }) => (unit === '' ? heading : `${heading}, ${unit}`)),
    rows: places.map((place, row) => {
      const at = readPath(place, point);
      const cells = shown.map((column) => column.cells[row] ?? '–');
      const [cell = '–'] = cells;
      return {
        cells,
        worst: first ? `${first.heading} ${withUnit(cell, cell === '–' ? '' : first.unit)}` : '',
        pointMm: Array.isArray(at) && at.length === 3 ? (at as number[]) : null,
      };
    }),
    count: typeof all === 'number' ? all : places.length,
  };
}
