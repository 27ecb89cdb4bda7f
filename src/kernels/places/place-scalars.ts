import { missingValue } from '../color/weighted-histogram.ts';
import { findColumn, hasSizes, type PlaceTable, readValue } from './place-table.ts';

/** A column of the places by which their surface can be coloured. */
export interface PlaceScalar {
  name: string;
  title: string;
  unit: string;
  /** the names that its numbers stand for, from 0 on */
  words?: readonly string[];
  /** default limits of the colours */
  limits?: [number, number];
}

/** The name that a number stands for; empty between two names. */
export const readWord = (words: readonly string[], value: number): string => words[value] ?? '';

const logPrefix = 'log10 ';

/** Colouring options of the number columns: each value, and its logarithm if all values are positive sizes. */
export const listPlaceScalars = (table: PlaceTable): PlaceScalar[] =>
  table.columns
    .filter(({ name, isMinor }) => !isMinor && name !== 'id')
    .flatMap((column) => {
      const { name, title, unit, values } = column;
      const plain = { name, title, unit };
      if (column.words) {
        const limits: [number, number] = [-0.5, column.words.length - 0.5];
        return [{ ...plain, words: column.words, limits }];
      }
      if (!hasSizes(column) || values.some((value) => value <= 0)) return [plain];
      const log = { name: `${logPrefix}${name}`, title: `log₁₀ ${title}${unit ? `/${unit}` : ''}`, unit: '' };
      return [plain, log];
    });

/**
 * Values of such a scalar at the vertices of a surface; null if the table has no such column.
 *
 * @param ids place number at each vertex
 */
export function readPlaceScalar(
  table: PlaceTable,
  name: string,
  ids: Float32Array,
): Float32Array<ArrayBuffer> | null {
  const isLog = name.startsWith(logPrefix);
  const column = findColumn(table, isLog ? name.slice(logPrefix.length) : name);
  if (!column) return null;
  return Float32Array.from(ids, (id) => {
    const row = table.rowOfId.get(id);
    const value = row === undefined ? Number.NaN : readValue(column, row);
    const shown = isLog ? Math.log10(value) : value;
    return Number.isFinite(shown) ? shown : missingValue;
  });
}
