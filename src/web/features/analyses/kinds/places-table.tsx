import { Group, NativeSelect, Text, Title, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { chooseUnit, formatCount, formatIn } from '#contract/base/format-number.ts';
import type { ResultProps } from './kind-page.ts';
import { sortedBy } from './places.ts';
import classes from './places-table.module.css';

export interface PlaceColumn<Row> {
  title: string;
  /** unit of its numbers, shown in the header */
  unit?: string;
  /** hidden in narrow tables */
  minor?: boolean;
  value: (row: Row) => number | string | null;
  /** shown before the number */
  mark?: (row: Row) => string | null;
  /** replaces the value */
  show?: (row: Row) => ReactNode;
}

export interface PlacesTableProps<Row> {
  title: string;
  /** caption of the table for screen readers */
  caption: string;
  rows: readonly Row[];
  /** total number, which may exceed the rows listed */
  count: number | null;
  /** the first column names the row */
  columns: readonly PlaceColumn<Row>[];
  getKey: (row: Row) => string;
  /** as in “Show defect 3” */
  getName: (row: Row) => string;
  /** mm; null or undefined if the row has no location */
  getPoint?: (row: Row) => [number, number, number] | null;
  /** a category by which rows can be filtered */
  filter?: { label: string; of: (row: Row) => string };
  onShowPoint?: ResultProps['onShowPoint'];
}

interface Order {
  column: number;
  descending: boolean;
}

/** Locations of a result, sortable by any column and filtered by category; selecting one moves the viewer to it. */
export function PlacesTable<Row>(props: PlacesTableProps<Row>) {
  const { title, caption, rows, count, columns, getKey, getName, getPoint, filter, onShowPoint } = props;
  const [order, setOrder] = useState<Order | null>(null);
  const [only, setOnly] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  if (rows.length === 0) return null;
  const [first, ...others] = columns.map((column) => {
    const numbers = rows.map(column.value).map((each) => (typeof each === 'number' ? each : null));
    return { ...column, shownIn: chooseUnit(numbers, column.unit ?? '') };
  });
  if (!first) return null;
  const words = filter ? [...new Set(rows.map(filter.of))].sort() : [];
  const narrowed = filter && only !== '' ? rows.filter((row) => filter.of(row) === only) : rows;
  const sorted = order && columns[order.column];
  const shown = order && sorted ? sortedBy(narrowed, sorted.value, order.descending) : narrowed;
  const all = count ?? rows.length;
  const sortBy = (column: number) =>
    setOrder((before) => ({
      column,
      descending: before?.column === column ? !before.descending : column > 0,
    }));
  const show = (row: Row) => {
    const point = getPoint?.(row);
    if (!point || !onShowPoint) return;
    setChosen(getKey(row));
    onShowPoint(point);
  };
  return (
    <section aria-label={title}>
      <Group justify="space-between" gap="xs" mb={4} wrap="nowrap">
        <Title order={3} size="h3">
          {title}{' '}
          <Text span c="dimmed">
            {shown.length < all ? `${formatCount(shown.length)} of ${formatCount(all)}` : formatCount(all)}
          </Text>
        </Title>
        {filter && words.length > 1 && (
          <NativeSelect
            size="xs"
            aria-label={`${filter.label} of ${title.toLowerCase()}`}
            value={only}
            onChange={(event) => setOnly(event.currentTarget.value)}
            data={[{ value: '', label: `Any ${filter.label.toLowerCase()}` }, ...words]}
          />
        )}
      </Group>
      {rows.length < all && (
        <Text size="xs" c="dimmed" mb={4}>
          The first {formatCount(rows.length)} are listed; all of them are in the files.
        </Text>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <section className={classes.scroll} tabIndex={0} aria-label={caption}>
        <table className={classes.table} aria-label={caption}>
          <thead>
            <HeadRow columns={[first, ...others]} order={order} onSort={sortBy} />
          </thead>
          <tbody>
            {shown.map((row) => {
              const key = getKey(row);
              const canShow = onShowPoint !== undefined && (getPoint?.(row) ?? null) !== null;
              return (
                <tr
                  key={key}
                  data-chosen={key === chosen || undefined}
                  data-pressable={canShow || undefined}
                  onClick={() => show(row)}
                >
                  <th scope="row">
                    {canShow ? (
                      <UnstyledButton
                        fz="sm"
                        td="underline"
                        aria-label={`Show ${getName(row)}`}
                        aria-pressed={key === chosen}
                      >
                        {first.value(row)}
                      </UnstyledButton>
                    ) : (
                      first.value(row)
                    )}
                  </th>
                  {others.map((column) => {
                    const value = column.value(row);
                    return (
                      <td key={column.title} data-minor={column.minor}>
                        {column.show
                          ? column.show(row)
                          : typeof value === 'string'
                            ? value
                            : `${column.mark?.(row) ?? ''} ${formatIn(column.shownIn, value)}`.trim()}
                      </td>
                    );
                  })}
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
    </section>
  );
}

interface HeadRowProps {
  columns: readonly { title: string; minor?: boolean; shownIn: { unit: string } }[];
  order: Order | null;
  onSort: (column: number) => void;
}

/** Titles and units of the columns; clicking one sorts by it. */
const HeadRow = ({ columns, order, onSort }: HeadRowProps) => (
  <tr>
    {columns.map(({ title: heading, minor, shownIn: { unit } }, index) => {
      const isSorted = order?.column === index;
      const Arrow = order?.descending ? IconArrowDown : IconArrowUp;
      return (
        <th
          key={heading}
          scope="col"
          data-minor={minor}
          aria-sort={!isSorted ? 'none' : order.descending ? 'descending' : 'ascending'}
        >
          <UnstyledButton className={classes.heading} onClick={() => onSort(index)}>
            {isSorted && <Arrow size={12} aria-hidden />}
            {heading}
            {unit && <span className={classes.unit}>{unit}</span>}
          </UnstyledButton>
        </th>
      );
    })}
  </tr>
);
