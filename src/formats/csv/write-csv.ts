export type CsvCell = string | number | boolean | null | undefined;

/** What a spreadsheet takes for a formula, or for the way to one. https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;
/** A semicolon too: it is what separates cells where the comma stands in numbers. */
const QUOTED = /[",;\t\r\n]/;

/** A missing value is empty; a text that a spreadsheet would take for a formula is kept a text. */
function writeCell(value: CsvCell): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows as comma-separated values (RFC 4180). */
export const writeCsv = (rows: readonly (readonly CsvCell[])[]): string =>
  rows.map((row) => `${row.map(writeCell).join(',')}\r\n`).join('');
