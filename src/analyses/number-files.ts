/** Numbers of a result as files that other programs read: tables as the screen shows them, JSON with all digits. */
import { roundPlace, roundShown } from '#contract/base/format-number.ts';
import { type CsvCell, writeCsv } from '#formats/csv/write-csv.ts';
import type { ResultFile } from './analysis.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

export const jsonFile = (fileName: string, value: unknown): ResultFile => ({
  fileName,
  mediaType: 'application/json',
  bytes: utf8(`${JSON.stringify(value, null, 2)}\n`),
});

const csvFile = (fileName: string, rows: readonly CsvCell[][]): ResultFile => ({
  fileName,
  mediaType: 'text/csv',
  bytes: utf8(writeCsv(rows)),
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
