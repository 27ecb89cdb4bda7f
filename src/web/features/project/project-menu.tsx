import { ActionIcon, Menu, Text } from '@mantine/core';
import {
  IconArchive,
  IconArchiveOff,
  IconArrowMoveRight,
  IconCopy,
  IconDots,
  IconEdit,
  IconFileText,
  IconTrash,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { ProjectAction } from '#contract/shapes/project.ts';
import type { Project } from '#web/api/generated/types.gen.ts';
import { useCommands } from '#web/ui/commands.ts';
import { reasonAgainst } from './capability.ts';

export type MenuAction = 'edit' | 'archive' | 'restore' | 'copy' | 'move' | 'delete';

interface ProjectMenuProps {
  project: Project;
  onAction: (action: MenuAction) => void;
  /** asks for an inspection report */
  onReport: () => void;
}

interface Item {
  action: MenuAction & ProjectAction;
  label: string;
  icon: ComponentType<{ size?: number }>;
  color?: string;
}

const itemsOf = (state: string): Item[] => [
  { action: 'edit', label: 'Edit details…', icon: IconEdit },
  { action: 'copy', label: 'Copy…', icon: IconCopy },
  { action: 'move', label: 'Move…', icon: IconArrowMoveRight },
  state === 'active'
    ? { action: 'archive', label: 'Archive', icon: IconArchive }
    : { action: 'restore', label: 'Restore', icon: IconArchiveOff },
  { action: 'delete', label: 'Delete', icon: IconTrash, color: 'var(--sw-danger)' },
];

/** Everything that is done with the project as a whole; what can't be done says why. */
export function ProjectMenu({ project, onAction, onReport }: ProjectMenuProps) {
  const reportReason = reasonAgainst(project, 'export');
  useCommands([
    { label: 'Report on the project (PDF)', reason: reportReason, run: onReport },
    ...itemsOf(project.state).map(({ action, label }) => ({
      label: action === 'edit' ? 'Edit the details of the project' : `${label.replace('…', '')} the project`,
      reason: reasonAgainst(project, action),
      run: () => onAction(action),
    })),
  ]);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label="More actions" variant="default" size="md">
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconFileText size={15} aria-hidden />}
          disabled={reportReason !== null}
          onClick={onReport}
        >
          Report (PDF)
        </Menu.Item>
        {itemsOf(project.state).map(({ action, label, icon: Icon, color }) => {
          const reason = reasonAgainst(project, action);
          return (
            <Menu.Item
              key={action}
              leftSection={<Icon size={15} aria-hidden />}
              // As a colour of Mantine it would be too dark to be read in the dark theme.
              c={reason === null ? color : undefined}
              disabled={reason !== null}
              onClick={() => onAction(action)}
            >
              {label}
              {reason !== null && (
                <Text size="xs" maw={240}>
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
