/** Pages of a part's defects, read from the file that lists all of them. */

import type { Defect } from '#contract/analyses/integrity.ts';
import { type DefectListQuery, defectNumbers, nameLimit } from '#contract/shapes/defect.ts';
import { BlobNotFound, type BlobStore } from '#storage/blobs/blob-store.ts';
import { type Page, pageComputed } from '#storage/db/page.ts';
import { Problem } from '../../http/problem.ts';
import { type RowTable, readRows } from './row-table.ts';

/** Maximum number of rows in memory for all lists together; about 300 bytes each. */
const MAX_ROWS = 600_000;
const MAX_ORDERS = 6;

interface OpenList {
  table: RowTable;
  /** row numbers by ordering, most recently used last */
  orders: Map<string, Uint32Array>;
}

export class OpenDefects {
  readonly #store: BlobStore;
  readonly #open = new Map<string, Promise<OpenList>>();
  readonly #counts = new Map<string, number>();

  constructor(store: BlobStore) {
    this.#store = store;
  }

  /** @throws Problem CONFLICT when the file no longer exists; InvalidCursor */
  async readPage(key: string, query: DefectListQuery): Promise<Page<Defect>> {
    const list = await this.#get(key);
    const { table } = list;
    const rows = filterRows(table, sortRows(list, query.ordering), query);
    // Cursors identify a position in the ordering, which never changes.
    const ids = table.numbers('id');
    const { results, ...page } = pageComputed(
      Array.from(rows, (row) => ({ id: String(ids?.[row]), row })),
      query,
      query.ordering,
    );
    return { ...page, results: results.map(({ row }) => table.row(row) as Defect) };
  }

  async #get(key: string): Promise<OpenList> {
    const opening = this.#open.get(key) ?? this.#read(key);
    // Re-inserted, so that the first entry of the Map is the least recently used.
    this.#open.delete(key);
    this.#open.set(key, opening);
    try {
      const list = await opening;
      this.#counts.set(key, list.table.count);
      this.#forget();
      return list;
    } catch (error) {
      this.#open.delete(key);
      if (error instanceof BlobNotFound)
        throw new Problem('CONFLICT', 'the list of these defects no longer exists');
      throw error;
    }
  }

  async #read(key: string): Promise<OpenList> {
    return { table: await readRows(await this.#store.get(key)), orders: new Map() };
  }

  #forget(): void {
    let held = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    for (const key of this.#open.keys()) {
      if (held <= MAX_ROWS || this.#open.size === 1) break;
      held -= this.#counts.get(key) ?? 0;
      this.#open.delete(key);
      this.#counts.delete(key);
    }
  }
}

/** Where the centre of a defect lies on an axis is a column of its table, and in its row a part of `centerMm`. */
function readNumbers(table: RowTable, name: string): Float64Array | null {
  const axis = ['centerXMm', 'centerYMm', 'centerZMm'].indexOf(name);
  return axis < 0 ? table.numbers(name) : table.numbers('centerMm', String(axis));
}

function sortRows({ table, orders }: OpenList, ordering: string): Uint32Array {
  const known = orders.get(ordering);
  if (known) return known;
  const sign = ordering.startsWith('-') ? -1 : 1;
  const values = readNumbers(table, ordering.replace(/^-/, ''));
  const rows = Uint32Array.from({ length: table.count }, (_, row) => row);
  if (values)
    rows.sort((a, b) => {
      const [p, q] = [values[a] ?? Number.NaN, values[b] ?? Number.NaN];
      if (Number.isNaN(p) || Number.isNaN(q))
        return Number(Number.isNaN(p)) - Number(Number.isNaN(q)) || a - b;
      return sign * (p - q) || a - b;
    });
  orders.set(ordering, rows);
  for (const oldest of orders.keys()) {
    if (orders.size <= MAX_ORDERS) break;
    orders.delete(oldest);
  }
  return rows;
}

/** Applies the filters; a defect without a value never matches a limit on it. */
function filterRows(table: RowTable, rows: Uint32Array, query: DefectListQuery): Uint32Array {
  const conditions: ((row: number) => boolean)[] = [];
  const ask = (name: string, matches: (value: number) => boolean) => {
    const values = readNumbers(table, name);
    conditions.push((row) => matches(values?.[row] ?? Number.NaN));
  };
  for (const name of defectNumbers) {
    const [min, max] = [query[nameLimit('min', name)], query[nameLimit('max', name)]];
    if (min !== undefined || max !== undefined)
      ask(name, (value) => value >= (min ?? -Infinity) && value <= (max ?? Infinity));
  }
  const { kind, surfaceConnected, belowDetectionLimit, cut } = query;
  if (kind) {
    const numbers = kind.map((each) => table.readNumber(each));
    ask('kind', (value) => numbers.includes(value));
  }
  if (surfaceConnected !== undefined) ask('surfaceConnected', (value) => value === Number(surfaceConnected));
  if (belowDetectionLimit !== undefined)
    ask('belowDetectionLimit', (value) => value === Number(belowDetectionLimit));
  if (cut !== undefined) ask('cutAt', (value) => Number.isNaN(value) !== cut);
  return conditions.length === 0 ? rows : rows.filter((row) => conditions.every((matches) => matches(row)));
}
