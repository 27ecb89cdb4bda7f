/**
 * Parses a typed number: thousands separators, spaces, a typographic minus and a decimal comma are accepted; null if
 * invalid.
 */
export function parsedNumber(text: string): number | null {
  const compact = text.replace(/\s/g, '').replace('\u2212', '-');
  const grouped = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(compact);
  const plain = grouped ? compact.replaceAll(',', '') : compact.replace(',', '.');
  const value = Number(plain);
  return plain !== '' && Number.isFinite(value) ? value : null;
}
