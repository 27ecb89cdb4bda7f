import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from 'react';
import type { PlaceColumn, PlaceTable } from '#kernels/places/place-table.ts';
import { choosePlace, stepPlace } from '../state/choose-place.ts';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import styles from './places.module.css';
import { findSeenRows, rowPx } from './seen-rows.ts';
import { findUnit, showCell } from './show-value.ts';

interface PlacesGridProps {
  model: ViewerModel;
  table: PlaceTable;
  title: string;
}

interface PlaceRowProps {
  model: ViewerModel;
  columns: readonly PlaceColumn[];
  row: number;
  /** in the list */
  index: number;
  isChosen: boolean;
}

/** Memoized, so that moving the selection does not format the numbers of all rows again. */
const PlaceRow = memo(({ model, columns, row, index, isChosen }: PlaceRowProps) => (
  <tr
    aria-rowindex={index + 2}
    aria-selected={isChosen}
    style={{ height: rowPx }}
    onClick={() => choosePlace(model, isChosen ? null : row)}
  >
    {columns.map((column) => (
      <td key={column.name}>{showCell(column, row)}</td>
    ))}
  </tr>
));

/** One row per place, of which only the visible ones are in the document: a hundred thousand scroll like ten. */
export function PlacesGrid({ model, table, title }: PlacesGridProps) {
  const { defects, selectedDefectId } = useSignal(model.store.signal);
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 400 });
  const columns = useMemo(() => table.columns.filter(({ isMinor }) => !isMinor), [table]);
  const rows = model.places.listed();
  const chosen = model.places.chosenRow();
  const { first, last } = findSeenRows(view, rows.length);
  const measure = () => {
    const box = scroller.current;
    if (box) setView({ top: box.scrollTop, height: box.clientHeight });
  };
  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const sized = new ResizeObserver(() => setView({ top: box.scrollTop, height: box.clientHeight }));
    sized.observe(box);
    return () => sized.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the selected row or its position changes, not on scroll
  useEffect(() => {
    const box = scroller.current;
    const at = chosen === null ? -1 : rows.indexOf(chosen);
    if (!box || at < 0) return;
    const [top, bottom] = [at * rowPx, (at + 2) * rowPx];
    if (top < box.scrollTop) box.scrollTop = top;
    else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
  }, [selectedDefectId, rows, table]);

  const sortBy = (column: PlaceColumn) => {
    const { order } = defects;
    const descending = order?.column === column.name ? !order.descending : column.words === null;
    model.store.update({ defects: { ...defects, order: { column: column.name, descending } } });
  };
  const keys = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(view.height / rowPx) - 2);
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    };
    const by = event.target === scroller.current ? steps[event.key] : undefined;
    if (by === undefined) return;
    event.preventDefault();
    stepPlace(model, by);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys select the next row of the table inside
    <div
      ref={scroller}
      className={styles['scroll']}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
      tabIndex={0}
      onScroll={measure}
      onKeyDown={keys}
    >
      <table aria-label={title} aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => {
              const isSorted = defects.order?.column === column.name;
              const Arrow = defects.order?.descending ? IconArrowDown : IconArrowUp;
              return (
                <th
                  key={column.name}
                  scope="col"
                  aria-sort={!isSorted ? 'none' : defects.order?.descending ? 'descending' : 'ascending'}
                >
                  <button type="button" onClick={() => sortBy(column)}>
                    {isSorted && <Arrow size={12} aria-hidden />}
                    {column.title}
                    {findUnit(column).unit && <small>{findUnit(column).unit}</small>}
                  </button>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <tr aria-hidden style={{ height: first * rowPx }} />}
          {[...rows.subarray(first, last)].map((row, i) => (
            <PlaceRow
              key={row}
              model={model}
              columns={columns}
              row={row}
              index={first + i}
              isChosen={row === chosen}
            />
          ))}
          {last < rows.length && <tr aria-hidden style={{ height: (rows.length - last) * rowPx }} />}
        </tbody>
      </table>
    </div>
  );
}
