import { Anchor, Button, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconFolderPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatCount } from '#contract/base/format-number.ts';
import { WorkspaceInput } from '#contract/shapes/organization.ts';
import type { Workspace } from '#web/api/generated/types.gen.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { NameForm } from '#web/ui/form.tsx';
import { PlainList } from '#web/ui/plain-list.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { formatBytes } from '#web/ui/quantity.ts';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { holdsWords, SearchField } from '#web/ui/search-field.tsx';
import { useOrganizationMutations } from './mutations.ts';
import { NothingFound, ShownOf } from './nothing-found.tsx';
import { workspaceOptions } from './queries.ts';

interface WorkspacesTableProps {
  organizationId: string;
  isManager: boolean;
  /** what names and roles are searched for */
  search: string | undefined;
  onSearch: (search: string | undefined) => void;
}

export function WorkspacesTable({ organizationId, isManager, search, onSearch }: WorkspacesTableProps) {
  const workspaces = useQuery(workspaceOptions(organizationId));
  const { createWorkspace, renameWorkspace, deleteWorkspace } = useOrganizationMutations();
  const askRemove = ({ id, name }: Workspace) =>
    modals.openConfirmModal({
      title: `Remove the workspace “${name}”?`,
      children: <Text>It holds no project. The roles of its members in it go with it.</Text>,
      labels: { confirm: 'Remove the workspace', cancel: 'Cancel' },
      confirmProps: { color: 'danger' },
      onConfirm: () => deleteWorkspace.mutate({ path: { id } }),
    });
  const [naming, setNaming] = useState<Workspace | 'new' | null>(null);
  if (workspaces.isError) return <ProblemAlert query={workspaces} />;
  const found = workspaces.data?.results.filter(({ name, role }) => holdsWords([name, role], search));
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Text c="dimmed" className="measure">
          A workspace groups projects and says who may see and change them.
        </Text>
        <Group gap="xs" wrap="nowrap" style={{ flex: 'none' }}>
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
      <ShownOf shown={workspaces.data?.results.length} count={workspaces.data?.count} what="workspaces" />
      {workspaces.data?.results.length === 0 ? (
        <EmptyState title="No workspace that you may see">
          {isManager ? 'Create the first one.' : 'Ask a manager to give you a role in one.'}
        </EmptyState>
      ) : found?.length === 0 ? (
        <NothingFound search={search} what="workspace" onShowAll={() => onSearch(undefined)} />
      ) : (
        <PlainList
          caption="Workspaces"
          isPending={workspaces.isPending}
          headings={[
            { title: 'Name' },
            { title: 'Your role', width: 160 },
            { title: 'Projects', width: 120 },
            { title: 'Stored', width: 110 },
            { title: 'Created', width: 150 },
            { title: 'Actions', width: 210, hidden: true },
          ]}
        >
          {found?.map((workspace) => (
            <Table.Tr key={workspace.id}>
              <Table.Td fw={500}>{workspace.name}</Table.Td>
              <Table.Td>{workspace.role ?? 'none, as a manager'}</Table.Td>
              <Table.Td>
                <Anchor component={Link} to={`/projects?workspace=${workspace.id}`} size="sm">
                  {formatCount(workspace.projectCount)}{' '}
                  {workspace.projectCount === 1 ? 'project' : 'projects'}
                </Anchor>
              </Table.Td>
              <Table.Td className="numbers">{formatBytes(workspace.storageBytes)}</Table.Td>
              <Table.Td>
                <RelativeTime value={workspace.createdAt} />
              </Table.Td>
              <Table.Td ta="right">
                {isManager && (
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
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </PlainList>
      )}
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
