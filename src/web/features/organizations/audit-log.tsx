import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { listAuditLogOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import type { AuditEntry } from '#web/api/generated/types.gen.ts';
import { createdColumn } from '#web/ui/created-column.tsx';
import type { DataTableColumn } from '#web/ui/data-table.tsx';
import { List, ListFilters, pageQuery } from '#web/ui/list-page.tsx';
import { describeAction, describeDetail, knownActions } from './audit-words.ts';
import type { AuditSearch } from './queries.ts';

interface AuditLogProps {
  organizationId: string;
  search: AuditSearch;
  onSearch: (search: AuditSearch) => void;
}

/** Who did what, newest first. */
export function AuditLog({ organizationId, search, onSearch }: AuditLogProps) {
  const { action, actor } = search;
  const list = useQuery({
    ...listAuditLogOptions({
      path: { id: organizationId },
      query: { ...pageQuery(search), action, actor },
    }),
    placeholderData: keepPreviousData,
  });
  const narrow = (part: AuditSearch) => onSearch({ ...search, ...part, page: undefined });
  const actorName = list.data?.results.find((row) => row.actor === actor)?.actorEmail ?? 'one person';
  const columns: DataTableColumn<AuditEntry>[] = [
    { ...createdColumn, title: 'Time', width: 110 },
    {
      key: 'who',
      title: 'Who',
      width: 190,
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
            title="Only this person's actions"
            onClick={() => narrow({ actor: id })}
          >
            {actorEmail ?? id.slice(0, 8)}
          </Button>
        ),
    },
    { key: 'what', title: 'Action', width: 180, render: (entry) => describeAction(entry.action) },
    {
      key: 'detail',
      title: 'Details',
      render: (entry) => <span title={describeDetail(entry)}>{describeDetail(entry)}</span>,
    },
    { key: 'address', title: 'Address', width: 130, room: 'some', render: ({ address }) => address ?? '' },
    {
      key: 'project',
      title: 'Project',
      width: 84,
      render: ({ projectId }) =>
        projectId === null ? null : (
          <Anchor component={Link} to={`/projects/${projectId}`} size="sm">
            Open
          </Anchor>
        ),
    },
  ];
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <ListFilters filters={[actionFilter]} search={search} onSearch={onSearch} />
        {actor !== undefined && (
          <Button variant="default" size="compact-sm" onClick={() => narrow({ actor: undefined })}>
            Only {actorName} · show all
          </Button>
        )}
        <Text size="sm" c="dimmed" ml="auto">
          Entries cannot be edited.
        </Text>
      </Group>
      <List
        caption="Audit log"
        list={list}
        search={search}
        onSearch={onSearch}
        columns={columns}
        noMatch="No entries match"
        empty={{
          icon: <IconHistory size={32} stroke={1.3} aria-hidden />,
          title: 'No entries yet',
          children:
            'Shows who did what, and when: changes to projects, members, roles, modules and everything else.',
        }}
      />
    </Stack>
  );
}

const actionFilter = {
  key: 'action',
  label: 'Action',
  any: 'Any action',
  width: 240,
  options: knownActions.map((value) => ({ value, label: describeAction(value) })),
};
