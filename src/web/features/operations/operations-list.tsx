/** All operations of a project, newest first: progress, duration, stop and retry. */
import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { findTitle } from '#contract/analyses/registry.ts';
import { isUnfinished } from '#contract/base/primitives.ts';
import type { Operation, RetryInput } from '#web/api/generated/types.gen.ts';
import { notifyFailure } from '#web/api/notify-failure.ts';
import { createdColumn } from '#web/ui/created-column.tsx';
import { actionsColumn, type DataTableColumn } from '#web/ui/data-table.tsx';
import { Elapsed } from '#web/ui/elapsed.tsx';
import { List, type ListSearch } from '#web/ui/list-page.tsx';
import { spellOut } from '#web/ui/quantity.ts';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { WorkActions, WorkError, WorkProgress } from '#web/ui/work.tsx';
import { useCancelOperation, useRetryOperation } from './mutations.ts';
import { operationOptions, projectOperationsOptions } from './queries.ts';

interface OperationsListProps {
  projectId: string;
  search: ListSearch;
  onSearch: (search: ListSearch) => void;
  /** the operation named in the address; it is shown even if it is on another page */
  markedId?: string | undefined;
  /** why the user may not stop or retry work here; null = they may */
  reason: string | null;
  /** a form for the information that an upload lacks; submitting it continues the import */
  missingFieldsForm: (props: {
    operation: Operation;
    missing: readonly string[];
    isSending: boolean;
    onSend: (input: RetryInput) => void;
  }) => ReactNode;
  onShowDataObject: (dataObjectId: string) => void;
}

const findName = ({ operation }: Operation): string => findTitle(operation) ?? spellOut(operation);
/** The fields that a failed import needs. */
const listMissing = ({ status, error }: Operation): readonly string[] =>
  status === 'failed' ? (error?.missing ?? []) : [];

function Stage({ operation }: { operation: Operation }) {
  const { status, stage, progress, error } = operation;
  if (isUnfinished(status))
    return (
      <WorkProgress
        name={findName(operation).toLowerCase()}
        progress={progress}
        stage={stage ?? (status === 'pending' ? 'waiting for a worker' : '')}
      />
    );
  return error && <WorkError {...error} />;
}

function OperationActions(
  props: Pick<OperationsListProps, 'reason' | 'onShowDataObject'> & { operation: Operation },
) {
  const { operation, reason, onShowDataObject } = props;
  const { id, projectId, status, outputDataObjectIds } = operation;
  const cancel = useCancelOperation(projectId);
  const retry = useRetryOperation(projectId);
  const name = findName(operation).toLowerCase();
  const [output] = outputDataObjectIds;
  return (
    <WorkActions
      name={name}
      status={status}
      reason={reason}
      isPending={cancel.isPending || retry.isPending}
      onStop={() => cancel.mutate(id, { onError: notifyFailure })}
      onRetry={
        listMissing(operation).length > 0
          ? undefined
          : () => retry.mutate({ operationId: id }, { onError: notifyFailure })
      }
    >
      {output !== undefined && (
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => onShowDataObject(output)}
          aria-label={`Show the result of ${name}`}
        >
          Result
        </Button>
      )}
    </WorkActions>
  );
}

const columns: DataTableColumn<Operation>[] = [
  {
    key: 'operation',
    title: 'Operation',
    render: (operation) => (
      <>
        {findName(operation)}
        {typeof operation.parameters.fileName === 'string' && (
          <Text span inherit c="dimmed">
            {' '}
            {operation.parameters.fileName}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'status',
    title: 'Status',
    width: 125,
    render: (operation) =>
      listMissing(operation).length > 0 ? (
        <StatusBadge status="indeterminate" label="Needs input" />
      ) : (
        <StatusBadge status={operation.status} />
      ),
  },
  { key: 'stage', title: 'Stage', render: (operation) => <Stage operation={operation} /> },
  {
    key: 'elapsed',
    title: 'Duration',
    width: 115,
    render: (operation) => (
      <span className="numbers">
        <Elapsed {...operation} />
      </span>
    ),
  },
  { ...createdColumn, title: 'Requested', width: 130, room: 'some' },
];

export function OperationsList(props: OperationsListProps) {
  const { projectId, search, onSearch, markedId, reason, missingFieldsForm, onShowDataObject } = props;
  const list = useQuery(projectOperationsOptions(projectId, search));
  const retry = useRetryOperation(projectId);
  const isElsewhere =
    markedId !== undefined && list.isSuccess && !list.data.results.some(({ id }) => id === markedId);
  const marked = useQuery({ ...operationOptions(markedId ?? ''), enabled: isElsewhere }).data;
  const data =
    isElsewhere && marked?.projectId === projectId
      ? { ...list.data, results: [marked, ...list.data.results] }
      : list.data;
  return (
    <List
      caption="Operations of the project"
      list={{ ...list, data }}
      search={search}
      onSearch={onSearch}
      columns={[
        ...columns,
        {
          ...actionsColumn,
          width: 200,
          render: (operation) => (
            <OperationActions operation={operation} reason={reason} onShowDataObject={onShowDataObject} />
          ),
        },
      ]}
      isMarked={({ id }) => id === markedId}
      below={(operation) => {
        const missing = listMissing(operation);
        if (missing.length === 0 || reason !== null) return null;
        const onSend = (input: RetryInput) =>
          retry.mutate({ operationId: operation.id, input }, { onError: notifyFailure });
        return missingFieldsForm({ operation, missing, isSending: retry.isPending, onSend });
      }}
      onOpen={({ outputDataObjectIds: [output] }) => {
        if (output !== undefined) onShowDataObject(output);
      }}
      empty={{
        title: 'No operations yet',
        children: 'Imports and analyses appear here, with their progress.',
      }}
    />
  );
}
