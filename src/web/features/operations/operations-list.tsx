import {
  ActionIcon,
  Button,
  Group,
  Pagination,
  Progress,
  Skeleton,
  Stack,
  Table,
  Text,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core';
import { IconPlayerStop, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { findTitle } from '#contract/analyses/registry.ts';
import { formatNumber } from '#contract/base/format-number.ts';
import { isUnfinished } from '#contract/base/primitives.ts';
import { explain } from '#web/api/errors.ts';
import type { Operation, RetryInput } from '#web/api/generated/types.gen.ts';
import { notifyFailure } from '#web/api/notify-failure.ts';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { spellOut } from '#web/ui/quantity.ts';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { useRowKeys } from '#web/ui/use-row-keys.ts';
import { Elapsed } from './elapsed.tsx';
import { useCancelOperation, useRetryOperation } from './mutations.ts';
import { operationOptions, projectOperationsOptions } from './queries.ts';

interface OperationsListProps {
  projectId: string;
  page: number;
  onPage: (page: number) => void;
  /** the operation that the address points at: it stands there even when it is on another page */
  markedId?: string | undefined;
  /** why the caller may not stop or repeat work here; null = he may */
  reason: string | null;
  /** asks for what an upload lacks; what it gives goes on with the ingest */
  missingFieldsForm: (props: {
    operation: Operation;
    missing: readonly string[];
    isSending: boolean;
    onSend: (input: RetryInput) => void;
  }) => ReactNode;
  onShowDataObject: (dataObjectId: string) => void;
}

const none: Operation[] = [];

/** Everything that was done in this project, the newest first: how far, how long, stop and repeat. */
export function OperationsList({ projectId, page, onPage, markedId, ...row }: OperationsListProps) {
  const operations = useQuery(projectOperationsOptions(projectId, page));
  const isElsewhere =
    markedId !== undefined &&
    operations.isSuccess &&
    !operations.data.results.some(({ id }) => id === markedId);
  const marked = useQuery({ ...operationOptions(markedId ?? ''), enabled: isElsewhere });
  const rows =
    isElsewhere && marked.data?.projectId === projectId
      ? [marked.data, ...operations.data.results]
      : (operations.data?.results ?? none);
  const cursor = useRowKeys({
    group: 'Operations',
    rows,
    onOpen: ({ outputDataObjectIds: [output] }) => {
      if (output !== undefined) row.onShowDataObject(output);
    },
  });
  if (operations.isPending)
    return (
      <Stack gap={6} aria-busy="true">
        {['a', 'b', 'c', 'd'].map((key) => (
          <Skeleton key={key} height={36} />
        ))}
      </Stack>
    );
  if (operations.error && !operations.data)
    return <ProblemAlert {...explain(operations.error)} onRetry={() => void operations.refetch()} />;
  const { count } = operations.data;
  if (rows.length === 0)
    return (
      <EmptyState title="Nothing has been done here yet">
        Uploads that are read and analyses that run appear here, with their progress.
      </EmptyState>
    );
  return (
    <Stack gap="sm">
      <Table.ScrollContainer minWidth={860}>
        <Table aria-label="Operations of the project" highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Operation</Table.Th>
              <Table.Th w={140}>Status</Table.Th>
              <Table.Th>Stage</Table.Th>
              <Table.Th w={200}>Elapsed</Table.Th>
              <Table.Th w={140}>Started</Table.Th>
              <Table.Th w={200}>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((operation, index) => (
              <OperationRow
                key={operation.id}
                operation={operation}
                projectId={projectId}
                isAtCursor={index === cursor}
                isMarked={operation.id === markedId}
                {...row}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {count > 50 && (
        <Pagination total={Math.ceil(count / 50)} value={page} onChange={onPage} size="sm" withEdges />
      )}
    </Stack>
  );
}

function OperationRow({
  operation,
  projectId,
  reason,
  missingFieldsForm,
  onShowDataObject,
  isAtCursor,
  isMarked,
}: Omit<OperationsListProps, 'page' | 'onPage' | 'markedId'> & {
  operation: Operation;
  isAtCursor: boolean;
  isMarked: boolean;
}) {
  const cancel = useCancelOperation(projectId);
  const retry = useRetryOperation(projectId);
  const title = findTitle(operation.operation) ?? spellOut(operation.operation);
  const running = isUnfinished(operation.status);
  const { error } = operation;
  const missing = operation.status === 'failed' ? (error?.missing ?? []) : [];
  const canRepeat =
    (operation.status === 'failed' || operation.status === 'cancelled') && missing.length === 0;
  const sourceName = typeof operation.parameters.fileName === 'string' ? operation.parameters.fileName : null;
  const send = (input?: RetryInput) =>
    retry.mutate({ operationId: operation.id, input }, { onError: notifyFailure });
  return (
    <>
      <Table.Tr data-cursor={isAtCursor || undefined} aria-current={isMarked || undefined}>
        <Table.Td>
          {title}
          {sourceName !== null && (
            <Text span inherit c="dimmed">
              {' '}
              {sourceName}
            </Text>
          )}
        </Table.Td>
        <Table.Td>
          {missing.length > 0 ? (
            <StatusBadge status="indeterminate" label="Needs input" />
          ) : (
            <StatusBadge status={operation.status} />
          )}
        </Table.Td>
        <Table.Td>
          {running ? (
            <Group gap="xs" wrap="nowrap">
              <Progress
                value={operation.progress * 100}
                size="sm"
                w={140}
                aria-label={`Progress of ${title.toLowerCase()}`}
              />
              <Text span size="sm" className="numbers">
                {formatNumber(operation.progress * 100, 0)}
                {'\u2009'}%
              </Text>
              <Text span size="sm" c="dimmed" truncate>
                {operation.stage ?? (operation.status === 'pending' ? 'waiting for a worker' : '')}
              </Text>
            </Group>
          ) : error ? (
            <Text span size="sm" c="red" style={{ overflowWrap: 'anywhere' }} role="alert">
              {error.detail}
            </Text>
          ) : null}
        </Table.Td>
        <Table.Td className="numbers">
          <Elapsed {...operation} />
        </Table.Td>
        <Table.Td>
          <RelativeTime value={operation.createdAt} />
        </Table.Td>
        <Table.Td>
          <Group gap={4} justify="flex-end" wrap="nowrap">
            {operation.outputDataObjectIds.length > 0 && (
              <Button
                variant="subtle"
                size="compact-xs"
                onClick={() => onShowDataObject(operation.outputDataObjectIds[0])}
                aria-label={`Show the result of ${title.toLowerCase()}`}
              >
                Result
              </Button>
            )}
            {canRepeat && (
              <Tooltip label={reason ?? 'Run it again'}>
                <Button
                  variant="subtle"
                  size="compact-xs"
                  leftSection={<IconRefresh size={13} aria-hidden />}
                  loading={retry.isPending}
                  data-disabled={reason !== null || undefined}
                  aria-disabled={reason !== null || undefined}
                  aria-description={reason ?? undefined}
                  onClick={() => reason === null && send()}
                >
                  Retry
                </Button>
              </Tooltip>
            )}
            {running && (
              <Tooltip label={reason ?? 'Stop'}>
                <ActionIcon
                  aria-label={`Stop ${title.toLowerCase()}`}
                  size="sm"
                  loading={cancel.isPending}
                  disabled={operation.status === 'cancelling'}
                  data-disabled={reason !== null || undefined}
                  aria-disabled={reason !== null || undefined}
                  aria-description={reason ?? undefined}
                  onClick={() => reason === null && cancel.mutate(operation.id, { onError: notifyFailure })}
                >
                  <IconPlayerStop size={14} aria-hidden />
                </ActionIcon>
              </Tooltip>
            )}
          </Group>
        </Table.Td>
      </Table.Tr>
      {missing.length > 0 && reason === null && (
        <Table.Tr>
          <Table.Td colSpan={6}>
            {missingFieldsForm({ operation, missing, isSending: retry.isPending, onSend: send })}
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}
