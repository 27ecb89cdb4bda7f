export type CsvCell = string | number | boolean | null | undefined;

/** Cells that spreadsheets interpret as formulas. https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;
/** Semicolons too, because they separate cells in locales with decimal commas. */
const QUOTED = /[",;\t\r\n]/;

/** Missing values are empty; text that looks like a formula is escaped. */
function writeCell(value: CsvCell): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows as comma-separated values (RFC 4180). */
export const writeCsv = (rows: readonly (readonly CsvCell[])[]): string =>
  rows.map((row) => `${row.map(writeCell).join(',')}\r\n`).join('');
