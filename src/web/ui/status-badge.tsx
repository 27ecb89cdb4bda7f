import { Group, Text } from '@mantine/core';
import {
  IconAlertTriangle,
  IconBan,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClock,
  IconHelpCircle,
  IconLoader2,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { spellOut } from './quantity.ts';
import classes from './status-badge.module.css';

/** Green and red mean a verdict, nothing else. */
export type Meaning = 'pass' | 'fail' | 'indeterminate' | 'running' | 'problem' | 'quiet';

interface Look {
  meaning: Meaning;
  label: string;
  icon: ComponentType<{ size?: number; className?: string }>;
}

const looks: Record<string, Look> = {
  pending: { meaning: 'quiet', label: 'Waiting', icon: IconClock },
  processing: { meaning: 'running', label: 'Running', icon: IconLoader2 },
  cancelling: { meaning: 'running', label: 'Stopping', icon: IconLoader2 },
  completed: { meaning: 'quiet', label: 'Completed', icon: IconCircleCheck },
  failed: { meaning: 'problem', label: 'Failed', icon: IconAlertTriangle },
  cancelled: { meaning: 'quiet', label: 'Stopped', icon: IconBan },
  notStarted: { meaning: 'quiet', label: 'Not started', icon: IconCircleDashed },
  pass: { meaning: 'pass', label: 'Pass', icon: IconCircleCheck },
  fail: { meaning: 'fail', label: 'Fail', icon: IconCircleX },
  indeterminate: { meaning: 'indeterminate', label: 'Indeterminate', icon: IconHelpCircle },
};

interface StatusBadgeProps {
  /** status of work, or a verdict; an unknown value is shown as it is */
  status: string;
  /** replaces the usual label of the status */
  label?: string;
}

/** Colour is never the only cue: an icon and a word are beside it. */
export function StatusBadge({ status, label }: StatusBadgeProps) {
  const look = looks[status] ?? { meaning: 'quiet', label: status, icon: IconHelpCircle };
  const Icon = look.icon;
  return (
    <Group
      component="span"
      display="inline-flex"
      gap={5}
      align="baseline"
      wrap="nowrap"
      className={classes.badge}
      data-meaning={look.meaning}
      data-status={status}
    >
      <Icon size={14} className={look.icon === IconLoader2 ? classes.turning : undefined} aria-hidden />
      <Text span inherit truncate>
        {label ?? look.label}
      </Text>
    </Group>
  );
}

/** The usual label of a status, or the value spelled out. */
export const statusWord = (status: string): string => looks[status]?.label ?? spellOut(status);
