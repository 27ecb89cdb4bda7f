import { useCallback, useEffect, useRef, useState } from 'react';
import { useCommands } from './commands.ts';

/**
 * The row that the keyboard is on, −1 = none. `at()` is true at once: the next key may follow before the page is
 * rendered, and acts on the row that the key before led to.
 */
export function useCursor() {
  const [cursor, show] = useState(-1);
  const now = useRef(-1);
  const at = useCallback(() => now.current, []);
  const setCursor = useCallback((row: number) => {
    now.current = row;
    show(row);
  }, []);
  return { cursor, at, setCursor };
}

/** The row after a step; from none to the first, or back to the last. */
export const stepped = (at: number, by: number, last: number): number =>
  Math.max(0, Math.min(last, at < 0 ? (by > 0 ? 0 : last) : at + by));

interface RowKeys<Row> {
  /** heading of the keys in the list of keys; null = no keys */
  group: string | null;
  rows: readonly Row[];
  onOpen?: (row: Row, index: number) => void;
}

/** `j`, `k` and Enter for a table; returns the row that the keyboard is on, −1 = none. */
export function useRowKeys<Row>({ group, rows, onOpen }: RowKeys<Row>): number {
  const { cursor, at, setCursor } = useCursor();
  const last = rows.length - 1;
  useEffect(() => setCursor(Math.min(at(), last)), [last, at, setCursor]);
  const step = (by: number) => setCursor(stepped(at(), by, last));
  const open = () => {
    const row = rows[at()];
    if (row !== undefined) onOpen?.(row, at());
  };
  useCommands(
    group === null
      ? []
      : [
          { keys: 'j', label: 'Next row', group, run: () => last >= 0 && step(1) },
          { keys: 'k', label: 'Previous row', group, run: () => last >= 0 && step(-1) },
          ...(onOpen === undefined ? [] : [{ keys: 'Enter', label: 'Open the row', group, run: open }]),
        ],
  );
  return cursor;
}
