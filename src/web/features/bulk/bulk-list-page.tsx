import { Text } from '@mantine/core';
import { IconStack3 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatCount } from '#contract/base/format-number.ts';
import { bulkOperationTypes } from '#contract/shapes/bulk-request.ts';
import type { BulkRequest } from '#web/api/generated/types.gen.ts';
import { bulkWords, describeParameters } from '#web/ui/bulk-words.ts';
import { createdColumn } from '#web/ui/created-column.tsx';
import { actionsColumn, type DataTableColumn, linkClass } from '#web/ui/data-table.tsx';
import { ListPage, statusFilter } from '#web/ui/list-page.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { WorkProgress } from '#web/ui/work.tsx';
import { BulkActions } from './bulk-actions.tsx';
import { type BulkListSearch, bulkListOptions } from './queries.ts';

function Outcome({ each }: { each: BulkRequest }) {
  if (each.finishedAt === null)
    return (
      <WorkProgress
        name="the request"
        progress={each.progress}
        label={`${formatCount(each.completedCount + each.failedCount)} of ${formatCount(each.totalCount)}`}
      />
    );
  return (
    <Text span inherit className="numbers">
      {formatCount(each.completedCount)} of {formatCount(each.totalCount)}
      {each.failedCount > 0 && (
        <Text span inherit c="var(--mantine-color-text)">
          {', '}
          {formatCount(each.failedCount)} failed
        </Text>
      )}
      {each.cancelledCount > 0 && `, ${formatCount(each.cancelledCount)} stopped`}
    </Text>
  );
}

const columns: DataTableColumn<BulkRequest>[] = [
  {
    key: 'what',
    title: 'Request',
    render: (each) => (
      <>
        <Link to="/bulk/$bulkRequestId" params={{ bulkRequestId: each.id }} className={linkClass}>
          {each.undoOf === null ? '' : 'Undo: '}
          {bulkWords[each.operationType].action}
        </Link>{' '}
        <Text span inherit c="dimmed">
          {describeParameters(each)}
        </Text>
      </>
    ),
  },
  { key: 'status', title: 'Status', width: 115, render: ({ status }) => <StatusBadge status={status} /> },
  { key: 'outcome', title: 'Projects', width: 200, render: (each) => <Outcome each={each} /> },
  { ...createdColumn, title: 'Requested', room: 'some' },
  {
    ...actionsColumn,
    width: 270,
    render: (each) => <BulkActions request={each} size="compact-sm" />,
  },
];

interface BulkListPageProps {
  search: BulkListSearch;
  onSearch: (search: BulkListSearch) => void;
  onOpen: (id: string) => void;
}

/** The user's bulk requests, newest first. */
export function BulkListPage({ onOpen, ...rest }: BulkListPageProps) {
  return (
    <ListPage
      {...rest}
      title="Bulk requests"
      list={useQuery(bulkListOptions(rest.search))}
      columns={columns}
      filters={[typeFilter, statusFilter]}
      onOpen={({ id }) => onOpen(id)}
      empty={{
        icon: <IconStack3 size={32} stroke={1.3} aria-hidden />,
        title: 'No bulk requests yet',
        children:
          'Select projects in the list, or everything that a filter finds, to archive, move, tag or copy them, run a recipe on them, or download their results. Progress and results appear here.',
      }}
    />
  );
}

const typeFilter = {
  key: 'type',
  label: 'Request type',
  any: 'Any kind',
  width: 170,
  options: bulkOperationTypes.map((value) => ({ value, label: bulkWords[value].action })),
};
