/**
 * Exports the numbers of a result: a table with every quantity, value and unit, or everything as JSON; both include the
 * provenance. Pure.
 */
import { roundQuantity } from '#contract/base/format-number.ts';
import { writeCsv } from '#formats/csv/write-csv.ts';
import { nameAndUnit } from './value-rows.ts';

export interface NumberRow {
  /** the section it belongs to: result, gates, provenance */
  section: string;
  quantity: string;
  value: string | number | boolean | null;
  unit: string;
  /** a number that is rounded already */
  isRounded?: boolean;
}

/** Lists that hold no figures, or have a table of their own among the files; the JSON contains them in full. */
const ownTables = new Set([
  'histogram',
  'outline',
  'sizeDistribution',
  'regions',
  'groups',
  'unmeasuredGroups',
  'defects',
]);

/** Every single value below `values`; its name is the path to it, and its unit is derived from the name. */
export function numberRows(section: string, values: Record<string, unknown>): NumberRow[] {
  const walk = (name: string, value: unknown, unit: string): NumberRow[] => {
    if (Array.isArray(value)) return value.flatMap((each, i) => walk(`${name}.${i}`, each, unit));
    if (typeof value === 'object' && value !== null)
      return Object.entries(value).flatMap(([key, each]) =>
        walk(name === '' ? key : `${name}.${key}`, each, nameAndUnit(key).unit ?? unit),
      );
    const isSingle = value === null || ['string', 'number', 'boolean'].includes(typeof value);
    return isSingle ? [{ section, quantity: name, value: value as NumberRow['value'], unit }] : [];
  };
  const kept = Object.fromEntries(Object.entries(values).filter(([key]) => !ownTables.has(key)));
  return walk('', kept, '').map((row) => (/(^|\.)seconds$/.test(row.quantity) ? { ...row, unit: 's' } : row));
}

/** Quantities written with all digits, because they are meant for further computation. */
const isExact = (quantity: string): boolean =>
  /(matrix|directions|origin|center|bounds|point)/i.test(quantity);

/** Rounded as on screen; the JSON has all digits. */
export const numbersCsv = (rows: readonly NumberRow[]): string =>
  writeCsv([
    ['section', 'quantity', 'value', 'unit'],
    ...rows.map(({ section, quantity, value, unit, isRounded = isExact(quantity) }) => [
      section,
      quantity,
      typeof value === 'number' && !isRounded ? roundQuantity(value, unit) : value,
      unit,
    ]),
  ]);

export const numbersJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** File name from parts such as part number, kind and day, safe on every file system. */
export const numbersFileName = (parts: readonly (string | null)[], ending: 'csv' | 'json' | 'png'): string =>
  `${parts
    .filter((part) => part !== null && part !== '')
    .map((part) =>
      String(part)
        .replaceAll(/[^\p{L}\p{N}.]+/gu, '-')
        .replaceAll(/^-|-$/g, ''),
    )
    .join('_')}.${ending}`;
