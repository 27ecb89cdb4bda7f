/**
 * Number formatting: the same digits and units on screen, in CSV files, in reports and in legends.
 * Measured values have four significant digits; digits before the point are never rounded away. Values too small for
 * their unit are shown in a smaller one.
 */

/** Narrow and no-break: a line never ends between a value and its unit. */
const narrowSpace = '\u202f';
const locale = 'en';
const significantDigits = 4;

/** The smaller unit of each unit, the factor to it, and the value below which it is used. */
const smallerUnits: Readonly<Record<string, { unit: string; factor: number; below: number }>> = {
  mm: { unit: 'µm', factor: 1e3, below: 0.1 },
  'mm²': { unit: 'µm²', factor: 1e6, below: 1e-3 },
  'mm³': { unit: 'µm³', factor: 1e9, below: 1e-3 },
};

/** The text with a capital first letter. */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Removes the rounding error left by multiplying by a power of ten. */
const clean = (value: number): number => Number(value.toPrecision(12));

/** Rounds a measured number to four significant digits; digits before the point are all kept. Non-zero never becomes 0. */
export const roundShown = (value: number): number =>
  Math.abs(value) >= 10 ** significantDigits
    ? Math.sign(value) * Math.round(Math.abs(value))
    : Number(value.toPrecision(significantDigits));

/** Rounds a coordinate in mm to 0.1 µm, or to four significant digits where that is finer. */
export const roundPlace = (mm: number): number =>
  Math.abs(mm) >= 1 ? Number(mm.toFixed(4)) : roundShown(mm);

/** Like `roundShown`, but a share below 100 % never becomes 100 %. */
export function roundQuantity(value: number, unit: string): number {
  const missing = 100 - value;
  return unit === '%' && missing > 0 && missing < 0.1
    ? clean(100 - Number(missing.toPrecision(2)))
    : roundShown(value);
}

/** Like `roundQuantity`, with enough digits to distinguish the value from the limit it is compared with. */
export function roundAgainstLimit(value: number, limit: number, unit: string): number {
  const rounded = roundQuantity(value, unit);
  if (rounded !== limit || Math.abs(value - limit) <= 1e-9 * Math.abs(limit)) return rounded;
  for (let digits = significantDigits + 1; digits <= 12; digits++) {
    const finer = Number(value.toPrecision(digits));
    if (finer !== limit) return finer;
  }
  return value;
}

/** `1284` → `1,284`. */
export const formatCount = (count: number): string => count.toLocaleString(locale);

/**
 * A number with thousands separators; a dash for a missing or non-finite one. A number that rounds to zero has no sign.
 * @param decimals after the point; default: as many as `roundShown` leaves
 */
export function formatNumber(value: number | null | undefined, decimals?: number): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (decimals !== undefined)
    return value.toLocaleString(locale, {
      signDisplay: 'negative',
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    });
  return formatExact(roundShown(value));
}

/** All digits of an already rounded number; exponential notation for very small and very large ones. */
function formatExact(value: number): string {
  if (value !== 0 && (Math.abs(value) < 1e-6 || Math.abs(value) >= 1e15)) return value.toExponential();
  return value.toLocaleString(locale, { signDisplay: 'negative', maximumFractionDigits: 12 });
}

/** `2.418` and `mm` → `2.418 mm`; without a unit, the text is unchanged. */
export const withUnit = (text: string, unit: string | null | undefined): string =>
  unit ? `${text}${unit === '°' ? '' : narrowSpace}${unit}` : text;

export interface ShownUnit {
  unit: string;
  /** factor by which values are multiplied to be shown in that unit */
  factor: number;
}

/** Chooses the common unit of numbers shown together in a table, a legend or an axis. */
export function chooseUnit(values: readonly (number | null | undefined)[], unit: string): ShownUnit {
  const smaller = smallerUnits[unit];
  const largest = values.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0);
  return smaller && largest > 0 && roundShown(largest) < smaller.below ? smaller : { unit, factor: 1 };
}

/** A number in a previously chosen unit, without the unit. */
export const formatIn = ({ unit, factor }: ShownUnit, value: number | null | undefined): string =>
  value === null || value === undefined || !Number.isFinite(value)
    ? '–'
    : formatExact(clean(roundQuantity(value, factor === 1 ? unit : '') * factor));

/** Smallest difference that matters within a range of values: a power of ten, between 1/20,000 and 1/2,000 of it. */
export const resolveRange = ([low, high]: readonly [number, number]): number =>
  high > low ? 10 ** Math.floor(Math.log10((high - low) / 2000) + 1e-9) : 0;

/** A number among others of a range, in their common unit: all with the same decimals, so that zero reads as zero. */
export const formatWithin = (
  range: readonly [number, number],
  { factor }: ShownUnit,
  value: number | null | undefined,
): string => {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  return fixed(value * factor, decimalsFor(resolveRange(range) * factor));
};

/** Such a number with its unit; `spread` holds the numbers that the unit is chosen for. */
export function formatWithinUnit(
  range: readonly [number, number],
  unit: string,
  value: number,
  spread: readonly number[] = range,
): string {
  const shown = chooseUnit(spread, unit);
  return withUnit(formatWithin(range, shown, value), shown.unit);
}

/** Value and unit; small values get a smaller unit: `2.418 mm`, `34.5 µm`. */
export function formatQuantity(value: number | null | undefined, unit: string): string {
  const shown = chooseUnit([value], unit);
  const text = formatIn(shown, value);
  return text === '–' ? text : withUnit(text, shown.unit);
}

/** `0.5 × 0.5 × 12.5 mm`: several numbers in one unit, chosen for the largest. */
export function formatQuantities(values: readonly number[], unit: string, between = ' × '): string {
  const shown = chooseUnit(values, unit);
  return withUnit(values.map((value) => formatIn(shown, value)).join(between), shown.unit);
}

/** A measured number shown beside its limit, in the limit's unit. */
export const formatAgainstLimit = (value: number | null | undefined, limit: number, unit: string): string =>
  value === null || value === undefined || !Number.isFinite(value)
    ? '–'
    : withUnit(formatExact(roundAgainstLimit(value, limit, unit)), unit);

/** A limit or a parameter, with the digits that were typed. */
export const formatGiven = (value: number, unit: string | null = ''): string =>
  withUnit(formatExact(clean(value)), unit);

/** A length in mm, or in µm when it is small. */
export const formatLength = (mm: number): string => formatQuantity(mm, 'mm');

/** A number with a fixed number of decimals; never “−0.00”. */
export function fixed(value: number, decimals: number): string {
  return formatNumber(Math.abs(value) < 0.5 / 10 ** decimals ? 0 : value, decimals);
}

/** Decimals needed to show a step: 0 for 1 and more, 1 for 0.1, 3 for 0.005; at most 6. */
export function decimalsFor(step: number): number {
  if (!(step > 0)) return 3;
  return Math.min(6, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
}
