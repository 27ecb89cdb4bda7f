import { ActionIcon, Menu, Text } from '@mantine/core';
import {
  IconArchive,
  IconArchiveOff,
  IconCopy,
  IconDots,
  IconFolderSymlink,
  IconPencil,
  IconTag,
  IconTrash,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { ProjectAction as Capability, Project } from '#contract/shapes/project.ts';
import { rightTo } from './project-actions.ts';

export type RowAction = 'edit' | 'tag' | 'copy' | 'move' | 'archive' | 'restore' | 'delete';

interface Entry {
  action: RowAction;
  capability: Capability;
  label: string;
  icon: ComponentType<{ size?: number }>;
}

const entries: Entry[] = [
  { action: 'edit', capability: 'edit', label: 'Rename and edit…', icon: IconPencil },
  { action: 'tag', capability: 'edit', label: 'Add tags…', icon: IconTag },
  { action: 'copy', capability: 'copy', label: 'Copy…', icon: IconCopy },
  { action: 'move', capability: 'move', label: 'Move…', icon: IconFolderSymlink },
  { action: 'archive', capability: 'archive', label: 'Archive', icon: IconArchive },
  { action: 'restore', capability: 'restore', label: 'Restore', icon: IconArchiveOff },
  { action: 'delete', capability: 'delete', label: 'Delete', icon: IconTrash },
];

/** Archive makes sense for an active one only, restore for the others, and nothing else in the trash. */
const concerns = (action: RowAction, state: string): boolean => {
  if (state === 'deleted') return action === 'restore';
  if (action === 'restore') return state === 'archived';
  return action !== 'archive' || state === 'active';
};

interface ProjectRowMenuProps {
  project: Project;
  onAction: (action: RowAction, project: Project) => void;
}

export function ProjectRowMenu({ project, onAction }: ProjectRowMenuProps) {
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <ActionIcon size="sm" aria-label={`Actions for ${project.name}`}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {entries
          .filter(({ action }) => concerns(action, project.state))
          .map(({ action, capability, label, icon: Icon }) => {
            const { allowed, reason } = rightTo(project, capability);
            return (
              <Menu.Item
                key={action}
                leftSection={<Icon size={15} aria-hidden />}
                disabled={!allowed}
                onClick={() => onAction(action, project)}
              >
                {label}
                {reason !== null && (
                  <Text size="xs" c="dimmed">
                    {reason}
                  </Text>
                )}
              </Menu.Item>
            );
          })}
      </Menu.Dropdown>
    </Menu>
  );
}
