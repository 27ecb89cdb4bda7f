import { ActionIcon } from '@mantine/core';
import {
  IconArchive,
  IconArchiveOff,
  IconArrowMoveRight,
  IconColumns,
  IconCopy,
  IconDots,
  IconEdit,
  IconFileText,
  IconTrash,
} from '@tabler/icons-react';
import type { ProjectAction } from '#contract/shapes/project.ts';
import type { Project } from '#web/api/generated/types.gen.ts';
import { ActionMenu, type MenuAction } from '#web/ui/action-menu.tsx';
import { reasonAgainst } from './capability.ts';

export type ProjectMenuAction = 'edit' | 'archive' | 'restore' | 'copy' | 'move' | 'delete';

interface ProjectMenuProps {
  project: Project;
  onAction: (action: ProjectMenuAction) => void;
  /** opens the request for an inspection report */
  onReport: () => void;
  /** opens the comparison with other projects */
  onCompare: () => void;
}

const listItems = (
  state: string,
): (Omit<MenuAction, 'run'> & { action: ProjectMenuAction & ProjectAction })[] => [
  { action: 'edit', label: 'Edit details…', command: 'Edit the details of the project', icon: IconEdit },
  { action: 'copy', label: 'Copy…', command: 'Copy the project', icon: IconCopy },
  { action: 'move', label: 'Move…', command: 'Move the project', icon: IconArrowMoveRight },
  state === 'active'
    ? { action: 'archive', label: 'Archive', command: 'Archive the project', icon: IconArchive }
    : { action: 'restore', label: 'Restore', command: 'Restore the project', icon: IconArchiveOff },
  {
    action: 'delete',
    label: 'Delete',
    command: 'Delete the project',
    icon: IconTrash,
    color: 'var(--sw-danger)',
  },
];

/** All actions on the project as a whole; a disabled action states the reason. */
export const ProjectMenu = ({ project, onAction, onReport, onCompare }: ProjectMenuProps) => (
  <ActionMenu
    actions={[
      {
        label: 'Report (PDF)',
        command: 'Report on the project (PDF)',
        icon: IconFileText,
        reason: reasonAgainst(project, 'export'),
        run: onReport,
      },
      {
        label: 'Compare with…',
        command: 'Compare the project with others',
        icon: IconColumns,
        run: onCompare,
      },
      ...listItems(project.state).map(({ action, ...item }) => ({
        ...item,
        reason: reasonAgainst(project, action),
        run: () => onAction(action),
      })),
    ]}
  >
    <ActionIcon aria-label="More actions" variant="default" size="md">
      <IconDots size={16} aria-hidden />
    </ActionIcon>
  </ActionMenu>
);
