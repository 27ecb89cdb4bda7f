import { formatNumber } from '#contract/base/format-number.ts';

/** A number with a fixed count of decimals; never “−0.00”. */
export function fixed(value: number, decimals: number): string {
  return formatNumber(Math.abs(value) < 0.5 / 10 ** decimals ? 0 : value, decimals);
}

/** Decimals that a step needs to be seen: 0 for 1 and more, 1 for 0.1, 3 for 0.005; at most 6. */
export function decimalsFor(step: number): number {
  if (!(step > 0)) return 3;
  return Math.min(6, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
}

/** What was typed as a number: grouping commas and spaces, a real minus, a decimal comma; null when it is none. */
export function parsedNumber(text: string): number | null {
  const compact = text.replace(/[\s\u2009\u00a0]/g, '').replace('\u2212', '-');
  const grouped = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(compact);
  const plain = grouped ? compact.replaceAll(',', '') : compact.replace(',', '.');
  const value = Number(plain);
  return plain !== '' && Number.isFinite(value) ? value : null;
}
