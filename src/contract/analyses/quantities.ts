/** What measures are measured in. */
import {
  chooseUnit,
  fixed,
  formatBeside,
  formatGiven,
  formatIn,
  roundBeside,
  roundQuantity,
  withUnit,
} from '../base/format-number.ts';

/** Units of each quantity, the one of the result first, with the factor from that one. */
const unitsOfQuantity = {
  length: { mm: 1, µm: 1000 },
  area: { 'mm²': 1 },
  volume: { 'mm³': 1 },
  /** of the result 0 to 1; people say percent */
  share: { '': 1, '%': 100 },
  count: { '': 1 },
  ratio: { '': 1 },
} as const satisfies Record<string, Record<string, number>>;
export type Quantity = keyof typeof unitsOfQuantity;

/** The unit of the result first. */
export const listUnits = (quantity: Quantity) =>
  Object.keys(unitsOfQuantity[quantity]) as [string, ...string[]];

/** The unit that people use: percent for a share, else the unit of the result. */
export const usualUnit = (quantity: Quantity): string =>
  quantity === 'share' ? '%' : listUnits(quantity)[0];

/** @param unit one of the quantity's; any other counts as the one of the result */
export function convertTo(unit: string, value: number, quantity: Quantity): number {
  const factors: Record<string, number> = unitsOfQuantity[quantity];
  return value * (factors[unit] ?? 1);
}

/** A number is never known to nothing at all: an interval without width, as of a share that is all of it, says nothing. */
const isStated = (expanded: number | null): expanded is number => expanded !== null && expanded > 0;

/**
 * Digits after the point up to the second one of an uncertainty; null where it gives none, and where nothing would be left
 * of the value, or a share that is not all of it would become all.
 */
function findDecimals(value: number, expanded: number | null, unit: string): number | null {
  if (!isStated(expanded) || !Number.isFinite(value)) return null;
  const decimals = Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(Number(expanded.toPrecision(2))))));
  const rounded = Number(value.toFixed(decimals));
  const isLost = (rounded === 0 && value !== 0) || (unit === '%' && rounded === 100 && value < 100);
  return isLost ? null : decimals;
}

/**
 * A measured number with its unit, as it stands on the screen and in reports: to the second digit of its uncertainty.
 * @param value in the unit of the result
 * @param expanded its uncertainty; null where none is known
 */
export function formatMeasured(value: number, quantity: Quantity, expanded: number | null): string {
  const unit = usualUnit(quantity);
  const number = convertTo(unit, value, quantity);
  const shown = chooseUnit([number], unit);
  if (!isStated(expanded)) return withUnit(formatIn(shown, number), shown.unit);
  const band = convertTo(unit, expanded, quantity);
  const decimals = findDecimals(number * shown.factor, band * shown.factor, shown.unit);
  const [told, toldBand] = [number, Number(band.toPrecision(2))].map((each) =>
    decimals === null ? formatIn(shown, each) : fixed(each * shown.factor, decimals),
  );
  return withUnit(`${told} ± ${toldBand}`, shown.unit);
}

/**
 * A measured number beside the limit that it is held against, in the limit's unit: to the second digit of its uncertainty,
 * or further where it would be read as the limit itself.
 * @param expanded its uncertainty; null where none is known
 */
export function formatMeasuredBeside(
  value: number | null,
  expanded: number | null,
  limit: number,
  unit: string,
): string {
  if (value === null || !isStated(expanded)) return formatBeside(value, limit, unit);
  const band = Number(expanded.toPrecision(2));
  const decimals = findDecimals(value, expanded, unit);
  const readsAsLimit = decimals !== null && value !== limit && Number(value.toFixed(decimals)) === limit;
  const [told, toldBand] =
    decimals === null || readsAsLimit
      ? [formatBeside(value, limit, ''), formatGiven(band)]
      : [fixed(value, decimals), fixed(band, decimals)];
  return withUnit(`${told} ± ${toldBand}`, unit);
}

/** The same number beside its limit for a CSV file, in the limit's unit. */
export function roundMeasuredBeside(
  value: number,
  expanded: number | null,
  limit: number,
  unit: string,
): number {
  const decimals = findDecimals(value, expanded, unit);
  const rounded = decimals === null ? limit : Number(value.toFixed(decimals));
  return rounded === limit && value !== limit ? roundBeside(value, limit, unit) : rounded;
}

/** The same number for a CSV file: the digits of the screen, in a unit that does not change with the value. */
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
