/** A table of records from the service: sorting, selection, keyboard cursor, density, skeletons. */
import { Checkbox, Skeleton, Table, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconSelector } from '@tabler/icons-react';
import { Fragment, type MouseEvent, type ReactNode, useEffect, useRef } from 'react';
import classes from './data-table.module.css';
import { useDensity } from './density.ts';

export interface DataTableColumn<Row> {
  key: string;
  title: string;
  /** the title is for screen readers only */
  titleHidden?: boolean;
  /** px; columns without a width share the rest */
  width?: number | `${number}%`;
  align?: 'left' | 'right';
  /** field to sort by; undefined = not sortable */
  sortBy?: string;
  /**
   * shown only if the table is wider than 1000, 1300 or 1600 px; in a narrower one the flexible column would be
   * unreadable
   */
  room?: 'some' | 'wide' | 'wider';
  render: (row: Row, index: number) => ReactNode;
}

/** The last column: actions on the row. */
export const actionsColumn = { key: 'actions', title: 'Actions', titleHidden: true, align: 'right' } as const;

export interface DataTableSort {
  by: string;
  descending: boolean;
}

export interface DataTableSelection<Row> {
  isSelected: (row: Row) => boolean;
  /** `withShift`: selects from the last row toggled to this one */
  onToggle: (row: Row, withShift: boolean) => void;
  /** how many of the visible rows are selected */
  shown: 'all' | 'some' | 'none';
  onToggleShown: () => void;
  /** label of the row's checkbox */
  getName: (row: Row) => string;
  /** undefined = nothing is selected */
  onClear?: () => void;
}

export interface DataTableProps<Row> {
  /** what the table lists, for its caption */
  caption: string;
  columns: DataTableColumn<Row>[];
  /** undefined = not loaded yet */
  rows: Row[] | undefined;
  getKey: (row: Row) => string;
  sort?: DataTableSort;
  onSort?: (sort: DataTableSort) => void;
  selection?: DataTableSelection<Row>;
  /** row under the keyboard cursor; −1 = none */
  cursor?: number;
  onOpen?: (row: Row, index: number) => void;
  /** whether the address names the row */
  isMarked?: (row: Row) => boolean;
  /** content below the row, across all columns */
  below?: (row: Row) => ReactNode;
  /** the table is next to other content: only a few skeleton rows while it loads */
  isNarrow?: boolean;
  /** whether the row is being changed */
  isBusy?: (row: Row) => boolean;
  /** the rows belong to the previous query */
  isStale?: boolean;
  /** shown instead of an empty table */
  empty?: ReactNode;
}

const checkPx = 38;
const minRestPx = 120;

/** Below this width the table scrolls sideways, so that the flexible column stays readable. */
const minTableWidthPx = <Row,>(columns: DataTableColumn<Row>[], hasChecks: boolean): number =>
  columns
    .filter(({ room }) => room === undefined)
    .reduce(
      (sum, { width }) => sum + (typeof width === 'number' ? width : minRestPx),
      hasChecks ? checkPx : 0,
    );

export const linkClass = classes.link;
/** Class for cells that may wrap. */
export const wrapClass = classes.wrap;

const skeletonRows = Array.from({ length: 14 }, (_, index) => `skeleton ${index}`);
/** Skeleton rows of a table beside other content. */
const fewRows = skeletonRows.slice(0, 3);
const interactive = 'a, button, input, label, [role=menu], [role=menuitem]';

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, columns, rows, getKey, selection, cursor = -1, onOpen, isBusy, isStale = false } = props;
  const [density] = useDensity();
  const body = useRef<HTMLTableSectionElement>(null);
  const first = columns.findIndex(({ titleHidden }) => !titleHidden);

  useEffect(() => {
    if (cursor >= 0) body.current?.querySelector('[data-cursor]')?.scrollIntoView({ block: 'nearest' });
  }, [cursor]);

  const open = (event: MouseEvent, row: Row, index: number) => {
    const isOnControl = event.target instanceof Element && event.target.closest(interactive) !== null;
    const isSelectingText = window.getSelection()?.toString() !== '';
    if (!isOnControl && !isSelectingText) onOpen?.(row, index);
  };

  if (rows?.length === 0 && props.empty !== undefined) return props.empty;
  return (
    <section
      className={classes.scroll}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable, so reachable by keyboard (WCAG 2.1.1)
      tabIndex={0}
      // Differs from the label of a surrounding section that contains only this table.
      aria-label={`${caption}, table`}
      aria-busy={rows === undefined || isStale}
    >
      <Table
        className={classes.table}
        data-density={density}
        data-stale={isStale || undefined}
        style={{ '--least': `${minTableWidthPx(columns, selection !== undefined)}px` }}
        layout="fixed"
        stickyHeader
        verticalSpacing={0}
      >
        <VisuallyHidden component="caption">{caption}</VisuallyHidden>
        <Table.Thead>
          <Table.Tr>
            {selection !== undefined && (
              <Table.Th scope="col" w={checkPx} className={classes.check}>
                <Checkbox
                  aria-label="Select all on this page"
                  checked={selection.shown === 'all'}
                  indeterminate={selection.shown === 'some'}
                  onChange={selection.onToggleShown}
                  disabled={rows === undefined}
                />
              </Table.Th>
            )}
            {columns.map((column) => (
              <HeaderCell key={column.key} column={column} sort={props.sort} onSort={props.onSort} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody ref={body}>
          {rows === undefined
            ? (props.isNarrow ? fewRows : skeletonRows).map((name, index) => (
                <Table.Tr key={name}>
                  {selection !== undefined && <Table.Td />}
                  {columns.map(({ key, room }) => (
                    <Table.Td key={key} className={room && classes[room]} data-rest>
                      <Skeleton height={10} width={`${45 + ((index * 17 + key.length * 13) % 45)}%`} />
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))
            : rows.map((row, index) => {
                const below = props.below?.(row);
                return (
                  <Fragment key={getKey(row)}>
                    <Table.Tr
                      data-selected={selection?.isSelected(row) || undefined}
                      data-cursor={index === cursor || undefined}
                      data-busy={isBusy?.(row) || undefined}
                      data-opens={onOpen !== undefined || undefined}
                      aria-selected={selection?.isSelected(row)}
                      aria-current={props.isMarked?.(row) || undefined}
                      onClick={(event) => open(event, row, index)}
                    >
                      {selection !== undefined && (
                        <Table.Td className={classes.check}>
                          <Checkbox
                            aria-label={`Select ${selection.getName(row)}`}
                            checked={selection.isSelected(row)}
                            onChange={(event) => {
                              const native = event.nativeEvent;
                              selection.onToggle(row, 'shiftKey' in native && native.shiftKey === true);
                            }}
                          />
                        </Table.Td>
                      )}
                      {columns.map(({ key, title, titleHidden, width, align, room, render }, place) => (
                        <Table.Td
                          key={key}
                          ta={align}
                          className={room && classes[room]}
                          data-rest={typeof width !== 'number' || undefined}
                          data-title={titleHidden || place === first ? undefined : title}
                        >
                          {render(row, index)}
                        </Table.Td>
                      ))}
                    </Table.Tr>
                    {below && (
                      <Table.Tr>
                        <Table.Td colSpan={columns.length} className={classes.below}>
                          {below}
                        </Table.Td>
                      </Table.Tr>
                    )}
                  </Fragment>
                );
              })}
        </Table.Tbody>
      </Table>
    </section>
  );
}

interface HeaderCellProps<Row> {
  column: DataTableColumn<Row>;
  sort?: DataTableSort;
  onSort?: (sort: DataTableSort) => void;
}

function HeaderCell<Row>({ column, sort, onSort }: HeaderCellProps<Row>) {
  const { title, titleHidden, width, align, sortBy, room } = column;
  const className = room && classes[room];
  if (sortBy === undefined || onSort === undefined)
    return (
      <Table.Th scope="col" w={width} ta={align} className={className}>
        {titleHidden ? <VisuallyHidden>{title}</VisuallyHidden> : title}
      </Table.Th>
    );
  const isSorted = sort?.by === sortBy;
  const direction = isSorted ? (sort.descending ? 'descending' : 'ascending') : 'none';
  const Icon = isSorted ? (sort.descending ? IconArrowDown : IconArrowUp) : IconSelector;
  return (
    <Table.Th scope="col" w={width} ta={align} aria-sort={direction} className={className}>
      <UnstyledButton
        className={classes.sort}
        data-sorted={isSorted || undefined}
        onClick={() => onSort({ by: sortBy, descending: isSorted ? !sort.descending : false })}
      >
        {title}
        <Icon size={13} aria-hidden />
      </UnstyledButton>
    </Table.Th>
  );
}
