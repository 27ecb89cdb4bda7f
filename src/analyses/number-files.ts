/** Numbers of a result as files that other programs read. */
import type { ResultFile } from './analysis.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

export const jsonFile = (fileName: string, value: unknown): ResultFile => ({
  fileName,
  mediaType: 'application/json',
  bytes: utf8(`${JSON.stringify(value, null, 2)}\n`),
});

type Cell = string | number | boolean | null | undefined;

/** RFC 4180; a text that a spreadsheet would take for a formula is kept from being one. */
function cellOf(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Comma-separated values with a heading; a missing value is an empty cell. */
export function tableFile(fileName: string, heading: string[], rows: Cell[][]): ResultFile {
  const lines = [heading, ...rows].map((row) => row.map(cellOf).join(','));
  return { fileName, mediaType: 'text/csv', bytes: utf8(`${lines.join('\n')}\n`) };
}
