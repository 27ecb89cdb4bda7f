import { type PlaceColumn, type PlaceTable, pointNames } from './place-table.ts';

/** How a column of the file is displayed. */
export interface ColumnDescription {
  title: string;
  unit: string;
  words?: Readonly<Record<string, string>>;
  isMinor?: boolean;
  /** columns are sorted by this in ascending order, otherwise in file order */
  rank?: number;
}

interface Growing {
  name: string;
  values: number[];
  /** index by text; null while the column contains only numbers */
  words: Map<string, number> | null;
}

const idName = 'id';
const flags = ['true', 'false'];

/**
 * Reads a table of places as it arrives: comma-separated, a header and one row per place, with its number as `id` and
 * its centre as `centerXMm`, `centerYMm`, `centerZMm`. Columns unknown to this version are kept.
 */
export class PlaceReader {
  #rest = '';
  #columns: Growing[] | null = null;

  /** @throws Error if a row has a different number of cells than the header */
  push(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#take(line);
  }

  /**
   * @param describe display of a column, by its name in the file
   * @throws Error if a required column is missing
   */
  finish(describe: (name: string) => ColumnDescription): PlaceTable {
    this.#take(this.#rest);
    this.#rest = '';
    const columns = this.#columns ?? [];
    const take = (name: string) => {
      const column = columns.find((each) => each.name === name);
      if (!column) throw new Error(`The table of places has no column “${name}”.`);
      return column.values;
    };
    const ids = take(idName);
    const points = new Float64Array(3 * ids.length);
    for (const [k, name] of pointNames.entries())
      for (const [row, value] of take(name).entries()) points[3 * row + k] = value;
    const count = ids.length;
    return {
      count,
      ids: Float64Array.from(ids),
      rowOfId: new Map(ids.map((id, row) => [id, row])),
      points,
      columns: columns
        .map((column) => ({ column, description: describe(column.name) }))
        .sort((a, b) => findRank(a.description) - findRank(b.description))
        .map(({ column, description }) => finishColumn(column, description))
        .filter(({ values }) => values.some((value) => !Number.isNaN(value))),
    };
  }

  #take(line: string): void {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (text === '') return;
    const cells = text.split(',');
    if (!this.#columns) {
      this.#columns = cells.map((name) => ({ name, values: [], words: null }));
      return;
    }
    if (cells.length !== this.#columns.length) {
      const row = (this.#columns[0]?.values.length ?? 0) + 1;
      throw new Error(
        `Row ${row} of the table of places has ${cells.length} cells instead of ${this.#columns.length}.`,
      );
    }
    for (const [i, column] of this.#columns.entries()) column.values.push(readCell(cells[i] ?? '', column));
  }
}

function readCell(cell: string, column: Growing): number {
  if (cell === '') return Number.NaN;
  const number = Number(cell);
  if (!Number.isNaN(number)) return number;
  column.words ??= new Map();
  const known = column.words.get(cell);
  if (known !== undefined) return known;
  column.words.set(cell, column.words.size);
  return column.words.size - 1;
}

function finishColumn({ name, values, words }: Growing, description: ColumnDescription): PlaceColumn {
  const { title, unit, words: names = {}, isMinor = false } = description;
  const found = words && [...words.keys()];
  const common = { name, title, unit, isMinor };
  // Booleans become 1 and 0, so that they can be filtered and drawn like numbers.
  if (found?.every((word) => flags.includes(word))) {
    const yes = found.indexOf('true');
    return {
      ...common,
      values: Float64Array.from(values, (value) => (Number.isNaN(value) ? value : Number(value === yes))),
      words: ['no', 'yes'],
    };
  }
  return {
    ...common,
    values: Float64Array.from(values),
    words: found?.map((word) => names[word] ?? word) ?? null,
  };
}

const findRank = ({ rank = Number.MAX_SAFE_INTEGER }: ColumnDescription) => rank;
