import { Group, ScrollArea, SegmentedControl, Stack, Text } from '@mantine/core';
import type { Workspace, WorkspaceRole } from '#web/api/generated/types.gen.ts';

export type Roles = Record<string, WorkspaceRole>;

export const asList = (roles: Roles): { id: string; role: WorkspaceRole }[] =>
  Object.entries(roles).map(([id, role]) => ({ id, role }));

/** `Foundry A (editor), Incoming (viewer)`. */
export const formatRoles = (
  grants: readonly { id: string; role: WorkspaceRole }[],
  workspaces: readonly Workspace[],
): string =>
  grants
    .map(({ id, role }) => {
      const name = workspaces.find((workspace) => workspace.id === id)?.name;
      return `${name ?? 'another workspace'} (${role})`;
    })
    .join(', ');

interface WorkspaceRolesProps {
  workspaces: Workspace[];
  roles: Roles;
  onChange: (roles: Roles) => void;
}

/** Focuses the first control of a dialog that contains nothing else: a segmented control has no autofocus. */
const beginAtFirst = (list: HTMLDivElement | null) =>
  list?.querySelector('input:checked')?.setAttribute('data-autofocus', 'true');

/** The role in each workspace: none, viewer or editor. */
export function WorkspaceRoles({ workspaces, roles, onChange }: WorkspaceRolesProps) {
  const set = (id: string, value: string) => {
    const { [id]: _, ...others } = roles;
    onChange(value === 'viewer' || value === 'editor' ? { ...others, [id]: value } : others);
  };
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        Workspaces
      </Text>
      <ScrollArea.Autosize mah={260}>
        <Stack gap={6} ref={beginAtFirst}>
          {workspaces.map(({ id, name }) => (
            <Group key={id} justify="space-between" gap="4px var(--mantine-spacing-md)">
              <Text size="md" truncate>
                {name}
              </Text>
              <SegmentedControl
                aria-label={`Role in ${name}`}
                data={[
                  { value: 'none', label: 'None' },
                  { value: 'viewer', label: 'Viewer' },
                  { value: 'editor', label: 'Editor' },
                ]}
                value={roles[id] ?? 'none'}
                onChange={(value) => set(id, value)}
                ml="auto"
              />
            </Group>
          ))}
        </Stack>
      </ScrollArea.Autosize>
    </Stack>
  );
}
