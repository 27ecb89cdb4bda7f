import { Skeleton, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './plain-list.module.css';

interface PlainListProps {
  /** what it lists */
  caption: string;
  /** heading of each column; an empty one needs no words */
  headings: { title: string; width?: number; hidden?: boolean }[];
  isPending: boolean;
  children: ReactNode;
}

/** A short table that is there whole: headings, a skeleton while it loads, rows given as they are. */
export function PlainList({ caption, headings, isPending, children }: PlainListProps) {
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
      <Table.Tbody>
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
