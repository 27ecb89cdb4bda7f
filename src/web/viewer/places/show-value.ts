import { chooseUnit, formatIn, type ShownUnit, withUnit } from '#contract/base/format-number.ts';
import { type PlaceColumn, readValue } from '#kernels/places/place-table.ts';

const units = new WeakMap<PlaceColumn, ShownUnit>();

/** The unit of a column, chosen for its largest value. */
export function findUnit(column: PlaceColumn): ShownUnit {
  const { values, unit } = column;
  let shown = units.get(column);
  if (!shown) {
    const largest = values.reduce((most, value) => (Math.abs(value) > most ? Math.abs(value) : most), 0);
    shown = chooseUnit([largest], unit);
    units.set(column, shown);
  }
  return shown;
}

/** A value of a column with its unit. */
export const showValue = (column: PlaceColumn, value: number): string =>
  withUnit(formatIn(findUnit(column), value), findUnit(column).unit);

/** The text of a cell: a number in the unit of the column, or a word. */
export function showCell(column: PlaceColumn, row: number): string {
  const value = readValue(column, row);
  if (column.words) return column.words[value] ?? '–';
  return formatIn(findUnit(column), Number.isNaN(value) ? null : value);
}
