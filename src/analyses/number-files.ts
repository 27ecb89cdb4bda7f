/** Result numbers as files for other programs: CSV tables rounded as on screen, JSON with all digits. */
import { roundPlace, roundShown } from '#contract/base/format-number.ts';
import { type CsvCell, writeCsv } from '#formats/csv/write-csv.ts';
import type { ResultFile } from './analysis.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

export const jsonFile = (fileName: string, value: unknown): ResultFile => ({
  fileName,
  mediaType: 'application/json',
  parts: [utf8(`${JSON.stringify(value, null, 2)}\n`)],
});

/** Number of rows encoded together. */
const rowsPerPiece = 1000;

/** A list as JSON with one row per line, in pieces: as a single string it could exceed the longest possible one. */
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

/** Names of columns that contain coordinates: `xMm`, `centerXMm`, histogram edges. */
const isPlace = (name: string): boolean => /(^[xyz]|[XYZ]|^from|^to)Mm$/.test(name);

/** A table with numbers rounded as on screen. */
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

/** A pose as four lines of four numbers with all digits, for further computation. */
export const matrixFile = (fileName: string, matrix: readonly number[]): ResultFile =>
  csvFile(fileName, [['m0', 'm1', 'm2', 'm3'], ...[0, 4, 8, 12].map((row) => matrix.slice(row, row + 4))]);

/** Area by value, one row per bin. */
export const histogramFile = ({ edgesMm, areaMm2 }: { edgesMm: number[]; areaMm2: number[] }): ResultFile =>
  tableFile(
    'histogram.csv',
    ['fromMm', 'toMm', 'areaMm2'],
    areaMm2.map((area, i) => [edgesMm[i], edgesMm[i + 1], area]),
  );
