/** What measures are measured in. */
import { chooseUnit, formatIn, roundQuantity, withUnit } from '../base/format-number.ts';

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

/**
 * A measured number with its unit, as it stands on the screen and in reports.
 * @param value in the unit of the result
 * @param expanded its uncertainty; null where none is known
 */
export function formatMeasured(value: number, quantity: Quantity, expanded: number | null): string {
  const unit = usualUnit(quantity);
  const shown = chooseUnit([convertTo(unit, value, quantity)], unit);
  const number = formatIn(shown, convertTo(unit, value, quantity));
  const text =
    expanded === null
      ? number
      : `${number} ± ${formatIn(shown, Number(convertTo(unit, expanded, quantity).toPrecision(2)))}`;
  return withUnit(text, shown.unit);
}

/** The same number for a CSV file: the digits of the screen, in a unit that does not change with the value. */
export function roundMeasured(value: number, quantity: Quantity, expanded: number | null) {
  const unit = usualUnit(quantity);
  return {
    value: roundQuantity(convertTo(unit, value, quantity), unit),
    expanded: expanded === null ? null : Number(convertTo(unit, expanded, quantity).toPrecision(2)),
    unit,
  };
}
