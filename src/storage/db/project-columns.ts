/**
 * The columns that a list of projects is filtered and sorted by, of one organization, in memory: any filter
 * over 100,000 projects is one pass of a few milliseconds, and any page a walk along an order kept sorted.
 * Plain data without a database; project-memory.ts reads it and keeps it true.
 *
 * A project has a slot, a place in all columns. An order is the list of slots sorted by its column and then by
 * id, as PostgreSQL sorts them: texts byte by byte, what has no value last.
 */
import {
  nearestWay,
  type PageQuery,
  type ProjectFilter,
  type ProjectOrder,
  type ProjectPage,
} from './project-filter.ts';
import { normalizeForSearch } from './search-text.ts';

/** What is kept of a project. */
export interface ColumnRow {
  id: string;
  workspaceId: string;
  nameSort: string;
  searchText: string;
  state: string;
  verdict: string | null;
  tags: string[];
  storageBytes: number;
  /** milliseconds since 1970 */
  createdAtMs: number;
  updatedAtMs: number;
}

/** In the order of PostgreSQL's text. */
const STATES = ['active', 'archived', 'deleted'];
const VERDICTS = ['fail', 'indeterminate', 'pass', 'none'];
const ORDERS: ProjectOrder[] = ['name', 'createdAt', 'updatedAt', 'state', 'storageBytes', 'verdict'];
/** no text of PostgreSQL holds it, so that nothing matches across two */
const SEPARATOR = '\0';
/** changed texts that are searched one by one, before all are joined anew within some milliseconds */
const MAX_STALE = 2000;
/** rows taken in before other work of the process has its turn, some milliseconds */
const ROWS_AT_ONCE = 5000;

const otherWork = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * A text that compares with `<` as the given one does byte by byte in UTF-8: UTF-16 has the characters beyond
 * U+FFFF, as surrogates, below U+E000.
 */
function comparableText(text: string): string {
  return text.replace(/[\ud800-\uffff]/g, (unit) => {
    const code = unit.charCodeAt(0);
    return String.fromCharCode(code >= 0xe000 ? code - 0x800 : code + 0x2000);
  });
}

/** Numbers for texts that repeat, from 0. */
class Numbering {
  readonly #numbers = new Map<string, number>();

  get size(): number {
    return this.#numbers.size;
  }
  find(text: string): number | undefined {
    return this.#numbers.get(text);
  }
  numberOf(text: string): number {
    const found = this.#numbers.get(text);
    if (found !== undefined) return found;
    this.#numbers.set(text, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}

/** All search texts as one, which is searched in a tenth of the time that 100,000 take one by one. */
interface JoinedTexts {
  text: string;
  /** where the text of each slot begins, and one more */
  starts: Uint32Array;
  /** slots that are new or changed since */
  stale: Set<number>;
}

/** What every filter looks at, side by side in memory: one pass over 100,000 slots takes a fraction of a millisecond. */
interface FilterColumns {
  /** state and verdict as one number, see kindOf */
  kinds: Uint8Array;
  /** numbers of the workspaces */
  workspaces: Uint32Array;
  /** a bit for each tag, whose number is taken modulo 32 */
  tagBits: Uint32Array;
}

const filterColumns = (slots: number): FilterColumns => ({
  kinds: new Uint8Array(slots),
  workspaces: new Uint32Array(slots),
  tagBits: new Uint32Array(slots),
});
const kindOf = (state: number, verdict: number): number => state * VERDICTS.length + verdict;
const bitsOf = (tags: readonly number[]): number => tags.reduce((bits, tag) => bits | (1 << (tag % 32)), 0);

interface Matches {
  /** 1 for each slot that the filter lets through */
  isMatch: Uint8Array;
  count: number;
}

export class ProjectColumns {
  readonly #ids: string[] = [];
  readonly #slots = new Map<string, number>();
  #filtered = filterColumns(1024);
  readonly #tags: number[][] = [];
  readonly #texts: string[] = [];
  readonly #states: number[] = [];
  readonly #verdicts: number[] = [];
  readonly #names: string[] = [];
  readonly #created: number[] = [];
  readonly #updated: number[] = [];
  readonly #bytes: number[] = [];
  readonly #workspaceNumbers = new Numbering();
  readonly #tagNumbers = new Numbering();
  readonly #orders = new Map<ProjectOrder, Uint32Array>();
  /** slots that are not yet where they belong in an order; nobody asked for it since they changed */
  readonly #misplaced = new Map<ProjectOrder, Set<number>>(ORDERS.map((order) => [order, new Set()]));
  #joined: JoinedTexts | undefined;

  /** @param rows each id once, ascending */
  static async of(rows: ColumnRow[]): Promise<ProjectColumns> {
    const columns = new ProjectColumns();
    for (const [i, row] of rows.entries()) {
      columns.#put(row);
      if (i % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await otherWork();
    }
    columns.#join();
    for (const order of ORDERS) {
      const keys = columns.#keys(order);
      // Slots follow the ids here, which later rows do not.
      const slots = Uint32Array.from(rows.keys());
      slots.sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b));
      columns.#orders.set(order, slots);
      await otherWork();
    }
    return columns;
  }

  get size(): number {
    return this.#ids.length;
  }

  /** Takes in rows that are new or changed. */
  update(rows: ColumnRow[]): void {
    if (rows.length === 0) return;
    for (const row of rows) {
      const slot = this.#put(row);
      for (const misplaced of this.#misplaced.values()) misplaced.add(slot);
    }
  }

  #put(row: ColumnRow): number {
    const slot = this.#slots.get(row.id) ?? this.#ids.length;
    this.#slots.set(row.id, slot);
    this.#ids[slot] = row.id;
    this.#tags[slot] = row.tags.map((tag) => this.#tagNumbers.numberOf(tag));
    if (this.#texts[slot] !== row.searchText) this.#joined?.stale.add(slot);
    this.#texts[slot] = row.searchText;
    this.#states[slot] = STATES.indexOf(row.state);
    this.#verdicts[slot] = VERDICTS.indexOf(row.verdict ?? 'none');
    this.#names[slot] = comparableText(row.nameSort);
    this.#created[slot] = row.createdAtMs;
    this.#updated[slot] = row.updatedAtMs;
    this.#bytes[slot] = row.storageBytes;
    if (slot >= this.#filtered.kinds.length) this.#grow();
    const { kinds, workspaces, tagBits } = this.#filtered;
    kinds[slot] = kindOf(this.#states[slot], this.#verdicts[slot]);
    workspaces[slot] = this.#workspaceNumbers.numberOf(row.workspaceId);
    tagBits[slot] = bitsOf(this.#tags[slot]);
    return slot;
  }

  #grow(): void {
    const { kinds, workspaces, tagBits } = this.#filtered;
    this.#filtered = filterColumns(2 * kinds.length);
    this.#filtered.kinds.set(kinds);
    this.#filtered.workspaces.set(workspaces);
    this.#filtered.tagBits.set(tagBits);
  }

  #keys(order: ProjectOrder): (string | number)[] {
    switch (order) {
      case 'name':
        return this.#names;
      case 'createdAt':
        return this.#created;
      case 'updatedAt':
        return this.#updated;
      case 'state':
        return this.#states;
      case 'storageBytes':
        return this.#bytes;
      case 'verdict':
        return this.#verdicts;
    }
  }

  /** Takes the changed slots out of an order and puts them in where they belong now. */
  #place(order: ProjectOrder, changed: ReadonlySet<number>): void {
    const isChanged = new Uint8Array(this.size);
    for (const slot of changed) isChanged[slot] = 1;
    const before = this.#orders.get(order) ?? new Uint32Array();
    let length = 0;
    const unchanged = new Uint32Array(before.length);
    for (const slot of before) if (isChanged[slot] === 0) unchanged[length++] = slot;
    const kept = unchanged.subarray(0, length);
    const slots = new Uint32Array(this.size);
    let from = 0;
    let filled = 0;
    for (const slot of [...changed].sort((a, b) => compareSlots(this, a, this, b, order))) {
      let [low, high] = [from, kept.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (compareSlots(this, kept[middle], this, slot, order) < 0) low = middle + 1;
        else high = middle;
      }
      slots.set(kept.subarray(from, low), filled);
      filled += low - from;
      slots[filled++] = slot;
      from = low;
    }
    slots.set(kept.subarray(from), filled);
    this.#orders.set(order, slots);
  }

  keyAt(order: ProjectOrder, slot: number): string | number {
    return this.#keys(order)[slot];
  }
  idAt(slot: number): string {
    return this.#ids[slot];
  }
  inOrder(order: ProjectOrder): Uint32Array {
    const misplaced = this.#misplaced.get(order);
    if (misplaced !== undefined && misplaced.size > 0) {
      this.#place(order, misplaced);
      misplaced.clear();
    }
    return this.#orders.get(order) ?? new Uint32Array();
  }

  #join(): JoinedTexts {
    const starts = new Uint32Array(this.size + 1);
    for (const [slot, text] of this.#texts.entries())
      starts[slot + 1] = starts[slot] + text.length + SEPARATOR.length;
    this.#joined = { text: this.#texts.join(SEPARATOR), starts, stale: new Set() };
    return this.#joined;
  }

  /** 1 for each slot whose text holds what is wanted, which is not empty. */
  #search(wanted: string): Uint8Array {
    const isFound = new Uint8Array(this.size);
    if (wanted.includes(SEPARATOR)) return isFound;
    const { text, starts, stale } =
      this.#joined !== undefined && this.#joined.stale.size <= MAX_STALE ? this.#joined : this.#join();
    let slot = 0;
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, starts[slot])) {
      while (starts[slot + 1] <= at) slot += 1;
      isFound[slot] = 1;
      slot += 1;
      if (slot === starts.length - 1) break;
    }
    for (const changed of stale) isFound[changed] = this.#texts[changed].includes(wanted) ? 1 : 0;
    return isFound;
  }

  /** One pass over all projects, from the cheapest condition to the dearest. */
  match(filter: ProjectFilter): Matches {
    const isMatch = new Uint8Array(this.size);
    const isWantedKind = new Uint8Array(STATES.length * VERDICTS.length);
    for (const [i, state] of STATES.entries()) {
      if (filter.state === undefined ? state === 'deleted' : state !== filter.state) continue;
      for (const [j, verdict] of VERDICTS.entries())
        if (filter.verdict === undefined || verdict === filter.verdict) isWantedKind[kindOf(i, j)] = 1;
    }
    const isWantedWorkspace = new Uint8Array(this.#workspaceNumbers.size);
    if (filter.workspaceIds === 'all') isWantedWorkspace.fill(1);
    else
      for (const id of filter.workspaceIds) {
        const number = this.#workspaceNumbers.find(id);
        if (number !== undefined) isWantedWorkspace[number] = 1;
      }
    const tags: number[] = [];
    for (const tag of filter.tags ?? []) {
      const number = this.#tagNumbers.find(tag);
      if (number === undefined) return { isMatch, count: 0 };
      tags.push(number);
    }
    const wanted = normalizeForSearch(filter.search ?? '');
    const isFound = wanted === '' ? undefined : this.#search(wanted);
    const { kinds, workspaces, tagBits } = this.#filtered;
    const wantedBits = bitsOf(tags);
    // A bit may stand for several tags when there are more than bits.
    const isAmbiguous = tags.length > 0 && this.#tagNumbers.size > 32;
    let count = 0;
    for (let slot = 0; slot < isMatch.length; slot += 1) {
      if ((isWantedKind[kinds[slot]] & isWantedWorkspace[workspaces[slot]]) === 0) continue;
      if ((tagBits[slot] & wantedBits) !== wantedBits) continue;
      if (isFound !== undefined && isFound[slot] === 0) continue;
      if (isAmbiguous && !hasAll(this.#tags[slot], tags)) continue;
      isMatch[slot] = 1;
      count += 1;
    }
    return { isMatch, count };
  }
}

function hasAll(held: number[], wanted: number[]): boolean {
  for (const number of wanted) if (!held.includes(number)) return false;
  return true;
}

/** By the column of the order, then by id. */
function compareSlots(
  columnsA: ProjectColumns,
  a: number,
  columnsB: ProjectColumns,
  b: number,
  order: ProjectOrder,
): number {
  const [x, y] = [columnsA.keyAt(order, a), columnsB.keyAt(order, b)];
  if (x !== y) return x < y ? -1 : 1;
  return columnsA.idAt(a) < columnsB.idAt(b) ? -1 : 1;
}

/** Walks along the matches of one organization, in either direction. */
class Walk {
  readonly columns: ProjectColumns;
  /** -1 at the end */
  slot = -1;
  readonly #slots: Uint32Array;
  readonly #isMatch: Uint8Array;
  readonly #step: 1 | -1;
  #at: number;

  constructor(columns: ProjectColumns, { isMatch }: Matches, order: ProjectOrder, isBackwards: boolean) {
    this.columns = columns;
    this.#isMatch = isMatch;
    this.#slots = columns.inOrder(order);
    this.#step = isBackwards ? -1 : 1;
    this.#at = isBackwards ? this.#slots.length : -1;
    this.advance();
  }

  advance(): void {
    const slots = this.#slots;
    let at = this.#at + this.#step;
    while (at >= 0 && at < slots.length && this.#isMatch[slots[at]] === 0) at += this.#step;
    this.#at = at;
    this.slot = at >= 0 && at < slots.length ? slots[at] : -1;
  }
}

/** A page of the projects of all the organizations together, and how many there are. */
export function pageOfColumns(organizations: ProjectColumns[], query: PageQuery): ProjectPage {
  const { filter, order } = query;
  const found = organizations.map((columns) => ({ columns, matches: columns.match(filter) }));
  const count = found.reduce((sum, { matches }) => sum + matches.count, 0);
  const { size, skip, isReversed, isBackwards } = nearestWay(query, count);
  if (size === 0) return { count, ids: [] };
  const walks = found.map(({ columns, matches }) => new Walk(columns, matches, order, isBackwards));
  const ids: string[] = [];
  for (let passed = 0; passed < skip + size; passed += 1) {
    const next = nextOf(walks, order, isBackwards);
    if (passed >= skip) ids.push(next.columns.idAt(next.slot));
    next.advance();
  }
  return { count, ids: isReversed ? ids.reverse() : ids };
}

/** The walk whose project comes first. */
function nextOf(walks: Walk[], order: ProjectOrder, isBackwards: boolean): Walk {
  let first = walks[0];
  for (let i = 1; i < walks.length; i += 1) {
    const other = walks[i];
    if (other.slot === -1) continue;
    if (first.slot !== -1) {
      const isBefore = compareSlots(other.columns, other.slot, first.columns, first.slot, order) < 0;
      if (isBefore === isBackwards) continue;
    }
    first = other;
  }
  return first;
}
