/** Numbers of a result as files that other programs read: tables as the screen shows them, JSON with all digits. */
import { roundPlace, roundShown } from '#contract/base/format-number.ts';
import { type CsvCell, writeCsv } from '#formats/csv/write-csv.ts';
import type { ResultFile } from './analysis.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

export const jsonFile = (fileName: string, value: unknown): ResultFile => ({
  fileName,
  mediaType: 'application/json',
  parts: [utf8(`${JSON.stringify(value, null, 2)}\n`)],
});

/** Rows that become bytes together. */
const rowsPerPiece = 1000;

/** A list as JSON, a line a row: it is read line by line, and in one piece it could be longer than a text can be. */
export function jsonRowsFile(fileName: string, rows: readonly object[]): ResultFile {
  const parts: Uint8Array[] = [utf8('[\n')];
  for (let from = 0; from < rows.length; from += rowsPerPiece) {
    const lines = rows.slice(from, from + rowsPerPiece).map((row) => JSON.stringify(row));
    parts.push(utf8(lines.join(',\n') + (from + rowsPerPiece < rows.length ? ',\n' : '\n')));
  }
  parts.push(utf8(']\n'));
  return { fileName, mediaType: 'application/json', parts };
}

const csvFile = (fileName: string, rows: readonly CsvCell[][]): ResultFile => ({
  fileName,
  mediaType: 'text/csv',
  parts: [utf8(writeCsv(rows))],
});

/** Names of columns that hold places on an axis: `xMm`, `centerXMm`, the edges of a histogram. */
const isPlace = (name: string): boolean => /(^[xyz]|[XYZ]|^from|^to)Mm$/.test(name);

/** A table with its numbers rounded as on the screen. */
export const tableFile = (fileName: string, heading: string[], rows: readonly CsvCell[][]): ResultFile =>
  csvFile(fileName, [
    heading,
    ...rows.map((row) =>
      row.map((cell, column) => {
        if (typeof cell !== 'number') return cell;
        return isPlace(heading[column] ?? '') ? roundPlace(cell) : roundShown(cell);
      }),
    ),
  ]);

/** A pose as four lines of four numbers, with all digits: it is to be computed with. */
export const matrixFile = (fileName: string, matrix: readonly number[]): ResultFile =>
  csvFile(fileName, [['m0', 'm1', 'm2', 'm3'], ...[0, 4, 8, 12].map((row) => matrix.slice(row, row + 4))]);

/** Area by value, a row a bin. */
export const histogramFile = ({ edgesMm, areaMm2 }: { edgesMm: number[]; areaMm2: number[] }): ResultFile =>
  tableFile(
    'histogram.csv',
    ['fromMm', 'toMm', 'areaMm2'],
    areaMm2.map((area, i) => [edgesMm[i], edgesMm[i + 1], area]),
  );
