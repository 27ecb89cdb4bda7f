import { ActionIcon } from '@mantine/core';
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
import { ActionMenu } from '#web/ui/action-menu.tsx';
import { reasonAgainst } from './capability.ts';

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

/** Archive is offered for active projects only, restore for all others, and in the trash nothing else. */
const concerns = (action: RowAction, state: string): boolean => {
  if (state === 'deleted') return action === 'restore';
  if (action === 'restore') return state === 'archived';
  return action !== 'archive' || state === 'active';
};

interface ProjectRowMenuProps {
  project: Project;
  onAction: (action: RowAction, project: Project) => void;
}

export const ProjectRowMenu = ({ project, onAction }: ProjectRowMenuProps) => (
  <ActionMenu
    width={230}
    actions={entries
      .filter(({ action }) => concerns(action, project.state))
      .map(({ action, capability, ...entry }) => ({
        ...entry,
        reason: reasonAgainst(project, capability),
        run: () => onAction(action, project),
      }))}
  >
    <ActionIcon size="sm" aria-label={`Actions for ${project.name}`}>
      <IconDots size={16} aria-hidden />
    </ActionIcon>
  </ActionMenu>
);
