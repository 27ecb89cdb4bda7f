import { Anchor, Box, Button, Group, Progress, Select, Stack, Text } from '@mantine/core';
import { IconStack3 } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { z } from 'zod';
import { formatCount } from '#contract/base/format-number.ts';
import { workStatuses } from '#contract/base/primitives.ts';
import { bulkOperationTypes } from '#contract/shapes/bulk-request.ts';
import { PageQuery } from '#contract/shapes/page.ts';
import { explain } from '#web/api/errors.ts';
import { listBulkRequestsOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import type { BulkRequest } from '#web/api/generated/types.gen.ts';
import { bulkWords, parametersInWords } from '#web/ui/bulk-words.ts';
import { DataTable, type DataTableColumn } from '#web/ui/data-table.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { useKeys } from '#web/ui/keyboard.tsx';
import { ListFoot } from '#web/ui/list-foot.tsx';
import page from '#web/ui/page.module.css';
import { PageHeader } from '#web/ui/page-header.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { StatusBadge, statusWord } from '#web/ui/status-badge.tsx';
import classes from './bulk.module.css';
import { BulkActions } from './bulk-actions.tsx';

const pageSizes = [25, 50, 100] as const;

/** State of the page that stands in its address. */
export const BulkListSearch = z.object({
  page: PageQuery.shape.page.unwrap().optional().catch(undefined),
  size: z
    .literal([...pageSizes])
    .optional()
    .catch(undefined),
  status: z.enum(workStatuses).optional().catch(undefined),
  type: z.enum(bulkOperationTypes).optional().catch(undefined),
});
export type BulkListSearch = z.infer<typeof BulkListSearch>;

export const bulkListOptions = ({ page = 1, size = 50, status, type }: BulkListSearch) => ({
  ...listBulkRequestsOptions({ query: { page, page_size: size, status, operationType: type } }),
  placeholderData: keepPreviousData,
});

const isUnfinished = ({ finishedAt }: BulkRequest) => finishedAt === null;

function Outcome({ each }: { each: BulkRequest }) {
  if (isUnfinished(each))
    return (
      <Group gap="xs" wrap="nowrap">
        <Progress value={each.progress * 100} size="sm" w={110} aria-label="Progress of the request" />
        <Text span inherit c="dimmed" className="numbers">
          {formatCount(each.completedCount + each.failedCount)} of {formatCount(each.totalCount)}
        </Text>
      </Group>
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
        <Anchor component={Link} to={`/bulk/${each.id}`} className={classes.name} c="inherit">
          {each.undoOf === null ? '' : 'Undo: '}
          {bulkWords[each.operationType].action}
        </Anchor>{' '}
        <Text span inherit c="dimmed">
          {parametersInWords(each)}
        </Text>
      </>
    ),
  },
  { key: 'status', title: 'Status', width: 130, render: ({ status }) => <StatusBadge status={status} /> },
  { key: 'outcome', title: 'Projects', width: 260, render: (each) => <Outcome each={each} /> },
  {
    key: 'createdAt',
    title: 'Requested',
    width: 120,
    render: ({ createdAt }) => <RelativeTime value={createdAt} />,
  },
  {
    key: 'actions',
    title: 'Actions',
    titleHidden: true,
    width: 270,
    align: 'right',
    render: (each) => <BulkActions request={each} size="compact-sm" />,
  },
];

interface BulkListPageProps {
  search: BulkListSearch;
  onSearch: (search: BulkListSearch) => void;
  onOpen: (id: string) => void;
}

/** The user's bulk requests, the newest first. */
export function BulkListPage({ search, onSearch, onOpen }: BulkListPageProps) {
  const list = useQuery(bulkListOptions(search));
  const count = list.data?.count ?? 0;
  const rows = list.data?.results ?? [];
  const [cursor, setCursor] = useState(-1);
  const step = (by: number) => setCursor((at) => Math.max(0, Math.min(rows.length - 1, at + by)));
  useKeys([
    { keys: 'j', label: 'Next row', group: 'Bulk requests', run: () => step(1) },
    { keys: 'k', label: 'Row before', group: 'Bulk requests', run: () => step(-1) },
    {
      keys: 'Enter',
      label: 'Open the row',
      group: 'Bulk requests',
      run: () => rows[cursor] && onOpen(rows[cursor].id),
    },
  ]);
  const isFiltered = search.status !== undefined || search.type !== undefined;
  return (
    <Stack gap={0} className={page.page}>
      <div className={page.head}>
        <PageHeader
          title="Bulk requests"
          aside={list.data === undefined ? undefined : formatCount(count)}
          actions={
            <>
              <Select
                size="xs"
                w={170}
                aria-label="Kind of request"
                placeholder="Any kind"
                data={bulkOperationTypes.map((type) => ({ value: type, label: bulkWords[type].action }))}
                value={search.type ?? null}
                onChange={(type) =>
                  onSearch({
                    ...search,
                    page: undefined,
                    type: bulkOperationTypes.find((each) => each === type),
                  })
                }
                clearable
                clearButtonProps={{ 'aria-label': 'Any kind' }}
              />
              <Select
                size="xs"
                w={150}
                aria-label="Status"
                placeholder="Any status"
                data={workStatuses.map((status) => ({ value: status, label: statusWord(status) }))}
                value={search.status ?? null}
                onChange={(status) =>
                  onSearch({
                    ...search,
                    page: undefined,
                    status: workStatuses.find((each) => each === status),
                  })
                }
                clearable
                clearButtonProps={{ 'aria-label': 'Any status' }}
              />
            </>
          }
        />
      </div>
      {list.isError ? (
        <Box p="md" maw={720}>
          <ProblemAlert {...explain(list.error)} onRetry={() => list.refetch()} />
        </Box>
      ) : (
        <DataTable
          caption="Bulk requests"
          columns={columns}
          rows={list.data?.results}
          keyOf={({ id }) => id}
          isStale={list.isPlaceholderData}
          cursor={cursor}
          onOpen={({ id }) => onOpen(id)}
          empty={
            isFiltered ? (
              <EmptyState
                title="No request is like this"
                action={
                  <Button variant="default" onClick={() => onSearch({ size: search.size })}>
                    Show all
                  </Button>
                }
              />
            ) : (
              <EmptyState
                icon={<IconStack3 size={32} stroke={1.3} aria-hidden />}
                title="No bulk requests yet"
              >
                Select projects in the list, or all that a filter finds, and archive, move, tag or copy them
                at once, run a recipe on them, or take their results away. What becomes of each stands here.
              </EmptyState>
            )
          }
        />
      )}
      <ListFoot search={search} onSearch={onSearch} count={count} pageSizes={pageSizes} />
    </Stack>
  );
}
