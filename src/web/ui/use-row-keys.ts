import { useCallback, useEffect, useRef, useState } from 'react';
import { useCommands } from './commands.ts';

interface Cursor {
  rows: () => number;
  at: () => number;
  set: (row: number) => void;
  open: () => void;
}

/** Cursors of the lists on the page, in order: moving past the end of one list continues in the next. */
const cursors = new Set<Cursor>();

/** Moves to the next or previous row; without a current row to the first or the last. */
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

/** Moves the focus to the actions of a row that has no page of its own. */
const enter = () =>
  document.querySelector('tbody tr[data-cursor]')?.querySelector<HTMLElement>('a, button, input')?.focus();

/** A key that acts on the row under the keyboard cursor. */
export interface RowKey<Row> {
  keys: string;
  label: string;
  run: (row: Row) => void;
}

interface RowKeys<Row> {
  /** heading of the keys in the shortcut list; null = the preceding list on the page already offers them */
  group: string | null;
  rows: readonly Row[];
  onOpen?: (row: Row, index: number) => void;
  keys?: RowKey<Row>[];
  /** what Escape does instead of clearing the cursor; undefined = it clears the cursor */
  onEscape?: () => void;
  /** resets the cursor when it changes */
  question?: string;
}

/**
 * `j`, `k`, Enter and Escape for a list. Returns the index of the row under the keyboard cursor, −1 = none. A key
 * pressed before the next render acts on the row that the previous key moved to.
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: another query resets the cursor
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
