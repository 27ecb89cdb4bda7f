/** Quantities and units of measures. */
import {
  chooseUnit,
  fixed,
  formatAgainstLimit,
  formatGiven,
  formatIn,
  roundAgainstLimit,
  roundQuantity,
  withUnit,
} from '../base/format-number.ts';

/** Units of each quantity, starting with the unit used in results, with the conversion factor from it. */
const unitsOfQuantity = {
  length: { mm: 1, µm: 1000 },
  area: { 'mm²': 1 },
  volume: { 'mm³': 1 },
  /** 0 to 1 in results, shown as percent */
  share: { '': 1, '%': 100 },
  count: { '': 1 },
  ratio: { '': 1 },
} as const satisfies Record<string, Record<string, number>>;
export type Quantity = keyof typeof unitsOfQuantity;

/** Units of a quantity; the first is the one used in results. */
export const listUnits = (quantity: Quantity) =>
  Object.keys(unitsOfQuantity[quantity]) as [string, ...string[]];

/** The unit shown to users: percent for a share, otherwise the unit used in results. */
export const usualUnit = (quantity: Quantity): string =>
  quantity === 'share' ? '%' : listUnits(quantity)[0];

/** @param unit one of the quantity's units; an unknown one is treated as the unit used in results */
export function convertTo(unit: string, value: number, quantity: Quantity): number {
  const factors: Record<string, number> = unitsOfQuantity[quantity];
  return value * (factors[unit] ?? 1);
}

/** An uncertainty of zero, such as that of a share of 100 %, carries no information. */
const isStated = (expanded: number | null): expanded is number => expanded !== null && expanded > 0;

/**
 * Decimals up to the second significant digit of an uncertainty, none for a number of things; null without an uncertainty,
 * and when rounding would turn the value into 0 or a share below 100 % into 100 %.
 */
function findDecimals(value: number, expanded: number | null, unit: string): number | null {
  if (!isStated(expanded) || !Number.isFinite(value)) return null;
  if (unit === '' && Number.isInteger(value) && expanded >= 1) return 0;
  const decimals = Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(Number(expanded.toPrecision(2))))));
  const rounded = Number(value.toFixed(decimals));
  const isLost = (rounded === 0 && value !== 0) || (unit === '%' && rounded === 100 && value < 100);
  return isLost ? null : decimals;
}

/**
 * A measured number with its unit for screen and reports, rounded to the second digit of its uncertainty.
 * @param value in the unit used in results
 * @param expanded expanded uncertainty; null when unknown
 */
export function formatMeasured(value: number, quantity: Quantity, expanded: number | null): string {
  const unit = usualUnit(quantity);
  const number = convertTo(unit, value, quantity);
  const shown = chooseUnit([number], unit);
  if (!isStated(expanded)) return withUnit(formatIn(shown, number), shown.unit);
  const band = convertTo(unit, expanded, quantity);
  const decimals = findDecimals(number * shown.factor, band * shown.factor, shown.unit);
  const [text, bandText] = [number, Number(band.toPrecision(2))].map((each) =>
    decimals === null ? formatIn(shown, each) : fixed(each * shown.factor, decimals),
  );
  return withUnit(`${text} ± ${bandText}`, shown.unit);
}

/**
 * A measured number beside the limit it is compared with, in the limit's unit, rounded to the second digit of its
 * uncertainty; with more digits when it would otherwise read like the limit.
 * @param expanded expanded uncertainty; null when unknown
 */
export function formatMeasuredAgainstLimit(
  value: number | null,
  expanded: number | null,
  limit: number,
  unit: string,
): string {
  if (value === null || !isStated(expanded)) return formatAgainstLimit(value, limit, unit);
  const band = Number(expanded.toPrecision(2));
  const decimals = findDecimals(value, expanded, unit);
  const readsAsLimit = decimals !== null && value !== limit && Number(value.toFixed(decimals)) === limit;
  const [text, bandText] =
    decimals === null || readsAsLimit
      ? [formatAgainstLimit(value, limit, ''), formatGiven(band)]
      : [fixed(value, decimals), fixed(band, decimals)];
  return withUnit(`${text} ± ${bandText}`, unit);
}

/** Rounds like {@link formatMeasuredAgainstLimit}, for a CSV file, in the limit's unit. */
export function roundMeasuredAgainstLimit(
  value: number,
  expanded: number | null,
  limit: number,
  unit: string,
): number {
  const decimals = findDecimals(value, expanded, unit);
  const rounded = decimals === null ? limit : Number(value.toFixed(decimals));
  return rounded === limit && value !== limit ? roundAgainstLimit(value, limit, unit) : rounded;
}

/** Rounds like {@link formatMeasured}, for a CSV file, in a unit that does not depend on the value. */
export function roundMeasured(value: number, quantity: Quantity, expanded: number | null) {
  const unit = usualUnit(quantity);
  const number = convertTo(unit, value, quantity);
  const band = isStated(expanded) ? convertTo(unit, expanded, quantity) : null;
  const decimals = findDecimals(number, band, unit);
  return {
    value: decimals === null ? roundQuantity(number, unit) : Number(number.toFixed(decimals)),
    expanded: band === null ? null : Number(band.toPrecision(2)),
    unit,
  };
}
