import { Skeleton, Table } from '@mantine/core';
import { Children, type ReactNode, useEffect, useRef } from 'react';
import classes from './plain-list.module.css';
import { useRowKeys } from './use-row-keys.ts';

interface PlainListProps {
  /** what it lists */
  caption: string;
  /** heading of each column; an empty one needs no words */
  headings: { title: string; width?: number; hidden?: boolean }[];
  isPending: boolean;
  /** a second list on a page leaves the keys to the first */
  withoutKeys?: boolean;
  children: ReactNode;
}

/**
 * A short table that is there whole: headings, a skeleton while it loads, rows given as they are. `j` and `k` go from
 * row to row, Enter goes to what can be done with the row.
 */
export function PlainList(props: PlainListProps) {
  const { caption, headings, isPending, withoutKeys = false, children } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const rows = isPending || withoutKeys ? [] : Children.toArray(children);
  const rowAt = (index: number) => body.current?.rows[index];
  const cursor = useRowKeys({
    group: withoutKeys ? null : caption,
    rows,
    onOpen: (_, index) => rowAt(index)?.querySelector<HTMLElement>('a, button, input')?.focus(),
  });
  // The rows are given whole, so that the mark is set from outside.
  useEffect(() => {
    for (const [index, row] of [...(body.current?.rows ?? [])].entries())
      row.toggleAttribute('data-cursor', index === cursor && !withoutKeys);
    if (cursor >= 0) body.current?.rows[cursor]?.scrollIntoView({ block: 'nearest' });
  }, [cursor, withoutKeys]);
  return (
    <Table className={classes.list} aria-label={caption} aria-busy={isPending}>
      <Table.Thead>
        <Table.Tr>
          {headings.map(({ title, width, hidden }) => (
            <Table.Th key={title} scope="col" w={width}>
              {hidden ? <span className={classes.hidden}>{title}</span> : title}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody ref={body}>
        {isPending
          ? [70, 55, 80].map((width) => (
              <Table.Tr key={width}>
                {headings.map(({ title }) => (
                  <Table.Td key={title}>
                    <Skeleton height={10} width={`${width}%`} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))
          : children}
      </Table.Tbody>
    </Table>
  );
}
