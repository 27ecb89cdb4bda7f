/**
 * The list used by every page: filters, rows, empty and failed states, keys, footer. Its state is stored in the
 * address.
 */
import { Box, Button, Select, Stack, Text } from '@mantine/core';
import { isValidElement, type ReactElement, type ReactNode, useContext, useEffect } from 'react';
import { z } from 'zod';
import { formatCount } from '#contract/base/format-number.ts';
import { workStatuses } from '#contract/base/primitives.ts';
import { Verdict } from '#contract/metadata/verdict.ts';
import { PageQuery } from '#contract/shapes/page.ts';
import { DataTable, type DataTableProps, type DataTableSelection } from './data-table.tsx';
import { EmptyState, type EmptyStateProps } from './empty-state.tsx';
import { defaultPageSize, formatListCount, ListFoot, pageSizes } from './list-foot.tsx';
import pageClasses from './page.module.css';
import { PageHeader, type PageHeaderProps } from './page-header.tsx';
import { ExplainContext, ProblemAlert } from './problem-alert.tsx';
import { SearchField } from './search-field.tsx';
import { statusWord } from './status-badge.tsx';
import { type RowKey, useRowKeys } from './use-row-keys.ts';

/** Search parameters of the list itself; all others are filters. */
const listKeys = {
  page: PageQuery.shape.page.unwrap().optional().catch(undefined),
  size: z.literal(pageSizes).optional().catch(undefined),
};
export type ListSearch = z.infer<z.ZodObject<typeof listKeys>>;

/** Schema of a list's search parameters: page, page size and filters. Invalid values are dropped. */
export const listSearch = <Filters extends z.core.$ZodLooseShape>(filters: Filters) =>
  z.object({ ...listKeys, ...filters });

/** The paging parameters of the request. */
export const pageQuery = ({ page = 1, size = defaultPageSize }: ListSearch) => ({ page, page_size: size });

/** With `placeholder` a text search, else a choice of options. */
export type ListFilter =
  | { key: string; label: string; placeholder: string }
  | {
      key: string;
      label: string;
      /** label when nothing is chosen: `Any status` */
      any: string;
      options: { value: string; label: string }[];
      width?: number;
    };

const toOptions = (values: readonly string[]) => values.map((value) => ({ value, label: statusWord(value) }));
export const statusFilter = {
  key: 'status',
  label: 'Status',
  any: 'Any status',
  options: toOptions(workStatuses),
};
export const verdictFilter = {
  key: 'verdict',
  label: 'Verdict',
  any: 'Any verdict',
  options: toOptions(Verdict.options),
};

type Values = Record<string, unknown>;

interface FiltersProps<Search> {
  filters: ListFilter[];
  search: Search;
  onSearch: (search: Search) => void;
}

/** The filters of a list; changing one returns to the first page. */
export function ListFilters<Search extends ListSearch>({ filters, search, onSearch }: FiltersProps<Search>) {
  return filters.map((filter) => {
    const { key, label } = filter;
    const chosen = (search as Values)[key];
    const value = typeof chosen === 'string' ? chosen : undefined;
    const narrow = (to: string | undefined) => onSearch({ ...search, page: undefined, [key]: to });
    if ('placeholder' in filter)
      return (
        <SearchField
          key={key}
          label={label}
          placeholder={filter.placeholder}
          value={value}
          onValue={narrow}
        />
      );
    return (
      <Select
        key={key}
        size="xs"
        w={filter.width ?? 144}
        aria-label={label}
        placeholder={filter.any}
        searchable={filter.options.length > 15}
        data={filter.options}
        value={value ?? null}
        onChange={(to) => narrow(to ?? undefined)}
        clearable
        clearButtonProps={{ 'aria-label': filter.any }}
      />
    );
  });
}

interface ListProps<Row, Search extends ListSearch & Values>
  extends Pick<
    DataTableProps<Row>,
    'columns' | 'isMarked' | 'below' | 'isNarrow' | 'isBusy' | 'sort' | 'onSort' | 'selection'
  > {
  /** what the list contains, in the plural: its caption and the heading of its keys */
  caption: string;
  list: {
    data: { count: number; countIsEstimate?: true; results: Row[] } | undefined;
    error: unknown;
    refetch: () => unknown;
    isPlaceholderData: boolean;
  };
  getKey?: (row: Row) => string;
  /** its search parameters; undefined for a list without pages and filters */
  search?: Search;
  onSearch?: (search: Search, options?: { replace?: boolean }) => void;
  onOpen?: (row: Row, index: number) => void;
  /** further keys, for the row under the keyboard cursor */
  keys?: RowKey<Row>[];
  /** the row keys of the preceding list on the page continue into this one */
  goesOn?: boolean;
  /** shown when there is nothing to list; an element is also shown when the filters match nothing */
  empty: EmptyStateProps | ReactElement;
  /** resets the keyboard cursor when it changes */
  question?: string;
  /** between the rows and the footer */
  bar?: ReactNode;
  /** title when the filters match nothing */
  noMatch?: string;
  /** the list fills its page: padding around a problem, and a footer even for one page */
  inset?: boolean;
  /** all rows are loaded, or as many as the service returns at once: no pages */
  isWhole?: boolean;
}

/** Most rows of a list without pages. */
export const wholeAtMost = 200;

const none: never[] = [];
const nothing = () => undefined;
const noSearch = {};
const findId = (row: unknown) => (row as { id: string }).id;

const selectKey = <Row,>({ onToggle }: DataTableSelection<Row>): RowKey<Row> => ({
  keys: 'x',
  label: 'Select the row',
  run: (row) => onToggle(row, false),
});

/** The rows of a page, or the reason why there are none. */
export function List<Row, Search extends ListSearch & Values>(props: ListProps<Row, Search>) {
  const {
    caption,
    list,
    getKey = findId,
    search = noSearch as Search,
    onSearch = nothing,
    onOpen,
    keys,
    goesOn,
    question,
    bar,
    empty,
    noMatch,
    inset,
    isWhole,
    ...table
  } = props;
  const explain = useContext(ExplainContext);
  const { selection } = table;
  const cursor = useRowKeys({
    group: goesOn ? null : caption,
    rows: list.data?.results ?? none,
    onOpen,
    keys: selection ? [selectKey(selection), ...(keys ?? none)] : keys,
    onEscape: selection?.onClear,
    question,
  });
  // A page that no longer exists (rows were removed, an old link) leads to the first page.
  const isBeyondLast = (search.page ?? 1) > 1 && explain(list.error).code === 'NOT_FOUND';
  useEffect(() => {
    if (isBeyondLast) onSearch({ ...search, page: undefined }, { replace: true });
  }, [isBeyondLast, onSearch, search]);
  if (list.error && !list.data && !isBeyondLast)
    return (
      <Box p={inset ? 'md' : 0}>
        <ProblemAlert query={list} />
      </Box>
    );
  const narrowing = Object.entries(search).flatMap(([key, value]) =>
    key in listKeys || value === undefined ? [] : key,
  );
  const showAll = () =>
    onSearch({ ...search, page: undefined, ...Object.fromEntries(narrowing.map((key) => [key, undefined])) });
  return (
    <>
      <DataTable
        {...table}
        caption={caption}
        rows={list.data?.results}
        getKey={getKey}
        isStale={list.isPlaceholderData}
        cursor={cursor}
        onOpen={onOpen}
        empty={
          isValidElement(empty) ? (
            empty
          ) : narrowing.length > 0 ? (
            <EmptyState
              title={noMatch ?? `No ${caption.toLowerCase()} match`}
              action={
                <Button variant="default" onClick={showAll}>
                  Show all
                </Button>
              }
            />
          ) : (
            <EmptyState {...empty} />
          )
        }
      />
      {bar}
      {list.data && !isWhole && (inset || list.data.count > pageSizes[0]) && (
        <ListFoot search={search} onSearch={onSearch} list={list.data} />
      )}
      {list.data && isWhole && list.data.count > wholeAtMost && (
        <Text c="dimmed" size="sm">
          The first {formatCount(wholeAtMost)} of {formatCount(list.data.count)}; the others are in the
          interface only.
        </Text>
      )}
    </>
  );
}

interface ListPageProps<Row, Search extends ListSearch & Values>
  extends Omit<ListProps<Row, Search>, 'caption' | 'inset' | 'search' | 'onSearch'>,
    Required<Pick<ListProps<Row, Search>, 'search' | 'onSearch'>>,
    Pick<PageHeaderProps, 'actions'> {
  title: string;
  /** what it lists, if different from the title */
  caption?: string;
  aside?: ReactNode;
  filters?: ListFilter[];
  /** below the title */
  children?: ReactNode;
}

/** A page that consists of a list. */
export function ListPage<Row, Search extends ListSearch & Values>(props: ListPageProps<Row, Search>) {
  const { title, caption = title, filters = none, actions, children, ...rest } = props;
  const { list, search, onSearch } = rest;
  return (
    <Stack gap={0} className={pageClasses.page}>
      <div className={pageClasses.head}>
        <PageHeader
          title={title}
          aside={props.aside ?? (list.data && formatListCount(list.data))}
          actions={
            <>
              <ListFilters filters={filters} search={search} onSearch={onSearch} />
              {actions}
            </>
          }
        />
        {children}
      </div>
      <List {...rest} caption={caption} inset />
    </Stack>
  );
}
