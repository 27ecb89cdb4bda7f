import { Anchor, Button, Group, Select, Stack, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { z } from 'zod';
import { PageQuery } from '#contract/shapes/page.ts';
import { explain } from '#web/api/errors.ts';
import { listAuditLogOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import type { AuditEntry } from '#web/api/generated/types.gen.ts';
import { DataTable, type DataTableColumn } from '#web/ui/data-table.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ListFoot } from '#web/ui/list-foot.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { useRowKeys } from '#web/ui/use-row-keys.ts';
import { actionInWords, detailInWords, knownActions } from './audit-words.ts';

const pageSizes = [25, 50, 100] as const;

/** State of the log that stands in its address. */
export const AuditSearch = z.object({
  page: PageQuery.shape.page.unwrap().optional().catch(undefined),
  size: z
    .literal([...pageSizes])
    .optional()
    .catch(undefined),
  action: z.string().min(1).max(100).optional().catch(undefined),
  actor: z.guid().optional().catch(undefined),
});
export type AuditSearch = z.infer<typeof AuditSearch>;

interface AuditLogProps {
  organizationId: string;
  search: AuditSearch;
  onSearch: (search: AuditSearch) => void;
}

const none: AuditEntry[] = [];

/** Who did what, the newest first. */
export function AuditLog({ organizationId, search, onSearch }: AuditLogProps) {
  const { page = 1, size = 50, action, actor } = search;
  const list = useQuery({
    ...listAuditLogOptions({
      path: { id: organizationId },
      query: { page, page_size: size, action, actor },
    }),
    placeholderData: keepPreviousData,
  });
  const rows = list.data?.results ?? none;
  const count = list.data?.count ?? 0;
  const cursor = useRowKeys({ group: 'Audit log', rows });
  const narrow = (part: AuditSearch) => onSearch({ ...search, ...part, page: undefined });
  const actorName = rows.find((row) => row.actor === actor)?.actorEmail ?? 'one person';
  const columns: DataTableColumn<AuditEntry>[] = [
    {
      key: 'when',
      title: 'When',
      width: 130,
      render: ({ createdAt }) => <RelativeTime value={createdAt} />,
    },
    {
      key: 'who',
      title: 'Who',
      width: 240,
      render: ({ actor: id, actorEmail, resource }) =>
        id === null ? (
          resource === 'account' ? (
            'Not signed in'
          ) : (
            'The service'
          )
        ) : (
          <Button
            variant="transparent"
            size="compact-sm"
            px={0}
            fw={400}
            title="Only what this person did"
            onClick={() => narrow({ actor: id })}
          >
            {actorEmail ?? id.slice(0, 8)}
          </Button>
        ),
    },
    { key: 'what', title: 'What', width: 240, render: (entry) => actionInWords(entry.action) },
    {
      key: 'detail',
      title: 'Details',
      render: (entry) => <span title={detailInWords(entry)}>{detailInWords(entry)}</span>,
    },
    { key: 'address', title: 'Address', width: 130, render: ({ address }) => address ?? '' },
    {
      key: 'project',
      title: 'Project',
      width: 120,
      render: ({ projectId }) =>
        projectId === null ? null : (
          <Anchor component={Link} to={`/projects/${projectId}`} size="sm">
            Open
          </Anchor>
        ),
    },
  ];
  if (list.isError && !list.data)
    return <ProblemAlert {...explain(list.error)} onRetry={() => list.refetch()} />;
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Select
          size="xs"
          w={240}
          aria-label="Action"
          placeholder="Any action"
          searchable
          data={knownActions.map((value) => ({ value, label: actionInWords(value) }))}
          value={action ?? null}
          onChange={(value) => narrow({ action: value ?? undefined })}
          clearable
          clearButtonProps={{ 'aria-label': 'Any action' }}
        />
        {actor !== undefined && (
          <Button variant="default" size="compact-sm" onClick={() => narrow({ actor: undefined })}>
            Only {actorName} · show all
          </Button>
        )}
        <Text size="sm" c="dimmed" ml="auto">
          Entries cannot be edited.
        </Text>
      </Group>
      <DataTable
        caption="Audit log"
        columns={columns}
        rows={list.data?.results}
        keyOf={({ id }) => id}
        cursor={cursor}
        isStale={list.isPlaceholderData}
        empty={
          action === undefined && actor === undefined ? (
            <EmptyState
              title="Nothing has been done yet"
              icon={<IconHistory size={32} stroke={1.3} aria-hidden />}
            >
              Who does what, and when, is written down here: changes of projects, members, roles, modules and
              all else.
            </EmptyState>
          ) : (
            <EmptyState
              title="Nothing of this kind has happened"
              action={
                <Button variant="default" onClick={() => narrow({ action: undefined, actor: undefined })}>
                  Show all
                </Button>
              }
            />
          )
        }
      />
      <ListFoot search={search} onSearch={onSearch} count={count} pageSizes={pageSizes} />
    </Stack>
  );
}
