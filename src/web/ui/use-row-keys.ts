import { useCallback, useEffect, useRef, useState } from 'react';
import { useCommands } from './commands.ts';

interface Cursor {
  rows: () => number;
  at: () => number;
  set: (row: number) => void;
  open: () => void;
}

/** Of the lists of the page, in their order: the keys of one go on into the next. */
const cursors = new Set<Cursor>();

/** To the next row; from none to the first, or back to the last. */
function step(by: 1 | -1): void {
  const places = [...cursors].flatMap((list) =>
    Array.from({ length: list.rows() }, (_, row) => ({ list, row })),
  );
  const at = places.findIndex(({ list, row }) => list.at() === row);
  const last = places.length - 1;
  const next = places[Math.max(0, Math.min(last, at < 0 ? (by > 0 ? 0 : last) : at + by))];
  for (const list of cursors) list.set(list === next?.list ? next.row : -1);
}

const open = () => [...cursors].find(({ at }) => at() >= 0)?.open();

const leave = () => {
  for (const list of cursors) list.set(-1);
};

/** To what can be done with a row that has no page of its own. */
const enter = () =>
  document.querySelector('tbody tr[data-cursor]')?.querySelector<HTMLElement>('a, button, input')?.focus();

/** What a key does with the row that the keyboard is on. */
export interface RowKey<Row> {
  keys: string;
  label: string;
  run: (row: Row) => void;
}

interface RowKeys<Row> {
  /** heading of the keys in the list of keys; null = those of the list before it on the page */
  group: string | null;
  rows: readonly Row[];
  onOpen?: (row: Row, index: number) => void;
  keys?: RowKey<Row>[];
  /** what Escape does before it puts the cursor away; undefined = nothing now */
  onEscape?: () => void;
  /** the cursor goes away when this becomes another one */
  question?: string;
}

/**
 * `j`, `k`, Enter and Escape for a list; returns the row that the keyboard is on, −1 = none. The next key may follow
 * before the page is rendered, and acts on the row that the key before led to.
 */
export function useRowKeys<Row>({
  group,
  rows,
  onOpen,
  keys = [],
  onEscape,
  question,
}: RowKeys<Row>): number {
  const [cursor, show] = useState(-1);
  const now = useRef(-1);
  const latest = useRef({ rows, onOpen });
  latest.current = { rows, onOpen };
  const set = useCallback((row: number) => {
    now.current = row;
    show(row);
  }, []);
  const onCurrent = useCallback((act: (row: Row, index: number) => void) => {
    const row = latest.current.rows[now.current];
    if (row !== undefined) act(row, now.current);
  }, []);
  useEffect(() => {
    const mine: Cursor = {
      rows: () => latest.current.rows.length,
      at: () => now.current,
      set,
      open: () => onCurrent(latest.current.onOpen ?? enter),
    };
    cursors.add(mine);
    return () => void cursors.delete(mine);
  }, [set, onCurrent]);
  useEffect(() => set(Math.min(now.current, rows.length - 1)), [rows.length, set]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another question puts the cursor away
  useEffect(() => set(-1), [question, set]);
  useCommands(
    group === null
      ? []
      : [
          { keys: 'j', label: 'Next row', group, run: () => step(1) },
          { keys: 'k', label: 'Previous row', group, run: () => step(-1) },
          {
            keys: 'Enter',
            label: onOpen ? 'Open the row' : 'Go to the actions of the row',
            group,
            run: open,
          },
          { keys: 'Escape', label: 'Leave the rows', group, run: onEscape ?? leave },
          ...keys.map(({ run, ...key }) => ({ ...key, group, run: () => onCurrent(run) })),
        ],
  );
  return cursor;
}
