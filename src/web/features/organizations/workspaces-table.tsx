import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconFolderPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatCount } from '#contract/base/format-number.ts';
import { WorkspaceInput } from '#contract/shapes/organization.ts';
import type { Workspace, WorkspacePage } from '#web/api/generated/types.gen.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { askFirst } from '#web/ui/ask-first.tsx';
import { createdColumn } from '#web/ui/created-column.tsx';
import { actionsColumn, type DataTableColumn } from '#web/ui/data-table.tsx';
import { NameForm } from '#web/ui/form.tsx';
import { List } from '#web/ui/list-page.tsx';
import { formatBytes } from '#web/ui/quantity.ts';
import { holdsWords, SearchField } from '#web/ui/search-field.tsx';
import { useOrganizationMutations } from './mutations.ts';
import { workspaceOptions } from './queries.ts';

export interface WorkspacesTableProps {
  organizationId: string;
  isManager: boolean;
  /** text searched for in the table */
  search: string | undefined;
  onSearch: (search: string | undefined) => void;
}

const workspaceColumns: DataTableColumn<Workspace>[] = [
  { key: 'name', title: 'Name', render: ({ name }) => <b>{name}</b> },
  { key: 'role', title: 'Your role', width: 160, render: ({ role }) => role ?? 'none, as a manager' },
  {
    key: 'projects',
    title: 'Projects',
    width: 120,
    render: ({ id, projectCount }) => (
      <Anchor component={Link} to={`/projects?workspace=${id}`} size="sm">
        {formatCount(projectCount)} {projectCount === 1 ? 'project' : 'projects'}
      </Anchor>
    ),
  },
  {
    key: 'stored',
    title: 'Stored',
    width: 110,
    room: 'some',
    render: ({ storageBytes }) => <span className="numbers">{formatBytes(storageBytes)}</span>,
  },
  { ...createdColumn, width: 150, room: 'some' },
];

export function WorkspacesTable({ organizationId, isManager, search, onSearch }: WorkspacesTableProps) {
  const workspaces = useQuery({
    ...workspaceOptions(organizationId),
    select: (page: WorkspacePage) => ({
      ...page,
      results: page.results.filter(({ name, role }) => holdsWords([name, role], search)),
    }),
  });
  const { createWorkspace, renameWorkspace, deleteWorkspace } = useOrganizationMutations();
  const askRemove = ({ id, name }: Workspace) =>
    askFirst({
      title: `Remove the workspace “${name}”?`,
      children: <>It holds no projects. Its members lose their roles in it.</>,
      confirmLabel: 'Remove the workspace',
      onConfirm: () => deleteWorkspace.mutate({ path: { id } }),
    });
  const actions = (workspace: Workspace) => (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <Button
        variant="default"
        size="compact-sm"
        aria-label={`Rename ${workspace.name}`}
        onClick={() => setNaming(workspace)}
      >
        Rename…
      </Button>
      <ActionButton
        variant="default"
        size="compact-sm"
        aria-label={`Remove ${workspace.name}`}
        reason={workspace.projectCount > 0 ? 'It still holds projects: move them first' : null}
        onClick={() => askRemove(workspace)}
      >
        Remove…
      </ActionButton>
    </Group>
  );
  const [naming, setNaming] = useState<Workspace | 'new' | null>(null);
  const columns: DataTableColumn<Workspace>[] = [
    ...workspaceColumns,
    ...(isManager ? [{ ...actionsColumn, width: 210, render: actions }] : []),
  ];
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start">
        <Text c="dimmed" className="measure" flex="1 1 240px">
          A workspace groups projects and says who may see and change them.
        </Text>
        <Group gap="xs">
          <SearchField
            label="Search workspaces"
            placeholder="Name or role"
            value={search}
            onValue={onSearch}
          />
          <ActionButton
            leftSection={<IconFolderPlus size={14} aria-hidden />}
            reason={isManager ? null : 'Only a manager can create workspaces'}
            onClick={() => setNaming('new')}
          >
            New workspace
          </ActionButton>
        </Group>
      </Group>
      <List
        caption="Workspaces"
        list={workspaces}
        search={{ search }}
        onSearch={({ search: words }) => onSearch(words)}
        columns={columns}
        noMatch={`No workspace matches “${search}”`}
        empty={{
          title: 'No workspaces you can see',
          children: isManager ? 'Create the first one.' : 'Ask a manager to give you a role in one.',
        }}
        isWhole
      />
      <Modal
        opened={naming !== null}
        onClose={() => setNaming(null)}
        title={naming === 'new' ? 'New workspace' : 'Rename the workspace'}
      >
        {naming !== null && (
          <NameForm
            name={naming === 'new' ? '' : naming.name}
            schema={WorkspaceInput}
            mutation={naming === 'new' ? createWorkspace : renameWorkspace}
            onSubmit={(body) => {
              const settled = { onSuccess: () => setNaming(null) };
              if (naming === 'new') createWorkspace.mutate({ path: { id: organizationId }, body }, settled);
              else renameWorkspace.mutate({ path: { id: naming.id }, body }, settled);
            }}
            submitLabel={naming === 'new' ? 'Create workspace' : 'Rename'}
            onCancel={() => setNaming(null)}
          />
        )}
      </Modal>
    </Stack>
  );
}
