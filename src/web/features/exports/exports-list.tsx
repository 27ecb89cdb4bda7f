import {
  ActionIcon,
  Button,
  Group,
  Progress,
  Skeleton,
  Stack,
  Table,
  Text,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconDownload, IconPlayerStop } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { formatNumber } from '#contract/base/format-number.ts';
import { isUnfinished } from '#contract/base/primitives.ts';
import { explain } from '#web/api/errors.ts';
import type { ProjectExport } from '#web/api/generated/types.gen.ts';
import { addressOf } from '#web/api/session-token.ts';
import { CopyId } from '#web/ui/copy-id.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { formatBytes } from '#web/ui/quantity.ts';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { useRowKeys } from '#web/ui/use-row-keys.ts';
import { contentsInWords } from './export-words.ts';
import { useCancelExport } from './mutations.ts';
import { projectExportsOptions } from './queries.ts';

const none: ProjectExport[] = [];

/** The project's exports, the newest first: how far, and the download with size, sum and end of life. */
export function ExportsList({ projectId, markedId }: { projectId: string; markedId?: string | undefined }) {
  const exports = useQuery(projectExportsOptions(projectId));
  useReadyToast(exports.data?.results);
  const cursor = useRowKeys({
    group: 'Exports',
    rows: exports.data?.results ?? none,
    onOpen: ({ url }) => {
      if (url !== null) window.location.assign(addressOf(url));
    },
  });
  if (exports.isPending)
    return (
      <Stack gap={6} aria-busy="true">
        <Skeleton height={36} />
        <Skeleton height={36} />
      </Stack>
    );
  if (exports.error && !exports.data)
    return <ProblemAlert {...explain(exports.error)} onRetry={() => void exports.refetch()} />;
  if (exports.data.results.length === 0)
    return (
      <EmptyState title="No exports yet">
        An export is one ZIP with the chosen data and a manifest of SHA-256 sums. Its address can be passed on
        and expires.
      </EmptyState>
    );
  return (
    <Table aria-label="Exports of the project">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={150}>Contents</Table.Th>
          <Table.Th w={115}>Status</Table.Th>
          <Table.Th miw={240}>Archive</Table.Th>
          <Table.Th w={140}>Requested</Table.Th>
          <Table.Th w={110}>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {exports.data.results.map((each, index) => (
          <ExportRow
            key={each.id}
            each={each}
            projectId={projectId}
            isAtCursor={index === cursor}
            isMarked={each.id === markedId}
          />
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface ExportRowProps {
  each: ProjectExport;
  projectId: string;
  isAtCursor: boolean;
  /** the address points at it */
  isMarked: boolean;
}

function ExportRow({ each, projectId, isAtCursor, isMarked }: ExportRowProps) {
  const cancel = useCancelExport(projectId);
  const running = isUnfinished(each.status);
  const size = each.sizeBytes === null ? null : formatBytes(each.sizeBytes);
  return (
    <Table.Tr data-cursor={isAtCursor || undefined} aria-current={isMarked || undefined}>
      <Table.Td>{contentsInWords(each.config)}</Table.Td>
      <Table.Td>
        <StatusBadge status={each.status} />
      </Table.Td>
      <Table.Td>
        {running ? (
          <Group gap="xs" wrap="nowrap">
            <Progress value={each.progress * 100} size="sm" w={120} aria-label="Progress of the export" />
            <Text span size="sm" className="numbers">
              {formatNumber(each.progress * 100, 0)}
              {'\u2009'}%
            </Text>
            <Text span size="sm" c="dimmed" truncate>
              {each.stage ?? ''}
            </Text>
          </Group>
        ) : each.error ? (
          <Text span size="sm" c="red" role="alert">
            {each.error.detail}
          </Text>
        ) : (
          <div>
            <Text
              size="sm"
              lineClamp={2}
              title={each.fileName ?? undefined}
              style={{ overflowWrap: 'anywhere' }}
            >
              {each.fileName ?? '–'}
            </Text>
            {each.sha256 !== null && (
              <Text size="xs" c="dimmed" component="div" style={{ whiteSpace: 'nowrap' }}>
                SHA-256 <CopyId value={each.sha256} what="SHA-256 of the archive" shown={16} />
              </Text>
            )}
          </div>
        )}
      </Table.Td>
      <Table.Td>
        <RelativeTime value={each.createdAt} />
        {each.expiresAt !== null && (
          <Text size="xs" c="dimmed" component="div">
            expires <RelativeTime value={each.expiresAt} />
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Group justify="flex-end" gap={4} wrap="nowrap">
          {running && (
            <Tooltip label="Stop">
              <ActionIcon
                size="sm"
                aria-label="Stop the export"
                loading={cancel.isPending}
                disabled={each.status === 'cancelling'}
                onClick={() => cancel.mutate(each.id)}
              >
                <IconPlayerStop size={14} aria-hidden />
              </ActionIcon>
            </Tooltip>
          )}
          {each.url !== null && (
            <Button
              component="a"
              href={addressOf(each.url)}
              download={each.fileName ?? true}
              variant="default"
              leftSection={<IconDownload size={14} aria-hidden />}
              aria-label={`Download ${each.fileName ?? 'the archive'}${size === null ? '' : `, ${size}`}`}
            >
              {size ?? 'Download'}
            </Button>
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

/** Says when an export that was seen running has ended. */
function useReadyToast(exports: readonly ProjectExport[] | undefined): void {
  const running = useRef(new Set<string>());
  useEffect(() => {
    for (const { id, status, error } of exports ?? []) {
      if (isUnfinished(status)) running.current.add(id);
      else if (running.current.delete(id)) {
        if (status === 'completed') notifications.show({ message: 'The export is ready to download' });
        if (status === 'failed')
          notifications.show({ color: 'red', title: 'The export failed', message: error?.detail ?? '' });
      }
    }
  }, [exports]);
}
