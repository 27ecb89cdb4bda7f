import { Group, Pagination, Select, Text } from '@mantine/core';
import { formatCount } from './quantity.ts';

interface PagerProps {
  page: number;
  pageSize: number;
  /** on all pages */
  count: number;
  pageSizes: readonly number[];
  onPage: (page: number) => void;
  onPageSize: (pageSize: number) => void;
}

/** `1–50 of 1,284`, the pages, and how many rows one has. */
export function Pager({ page, pageSize, count, pageSizes, onPage, onPageSize }: PagerProps) {
  const pages = Math.max(1, Math.ceil(count / pageSize));
  const first = count === 0 ? 0 : (page - 1) * pageSize + 1;
  return (
    <Group justify="space-between" gap="md" wrap="nowrap">
      <Text size="sm" c="dimmed" className="numbers" style={{ whiteSpace: 'nowrap' }}>
        {formatCount(first)}–{formatCount(Math.min(count, page * pageSize))} of {formatCount(count)}
      </Text>
      <Group gap="sm" wrap="nowrap">
        <Select
          size="xs"
          w={112}
          aria-label="Rows on a page"
          data={pageSizes.map((size) => ({ value: String(size), label: `${size} a page` }))}
          value={String(pageSize)}
          onChange={(value) => value !== null && onPageSize(Number(value))}
          allowDeselect={false}
          comboboxProps={{ withinPortal: true }}
        />
        {pages > 1 && (
          <Pagination
            size="sm"
            total={pages}
            value={page}
            onChange={onPage}
            siblings={1}
            getControlProps={(control) => ({ 'aria-label': controlNames[control] })}
            getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
          />
        )}
      </Group>
    </Group>
  );
}

const controlNames = { first: 'First page', previous: 'Page before', next: 'Next page', last: 'Last page' };
