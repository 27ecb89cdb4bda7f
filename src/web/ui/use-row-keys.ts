import { useEffect, useState } from 'react';
import { useKeys } from './keyboard.tsx';

interface RowKeys<Row> {
  /** heading of the keys in the list of keys; null = no keys */
  group: string | null;
  rows: readonly Row[];
  onOpen?: (row: Row, index: number) => void;
}

/** `j`, `k` and Enter for a table; returns the row that the keyboard is on, −1 = none. */
export function useRowKeys<Row>({ group, rows, onOpen }: RowKeys<Row>): number {
  const [cursor, setCursor] = useState(-1);
  const last = rows.length - 1;
  useEffect(() => setCursor((at) => Math.min(at, last)), [last]);
  const step = (by: number) =>
    setCursor((at) => Math.max(0, Math.min(last, at < 0 ? (by > 0 ? 0 : last) : at + by)));
  const open = () => {
    const row = rows[cursor];
    if (row !== undefined) onOpen?.(row, cursor);
  };
  useKeys(
    group === null
      ? []
      : [
          { keys: 'j', label: 'Next row', group, run: () => last >= 0 && step(1) },
          { keys: 'k', label: 'Row before', group, run: () => last >= 0 && step(-1) },
          ...(onOpen === undefined ? [] : [{ keys: 'Enter', label: 'Open the row', group, run: open }]),
        ],
  );
  return cursor;
}
