/** Stores many rows of one shape as columns of numbers, in a tenth of the memory of as many objects. */

type Leaf = number | string | boolean | null;

interface Column {
  path: readonly string[];
  /** grows with the rows; strings are stored as their number, null as NaN */
  values: Float64Array;
  type: 'number' | 'string' | 'boolean' | null;
}

const firstRows = 256;

/** Rows that all have the fields of the first: numbers, strings, booleans and null, in nested objects and arrays. */
export class RowTable {
  #count = 0;
  #template: object | null = null;
  #columns: Column[] = [];
  readonly #words: string[] = [];
  readonly #wordNumbers = new Map<string, number>();

  get count(): number {
    return this.#count;
  }

  push(row: object): void {
    if (!this.#template) {
      this.#template = row;
      this.#columns = listLeaves(row, []).map((path) => ({
        path,
        values: new Float64Array(firstRows),
        type: null,
      }));
    }
    for (const column of this.#columns) {
      if (this.#count === column.values.length) {
        const wider = new Float64Array(2 * this.#count);
        wider.set(column.values);
        column.values = wider;
      }
      column.values[this.#count] = this.#encode(column, readLeaf(row, column.path));
    }
    this.#count++;
  }

  /** Values of a field, by its path, NaN where missing. @returns null for an unknown field */
  numbers(...wanted: string[]): Float64Array | null {
    const column = this.#columns.find(
      ({ path }) => path.length === wanted.length && path.every((name, k) => name === wanted[k]),
    );
    return column?.values.subarray(0, this.#count) ?? null;
  }

  /** The number that represents a value in its column; NaN for a string that no row contains. */
  readNumber(value: Leaf): number {
    return typeof value === 'string' ? (this.#wordNumbers.get(value) ?? Number.NaN) : Number(value);
  }

  row(at: number): object {
    const row = structuredClone(this.#template ?? {});
    for (const { path, values, type } of this.#columns) {
      const value = values[at] ?? Number.NaN;
      const holder = path.slice(0, -1).reduce<object>((on, name) => Reflect.get(on, name) as object, row);
      Reflect.set(holder, path.at(-1) ?? '', this.#decode(value, type));
    }
    return row;
  }

  #encode(column: Column, value: unknown): number {
    if (value === null || value === undefined) return Number.NaN;
    if (column.type === null && ['number', 'string', 'boolean'].includes(typeof value))
      column.type = typeof value as Column['type'];
    if (typeof value !== 'string') return Number(value);
    const known = this.#wordNumbers.get(value);
    if (known !== undefined) return known;
    this.#wordNumbers.set(value, this.#words.length);
    return this.#words.push(value) - 1;
  }

  #decode(value: number, type: Column['type']): Leaf {
    if (Number.isNaN(value)) return null;
    if (type === 'boolean') return value === 1;
    return type === 'string' ? (this.#words[value] ?? null) : value;
  }
}

function listLeaves(value: unknown, path: readonly string[]): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, each]) => listLeaves(each, [...path, name]));
}

const readLeaf = (row: object, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (on, name) => (on === null || on === undefined ? on : Reflect.get(Object(on), name)),
    row,
  );

/** Matches the line that ends a row, indented by at most two spaces. */
const lastLine = /^ {0,2}(\{.*)?\},?$/;

/** Parses a JSON array as it arrives: one row per line, or indented over several lines. */
export async function readRows(bytes: AsyncIterable<Uint8Array>): Promise<RowTable> {
  const table = new RowTable();
  const decoder = new TextDecoder();
  let [rest, row] = ['', ''];
  const take = (line: string) => {
    row += line;
    if (!lastLine.test(line)) {
      if (row === '[' || row === ']') row = '';
      return;
    }
    table.push(JSON.parse(row.endsWith(',') ? row.slice(0, -1) : row) as object);
    row = '';
  };
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  }
  take(rest);
  return table;
}
