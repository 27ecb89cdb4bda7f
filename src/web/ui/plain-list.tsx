import { Skeleton, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCommands } from './commands.ts';
import classes from './plain-list.module.css';

interface PlainListProps {
  /** what it lists */
  caption: string;
  /** heading of each column; an empty one needs no words */
  headings: { title: string; width?: number; hidden?: boolean }[];
  isPending: boolean;
  /** the keys of the list before it on the page go on into this one */
  goesOn?: boolean;
  children: ReactNode;
}

/** Rows of all lists of this kind on the page, in their order; a dialog's own are not the page's. */
const rowsOfPage = (): HTMLTableRowElement[] => [
  ...document.querySelectorAll<HTMLTableRowElement>('table[data-plain-list] > tbody > tr:not([aria-hidden])'),
];
/** Rows are given whole, so that the mark of the keyboard is set from outside. */
const MARK = 'data-cursor';

function step(by: 1 | -1): void {
  const rows = rowsOfPage();
  const at = rows.findIndex((row) => row.hasAttribute(MARK));
  const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, at + by));
  for (const [index, row] of rows.entries()) row.toggleAttribute(MARK, index === next);
  rows[next]?.scrollIntoView({ block: 'nearest' });
}

const enter = (): void =>
  rowsOfPage()
    .find((row) => row.hasAttribute(MARK))
    ?.querySelector<HTMLElement>('a, button, input')
    ?.focus();

/**
 * A short table that is there whole: headings, a skeleton while it loads, rows given as they are. `j` and `k` go from
 * row to row, through every such list of the page; Enter goes to what can be done with the row.
 */
export function PlainList({ caption, headings, isPending, goesOn = false, children }: PlainListProps) {
  useCommands(
    goesOn
      ? []
      : [
          { keys: 'j', label: 'Next row', group: caption, run: () => step(1) },
          { keys: 'k', label: 'Previous row', group: caption, run: () => step(-1) },
          { keys: 'Enter', label: 'Go to what the row offers', group: caption, run: enter },
        ],
  );
  return (
    <Table className={classes.list} aria-label={caption} aria-busy={isPending} data-plain-list>
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
              <Table.Tr key={width} aria-hidden>
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
