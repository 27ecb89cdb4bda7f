import { Skeleton, Stack, Table, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { formatCount } from '#contract/base/format-number.ts';
import type { DataObject } from '#web/api/generated/types.gen.ts';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { formatBytes } from '#web/ui/quantity.ts';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { useRowKeys } from '#web/ui/use-row-keys.ts';
import classes from './data-objects.module.css';
import { kindWords } from './kind-words.ts';
import { projectDataOptions } from './queries.ts';

interface DataObjectsTableProps {
  projectId: string;
  selectedId: string | null;
  onSelect: (dataObjectId: string) => void;
  /** beside the table, of the selected one */
  details: ReactNode;
}

const none: DataObject[] = [];

/** What the project holds, the newest first. */
export function DataObjectsTable({ projectId, selectedId, onSelect, details }: DataObjectsTableProps) {
  const data = useQuery(projectDataOptions(projectId));
  const cursor = useRowKeys({
    group: 'Data',
    rows: data.data?.results ?? none,
    onOpen: ({ id }) => onSelect(id),
  });
  if (data.isPending)
    return (
      <Stack gap={6} aria-busy="true">
        {['a', 'b', 'c'].map((key) => (
          <Skeleton key={key} height={36} />
        ))}
      </Stack>
    );
  if (data.error && !data.data) return <ProblemAlert query={data} />;
  const { results } = data.data;
  if (results.length === 0)
    return (
      <EmptyState title="No data yet">
        Volumes, meshes and results of analyses are kept here. Upload a scan, or drop it anywhere on this
        page.
      </EmptyState>
    );
  return (
    <div className={classes.page} data-alone={details === null || undefined}>
      <Table aria-label="Data of the project" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Kind</Table.Th>
            <Table.Th ta="right">Files</Table.Th>
            <Table.Th ta="right">Size</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th>Created</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {results.map((each, index) => {
            const { title, icon: Icon } = kindWords(each.kind);
            return (
              <Table.Tr
                key={each.id}
                className={classes.row}
                data-selected={each.id === selectedId || undefined}
                data-cursor={index === cursor || undefined}
                onClick={() => onSelect(each.id)}
              >
                <Table.Td>
                  <UnstyledButton className={classes.name} aria-pressed={each.id === selectedId}>
                    {each.name}
                  </UnstyledButton>
                </Table.Td>
                <Table.Td>
                  <Text span inherit className={classes.kind}>
                    <Icon size={14} stroke={1.6} aria-hidden /> {title}
                  </Text>
                </Table.Td>
                <Table.Td ta="right">{formatCount(each.files.length)}</Table.Td>
                <Table.Td ta="right">
                  {each.files.length === 0
                    ? '–'
                    : formatBytes(each.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))}
                </Table.Td>
                <Table.Td>
                  <StatusBadge status={each.status} />
                </Table.Td>
                <Table.Td>
                  <RelativeTime value={each.createdAt} />
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
      {details}
    </div>
  );
}
