import { Group, Pagination, Select, Text } from '@mantine/core';
import { formatCount } from '#contract/base/format-number.ts';
import classes from './list-foot.module.css';

export const pageSizes = [25, 50, 100, 200] as const;
export const defaultPageSize = 50;

interface FootSearch {
  page?: number | undefined;
  size?: (typeof pageSizes)[number] | undefined;
}

interface CountedList {
  /** on all pages */
  count: number;
  countIsEstimate?: true;
}

interface ListFootProps<Search extends FootSearch> {
  search: Search;
  onSearch: (search: Search) => void;
  list: CountedList;
}

/** `1,284`, or `about 48,200` if estimated. */
export const formatListCount = ({ count, countIsEstimate }: CountedList): string =>
  `${countIsEstimate === true ? 'about ' : ''}${formatCount(count)}`;

/** Footer of a list, with page and page size in the address: `1–50 of 1,284`, the pages, and the rows per page. */
export function ListFoot<Search extends FootSearch>({ search, onSearch, list }: ListFootProps<Search>) {
  const { count } = list;
  if (count === 0) return null;
  const { page = 1, size = defaultPageSize } = search;
  const pages = Math.ceil(count / size);
  return (
    <Group justify="space-between" gap="xs" className={classes.foot}>
      <Text size="sm" c="dimmed" className="numbers" style={{ whiteSpace: 'nowrap' }}>
        {formatCount((page - 1) * size + 1)}–{formatCount(Math.min(count, page * size))} of{' '}
        {formatListCount(list)}
      </Text>
      <Group gap="xs">
        <Select
          size="xs"
          w={112}
          aria-label="Rows per page"
          data={pageSizes.map((each) => ({ value: String(each), label: `${each} a page` }))}
          value={String(size)}
          onChange={(value) =>
            onSearch({ ...search, page: undefined, size: pageSizes.find((each) => String(each) === value) })
          }
          allowDeselect={false}
          comboboxProps={{ withinPortal: true }}
        />
        {pages > 1 && (
          <Pagination
            size="sm"
            total={pages}
            value={page}
            onChange={(to) => onSearch({ ...search, page: to === 1 ? undefined : to })}
            siblings={1}
            getControlProps={(control) => ({ 'aria-label': controlNames[control] })}
            getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
          />
        )}
      </Group>
    </Group>
  );
}

const controlNames = { first: 'First page', previous: 'Previous page', next: 'Next page', last: 'Last page' };
