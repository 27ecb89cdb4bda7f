import { CloseButton, Group, Text, Tooltip } from '@mantine/core';
import {
  IconArchive,
  IconArchiveOff,
  IconColumns,
  IconCopy,
  IconDownload,
  IconFolderSymlink,
  IconLinkOff,
  IconPlayerPlay,
  IconTag,
  IconTagOff,
  IconTrash,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { formatCount } from '#contract/base/format-number.ts';
import type { ProjectAction as Capability, Project } from '#contract/shapes/project.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { rightToEach } from './capability.ts';
import { pickedAtMost } from './list-search.ts';
import classes from './selection-bar.module.css';

export type BulkAction =
  | 'addTags'
  | 'removeTags'
  | 'copy'
  | 'move'
  | 'archive'
  | 'restore'
  | 'delete'
  | 'runRecipe'
  | 'downloadResults';

interface Entry {
  action: BulkAction;
  capability: Capability;
  label: string;
  icon: ComponentType<{ size?: number }>;
  inTrash: boolean;
}

const entries: Entry[] = [
  {
    action: 'runRecipe',
    capability: 'runRecipe',
    label: 'Run recipe…',
    icon: IconPlayerPlay,
    inTrash: false,
  },
  {
    action: 'downloadResults',
    capability: 'export',
    label: 'Results…',
    icon: IconDownload,
    inTrash: false,
  },
  { action: 'addTags', capability: 'edit', label: 'Tag…', icon: IconTag, inTrash: false },
  { action: 'removeTags', capability: 'edit', label: 'Untag…', icon: IconTagOff, inTrash: false },
  { action: 'move', capability: 'move', label: 'Move…', icon: IconFolderSymlink, inTrash: false },
  { action: 'copy', capability: 'copy', label: 'Copy…', icon: IconCopy, inTrash: false },
  { action: 'archive', capability: 'archive', label: 'Archive', icon: IconArchive, inTrash: false },
  { action: 'restore', capability: 'restore', label: 'Restore', icon: IconArchiveOff, inTrash: true },
  { action: 'delete', capability: 'delete', label: 'Delete', icon: IconTrash, inTrash: false },
];

const whyNotInAddress = `Only ${pickedAtMost} can be kept in the address: reloading the page clears this selection`;

interface SelectionBarProps {
  count: number;
  /** number of projects that the query finds */
  total: number;
  /** false if too many projects are selected for a link */
  isInAddress: boolean;
  /** null if all results of the query are selected: the service then reports on each project */
  projects: Project[] | null;
  isTrash: boolean;
  isBusy: boolean;
  onSelectAll: () => void;
  onClear: () => void;
  onAction: (action: BulkAction) => void;
  /** opens the selected projects side by side */
  onCompare: (projectIds: string[]) => void;
}

/** A comparison needs at least two; more than nine can't be distinguished on a screen. */
const comparable = [2, 9] as const;

const reasonAgainstCompare = (count: number): string | null =>
  count >= comparable[0] && count <= comparable[1]
    ? null
    : `Select ${comparable[0]} to ${comparable[1]} projects`;

/** The number of selected projects and the actions on them; a disabled action states the reason. */
export function SelectionBar(props: SelectionBarProps) {
  const { count, total, isInAddress, projects, isTrash, isBusy, onSelectAll, onClear, onAction, onCompare } =
    props;
  return (
    <Group
      className={classes.bar}
      justify="space-between"
      gap="6px var(--mantine-spacing-md)"
      role="region"
      aria-label="Selection"
    >
      <Group gap="xs" wrap="nowrap">
        <CloseButton size="sm" aria-label="Clear the selection" onClick={onClear} />
        <Text size="md" className="numbers" style={{ whiteSpace: 'nowrap' }} aria-live="polite">
          <b>{formatCount(count)}</b> selected of {formatCount(total)}
        </Text>
        {count < total && (
          <ActionButton variant="subtle" size="compact-sm" onClick={onSelectAll}>
            {`Select all ${formatCount(total)}`}
          </ActionButton>
        )}
        {!isInAddress && (
          <Tooltip label={whyNotInAddress} multiline maw={300}>
            <IconLinkOff size={16} role="img" aria-label={whyNotInAddress} tabIndex={0} />
          </Tooltip>
        )}
      </Group>
      <Group gap={6}>
        {!isTrash && (
          <ActionButton
            variant="default"
            leftSection={<IconColumns size={14} aria-hidden />}
            classNames={{ section: classes.icon }}
            reason={projects === null ? 'Select them one by one' : reasonAgainstCompare(count)}
            onClick={() => onCompare((projects ?? []).map(({ id }) => id))}
          >
            Compare…
          </ActionButton>
        )}
        {entries
          .filter(({ inTrash }) => !isTrash || inTrash)
          .map(({ action, capability, label, icon: Icon }) => {
            const right = projects === null ? { count, reason: null } : rightToEach(projects, capability);
            const some =
              right.count < count && right.count > 0
                ? `${formatCount(right.count)} of ${formatCount(count)} allow it`
                : null;
            const why = isBusy ? 'Wait until the current request has finished' : (right.reason ?? some);
            const isOff = isBusy || right.reason !== null;
            return (
              <ActionButton
                key={action}
                variant="default"
                leftSection={<Icon size={14} aria-hidden />}
                classNames={{ section: classes.icon }}
                reason={isOff ? why : null}
                title={isOff ? undefined : (some ?? undefined)}
                onClick={() => onAction(action)}
              >
                {label}
              </ActionButton>
            );
          })}
      </Group>
    </Group>
  );
}
