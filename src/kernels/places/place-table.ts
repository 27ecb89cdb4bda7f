/** Places of a surface, such as pores, column by column, and queries on them. Pure functions. */
import type { Vector3 } from '../grid/volume.ts';

export interface PlaceColumn {
  /** as in the file, such as `equivalentDiameterMm` */
  name: string;
  title: string;
  unit: string;
  /** one per place; NaN if missing; text is stored by index */
  values: Float64Array;
  /** text by index; null for a column of numbers */
  words: readonly string[] | null;
  /** belongs to the bounding box of the place: used to locate it, not displayed */
  isMinor: boolean;
}

export interface PlaceTable {
  count: number;
  /** number of each place, as at the vertices of the surface */
  ids: Float64Array;
  rowOfId: ReadonlyMap<number, number>;
  /** x, y, z of each place, mm */
  points: Float64Array;
  columns: readonly PlaceColumn[];
}

/** Places whose value in a column is between two limits, both included; null = no limit. */
export interface PlaceLimits {
  column: string;
  min: number | null;
  max: number | null;
}

export interface PlaceOrder {
  column: string;
  descending: boolean;
}

/** Columns with the centre of each place. */
export const pointNames: readonly string[] = ['centerXMm', 'centerYMm', 'centerZMm'];

/** Whether a logarithm of the column is meaningful: not for text, nor for positions. */
export const hasSizes = ({ name, words }: PlaceColumn): boolean =>
  words === null && !pointNames.includes(name);

export const findColumn = (table: PlaceTable, name: string): PlaceColumn | null =>
  table.columns.find((column) => column.name === name) ?? null;

/** NaN if the row has none. */
export const readValue = ({ values }: PlaceColumn, row: number): number => values[row] ?? Number.NaN;

export function locatePoint({ points }: PlaceTable, row: number): Vector3 {
  const [x = Number.NaN, y = Number.NaN, z = Number.NaN] = points.subarray(3 * row, 3 * row + 3);
  return [x, y, z];
}

/** Rows within all limits, in their order. Missing values are outside every limit; unknown columns are ignored. */
export function filterRows(table: PlaceTable, limits: readonly PlaceLimits[]): Uint32Array {
  const spans = limits.flatMap(({ column, min, max }) => {
    const found = findColumn(table, column);
    return found && (min !== null || max !== null)
      ? [{ column: found, min: min ?? -Infinity, max: max ?? Infinity }]
      : [];
  });
  const rows = new Uint32Array(table.count);
  let kept = 0;
  for (let row = 0; row < table.count; row++)
    if (spans.every(({ column, min, max }) => readValue(column, row) >= min && readValue(column, row) <= max))
      rows[kept++] = row;
  return rows.slice(0, kept);
}

/** Sorts rows by a column; missing values are last in either direction, equal ones keep their order. */
export function sortRows(table: PlaceTable, rows: Uint32Array, order: PlaceOrder | null): Uint32Array {
  const column = order && findColumn(table, order.column);
  if (!column) return rows;
  const ranks = column.words && rankWords(column.words);
  const sign = order.descending ? -1 : 1;
  const findRank = (row: number) => {
    const value = readValue(column, row);
    return ranks ? (ranks[value] ?? Number.NaN) : value;
  };
  return rows.slice().sort((a, b) => {
    const [p, q] = [findRank(a), findRank(b)];
    if (Number.isNaN(p) || Number.isNaN(q)) return Number(Number.isNaN(p)) - Number(Number.isNaN(q)) || a - b;
    return sign * (p - q) || a - b;
  });
}

function rankWords(words: readonly string[]): number[] {
  const sorted = [...words].sort((a, b) => a.localeCompare(b, 'en'));
  return words.map((word) => sorted.indexOf(word));
}

export interface PlaceStatistics {
  count: number;
  sum: number;
  mean: number;
  /** standard deviation of the places as a population, not a sample */
  sd: number;
  min: number;
  median: number;
  max: number;
}

/** Statistics of a column over the given rows; null without values. */
export function describeColumn(column: PlaceColumn, rows: Uint32Array): PlaceStatistics | null {
  const known = Float64Array.from(rows, (row) => readValue(column, row))
    .filter((value) => !Number.isNaN(value))
    .sort();
  const count = known.length;
  const [min, max] = [known[0], known.at(-1)];
  if (min === undefined || max === undefined) return null;
  const sum = known.reduce((total, value) => total + value, 0);
  const mean = sum / count;
  const sd = Math.sqrt(known.reduce((total, value) => total + (value - mean) ** 2, 0) / count);
  const median = ((known[(count - 1) >> 1] ?? min) + (known[count >> 1] ?? max)) / 2;
  return { count, sum, mean, sd, min, median, max };
}

export interface PlaceHistogram {
  /** one more than there are counts */
  edges: number[];
  counts: number[];
}

/**
 * Histogram of the places, in equal steps of the value or of its logarithm, from the smallest to the largest.
 *
 * @param rows that are counted; `all` determines the bins, so that histograms of two sets of rows can be overlaid
 */
export function countPlaces(
  column: PlaceColumn,
  rows: Uint32Array,
  all: Uint32Array,
  isLog: boolean,
  steps = 32,
): PlaceHistogram | null {
  const isCounted = (value: number) => (isLog ? value > 0 : !Number.isNaN(value));
  let [low, high] = [Infinity, -Infinity];
  for (const row of all) {
    const value = readValue(column, row);
    if (!isCounted(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (!(high >= low)) return null;
  if (high === low) high = low + (Math.abs(low) || 1) * 1e-6;
  const [from, to] = isLog ? [Math.log(low), Math.log(high)] : [low, high];
  const edges = Array.from({ length: steps + 1 }, (_, i) => {
    if (i === 0 || i === steps) return i === 0 ? low : high;
    const edge = from + ((to - from) * i) / steps;
    return isLog ? Math.exp(edge) : edge;
  });
  const counts = new Uint32Array(steps);
  for (const row of rows) {
    const value = readValue(column, row);
    if (!isCounted(value)) continue;
    const place = ((isLog ? Math.log(value) : value) - from) / (to - from);
    const step = Math.min(steps - 1, Math.max(0, Math.floor(place * steps)));
    counts[step] = (counts[step] ?? 0) + 1;
  }
  return { edges, counts: [...counts] };
}

/** The place nearest to a point within `withinMm`; null if there is none. */
export function nearestRow(table: PlaceTable, point: Vector3, withinMm: number): number | null {
  const { count, points } = table;
  const [x, y, z] = point;
  let nearest = -1;
  let least = withinMm ** 2;
  for (let row = 0; row < count; row++) {
    const dx = (points[3 * row] ?? Number.NaN) - x;
    const dy = (points[3 * row + 1] ?? Number.NaN) - y;
    const dz = (points[3 * row + 2] ?? Number.NaN) - z;
    const squared = dx * dx + dy * dy + dz * dz;
    if (!(squared <= least)) continue;
    nearest = row;
    least = squared;
  }
  return nearest < 0 ? null : nearest;
}
