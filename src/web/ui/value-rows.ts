/**
 * Turns named values of any kind, such as metadata and parameters, into rows of text: the unit is taken from the name,
 * long lists are only counted. Pure.
 */
import { formatCount, formatQuantities, formatQuantity } from '#contract/base/format-number.ts';
import { spellOut } from './quantity.ts';

export interface ValueRow {
  label: string;
  value: string;
}

const units: readonly [suffix: string, unit: string][] = [
  ['Mm3', 'mm³'],
  ['Mm2', 'mm²'],
  ['Mm', 'mm'],
  ['Deg', '°'],
  ['Kv', 'kV'],
  ['Ua', 'µA'],
  ['Ms', 'ms'],
  ['Bytes', 'B'],
];

/** `minThicknessMm` → “Min thickness” and mm. */
export function nameAndUnit(key: string): { label: string; unit: string | null } {
  const found = units.find(([suffix]) => key.length > suffix.length && key.endsWith(suffix));
  if (!found) return { label: spellOut(key), unit: null };
  return { label: spellOut(key.slice(0, -found[0].length)), unit: found[1] };
}

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'number');

/** Coordinates are listed; extents are joined with ×. */
const isPlace = (key: string): boolean => /^(origin|center|min|max|position)/i.test(key);

/** One value as text; null if it is shown as rows of its own. */
function formatValue(key: string, value: unknown, unit: string | null): string | null {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'number') return formatQuantity(value, unit ?? '');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return value;
  if (isNumbers(value)) {
    if (value.length === 0) return 'none';
    if (value.length === 2) return formatQuantities(value, unit ?? '', ' to ');
    if (value.length <= 4) return formatQuantities(value, unit ?? '', isPlace(key) ? ', ' : ' × ');
    if (value.length <= 16) return formatQuantities(value, unit ?? '', '  ');
    return `${formatCount(value.length)} values`;
  }
  if (Array.isArray(value)) {
    if (value.length > 0 && value.length <= 6 && value.every((each) => typeof each === 'string'))
      return value.join(', ');
    return value.length === 0
      ? 'none'
      : `${formatCount(value.length)} ${value.length === 1 ? 'entry' : 'entries'}`;
  }
  return null;
}

/** All rows, nested names joined with a comma; `without` omits keys that are shown elsewhere. */
export function valueRows(
  values: Record<string, unknown>,
  without: readonly string[] = [],
  outer: string | null = null,
  outerUnit: string | null = null,
): ValueRow[] {
  return Object.entries(values).flatMap(([key, value]): ValueRow[] => {
    if (without.includes(key)) return [];
    const { label: own, unit: ownUnit } = nameAndUnit(key);
    const label = outer === null ? own : `${outer}, ${own.toLowerCase()}`;
    const unit = ownUnit ?? outerUnit;
    const words = formatValue(key, value, unit);
    if (words !== null) return [{ label, value: words }];
    return valueRows(value as Record<string, unknown>, [], label, unit);
  });
}
