/** What every list of work shows in a row: progress and actions. */
import { Button, Group, Progress, Text } from '@mantine/core';
import { IconDownload, IconPlayerStop, IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { isUnfinished, type WorkStatus } from '#contract/base/primitives.ts';
import { ActionButton } from './action-button.tsx';
import { wrapClass } from './data-table.tsx';
import { formatBytes, formatProgress } from './quantity.ts';

interface WorkProgressProps {
  /** what the progress is of, for screen readers: `the export` */
  name: string;
  /** 0 to 1 */
  progress: number;
  /** beside the bar; by default the percentage and the stage */
  label?: ReactNode;
  stage?: string | null;
  width?: number;
}

/** `▬▬▭▭ 43 % Reading` */
export function WorkProgress({ name, progress, label, stage, width = 120 }: WorkProgressProps) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Progress value={progress * 100} size="sm" w={width} flex="none" aria-label={`Progress of ${name}`} />
      <Text span inherit c="dimmed" truncate className="numbers">
        {label ?? `${formatProgress(progress)} ${stage ?? ''}`.trim()}
      </Text>
    </Group>
  );
}

/** Why the work failed, wrapped over as many lines as needed. */
export const WorkError = ({ detail }: { detail: string }) => (
  <Text span inherit c="var(--mantine-color-text)" className={wrapClass} role="alert">
    {detail}
  </Text>
);

interface WorkActionsProps {
  /** what the actions apply to, for screen readers: `the export` */
  name: string;
  status: WorkStatus;
  /** why the user may not do this; null = they may */
  reason?: string | null;
  isPending?: boolean;
  onStop?: () => void;
  /** for failed or stopped work */
  onRetry?: () => void;
  /** for work with parts to retry, whatever its overall status: `Retry 2 failed` */
  retryLabel?: string;
  download?: { href: string; fileName?: string | null; sizeBytes: number | null };
  size?: 'compact-sm' | 'xs';
  /** further actions */
  children?: ReactNode;
}

/** Buttons: stop running work, retry failed work, download the result. */
export function WorkActions(props: WorkActionsProps) {
  const { name, status, reason, isPending, onStop, onRetry, retryLabel, download, children } = props;
  const { size = 'compact-sm' } = props;
  const common = { variant: 'default', size, loading: isPending };
  const isStopping = status === 'cancelling';
  const bytes = download && download.sizeBytes !== null ? formatBytes(download.sizeBytes) : 'Download';
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      {children}
      {onStop !== undefined && isUnfinished(status) && (
        <ActionButton
          {...common}
          reason={reason}
          leftSection={<IconPlayerStop size={13} aria-hidden />}
          aria-label={isStopping ? undefined : `Stop ${name}`}
          disabled={isStopping}
          onClick={onStop}
        >
          {isStopping ? 'Stopping' : 'Stop'}
        </ActionButton>
      )}
      {onRetry !== undefined && (retryLabel || status === 'failed' || status === 'cancelled') && (
        <ActionButton
          {...common}
          reason={reason}
          leftSection={<IconRefresh size={13} aria-hidden />}
          aria-label={retryLabel === undefined ? `Retry ${name}` : undefined}
          onClick={onRetry}
        >
          {retryLabel ?? 'Retry'}
        </ActionButton>
      )}
      {download && (
        <Button
          component="a"
          href={download.href}
          download={download.fileName ?? true}
          variant="default"
          size={size}
          leftSection={<IconDownload size={13} aria-hidden />}
          aria-label={`Download ${download.fileName ?? name}, ${bytes}`}
        >
          {bytes}
        </Button>
      )}
    </Group>
  );
}
