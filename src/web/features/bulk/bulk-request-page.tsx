import { Anchor, Box, Button, Group, Progress, Select, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { z } from 'zod';
import { formatCount } from '#contract/base/format-number.ts';
import { workStatuses } from '#contract/base/primitives.ts';
import { Verdict } from '#contract/metadata/verdict.ts';
import { PageQuery } from '#contract/shapes/page.ts';
import { explain } from '#web/api/errors.ts';
import {
  listBulkItemsOptions,
  readBulkRequestOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import type { BulkItem, BulkRequest } from '#web/api/generated/types.gen.ts';
import { bulkWords, countProjects, outcomeInWords, parametersInWords } from '#web/ui/bulk-words.ts';
import { DataTable, type DataTableColumn } from '#web/ui/data-table.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { useCrumb } from '#web/ui/frame/breadcrumb.tsx';
import { formatMeasured, formatTolerance } from '#web/ui/limits.ts';
import { ListFoot } from '#web/ui/list-foot.tsx';
import page from '#web/ui/page.module.css';
import { PageHeader } from '#web/ui/page-header.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { StatusBadge, statusWord } from '#web/ui/status-badge.tsx';
import { useRowKeys } from '#web/ui/use-row-keys.ts';
import classes from './bulk.module.css';
import { BulkActions } from './bulk-actions.tsx';

const pageSizes = [25, 50, 100, 200] as const;

export const BulkItemsSearch = z.object({
  page: PageQuery.shape.page.unwrap().optional().catch(undefined),
  size: z
    .literal([...pageSizes])
    .optional()
    .catch(undefined),
  status: z.enum(workStatuses).optional().catch(undefined),
  /** of the run of a recipe */
  verdict: Verdict.optional().catch(undefined),
});
export type BulkItemsSearch = z.infer<typeof BulkItemsSearch>;

export const bulkRequestOptions = (id: string) => readBulkRequestOptions({ path: { bulk_request_id: id } });
export const bulkItemsOptions = (id: string, { page = 1, size = 50, status, verdict }: BulkItemsSearch) => ({
  ...listBulkItemsOptions({
    path: { bulk_request_id: id },
    query: { page, page_size: size, status, verdict },
  }),
  placeholderData: keepPreviousData,
});

interface ItemOutcomeProps {
  item: BulkItem;
  type: BulkRequest['operationType'] | undefined;
}

/** What became of the project; the run of the recipe, with its gates and its way into the viewer, is one click away. */
function ItemOutcome({ item, type }: ItemOutcomeProps) {
  const result = <ItemResult item={item} type={type} />;
  if (item.invocationId === null) return result;
  return (
    <Group gap="md" wrap="nowrap">
      {result}
      <Anchor
        component={Link}
        to={`/recipes/runs/${item.invocationId}`}
        inherit
        style={{ flex: 'none' }}
        aria-label={`Open the run on ${item.projectName ?? item.projectId}`}
      >
        Open the run
      </Anchor>
    </Group>
  );
}

function ItemResult({ item, type }: ItemOutcomeProps) {
  if (item.error !== null)
    return (
      <Text span inherit style={{ whiteSpace: 'normal' }}>
        {type === 'runRecipe' && 'Could not run: '}
        {item.error.detail}
      </Text>
    );
  if (item.unchanged)
    return (
      <Text span inherit c="dimmed">
        nothing to change
      </Text>
    );
  if (item.copyId !== null)
    return (
      <Anchor component={Link} to={`/projects/${item.copyId}`} inherit>
        Open the copy
      </Anchor>
    );
  if (item.verdict !== null)
    return (
      <StatusBadge
        status={item.verdict}
        label={item.worstGate === null ? undefined : describeGate(item.verdict, item.worstGate)}
      />
    );
  return item.status === 'completed' && type !== undefined ? bulkWords[type].done : null;
}

/** `Fail · Porosity 1.82 %, tolerance ≤ 1 %` */
const describeGate = (verdict: string, gate: NonNullable<BulkItem['worstGate']>): string =>
  `${statusWord(verdict)} · ${gate.name} ${formatMeasured(gate)}, tolerance ${formatTolerance(gate)}`;

const columnsOf = (type: BulkRequest['operationType'] | undefined): DataTableColumn<BulkItem>[] => [
  {
    key: 'project',
    title: 'Project',
    render: ({ projectId, projectName }) =>
      projectName === null ? (
        <Text span inherit c="dimmed">
          {projectId}
        </Text>
      ) : (
        <Anchor component={Link} to={`/projects/${projectId}`} className={classes.name} c="inherit">
          {projectName}
        </Anchor>
      ),
  },
  { key: 'status', title: 'Status', width: 120, render: ({ status }) => <StatusBadge status={status} /> },
  {
    key: 'outcome',
    title: 'Outcome',
    width: '55%',
    render: (item) => <ItemOutcome item={item} type={type} />,
  },
];

function Summary({ request }: { request: BulkRequest }) {
  const isOpen = request.finishedAt === null;
  return (
    <Group gap="lg" mt={8} wrap="wrap">
      <StatusBadge status={request.status} />
      {isOpen && (
        <Progress value={request.progress * 100} size="sm" w={180} aria-label="Progress of the request" />
      )}
      <Text className="numbers" aria-live="polite">
        {isOpen
          ? `${bulkWords[request.operationType].doing}: ${formatCount(
              request.completedCount + request.failedCount,
            )} of ${countProjects(request.totalCount)}`
          : outcomeInWords(request)}
      </Text>
      <Text c="dimmed" component="span">
        requested <RelativeTime value={request.createdAt} />
      </Text>
      {request.undoOf !== null && (
        <Anchor component={Link} to={`/bulk/${request.undoOf}`}>
          What it takes back
        </Anchor>
      )}
      {request.undoneBy !== null && (
        <Anchor component={Link} to={`/bulk/${request.undoneBy}`}>
          Its undo
        </Anchor>
      )}
      {request.downloadUrl !== null && (
        <Text c="dimmed" component="span">
          archive expires <RelativeTime value={request.downloadExpiresAt} />
        </Text>
      )}
      {request.error !== null && <Text role="alert">{request.error.detail}</Text>}
    </Group>
  );
}

const none: BulkItem[] = [];

interface BulkRequestPageProps {
  id: string;
  search: BulkItemsSearch;
  onSearch: (search: BulkItemsSearch) => void;
}

/** One bulk request: how far it is, what became of each project, and what can be done about it. */
export function BulkRequestPage({ id, search, onSearch }: BulkRequestPageProps) {
  const request = useQuery(bulkRequestOptions(id));
  const items = useQuery(bulkItemsOptions(id, search));
  const data = request.data;
  const count = items.data?.count ?? 0;
  const title =
    data === undefined
      ? 'Bulk request'
      : `${data.undoOf === null ? '' : 'Undo: '}${bulkWords[data.operationType].action}`;
  useCrumb(title);
  const navigate = useNavigate();
  const open = ({ projectId, projectName, invocationId }: BulkItem) => {
    if (invocationId !== null) void navigate({ to: '/recipes/runs/$runId', params: { runId: invocationId } });
    else if (projectName !== null) void navigate({ to: '/projects/$projectId', params: { projectId } });
  };
  const cursor = useRowKeys({
    group: 'Projects of the request',
    rows: items.data?.results ?? none,
    onOpen: open,
  });
  if (request.isError)
    return (
      <Box p="md" maw={720}>
        <ProblemAlert {...explain(request.error)} onRetry={() => request.refetch()} />
      </Box>
    );
  return (
    <Stack gap={0} className={page.page}>
      <div className={page.head}>
        <PageHeader
          title={title}
          aside={data === undefined ? undefined : parametersInWords(data) || countProjects(data.totalCount)}
          actions={
            <>
              {data?.operationType === 'runRecipe' && (
                <Select
                  size="xs"
                  w={150}
                  aria-label="Verdict of the runs"
                  placeholder="Any verdict"
                  data={Verdict.options.map((verdict) => ({ value: verdict, label: statusWord(verdict) }))}
                  value={search.verdict ?? null}
                  onChange={(verdict) =>
                    onSearch({
                      ...search,
                      page: undefined,
                      verdict: Verdict.options.find((each) => each === verdict),
                    })
                  }
                  clearable
                  clearButtonProps={{ 'aria-label': 'Any verdict' }}
                />
              )}
              <Select
                size="xs"
                w={150}
                aria-label="Status of the projects"
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
              {data !== undefined && <BulkActions request={data} showsAll />}
            </>
          }
        />
        {data !== undefined && <Summary request={data} />}
      </div>
      {items.isError ? (
        <Box p="md" maw={720}>
          <ProblemAlert {...explain(items.error)} onRetry={() => items.refetch()} />
        </Box>
      ) : (
        <DataTable
          caption="Outcome for each project"
          columns={columnsOf(data?.operationType)}
          rows={items.data?.results}
          keyOf={({ projectId }) => projectId}
          isStale={items.isPlaceholderData}
          cursor={cursor}
          onOpen={open}
          empty={
            <EmptyState
              title={
                search.verdict === undefined
                  ? 'No project of it has this status'
                  : 'No project of it is like this'
              }
              action={
                <Button variant="default" onClick={() => onSearch({ size: search.size })}>
                  Show all
                </Button>
              }
            />
          }
        />
      )}
      <ListFoot search={search} onSearch={onSearch} count={count} pageSizes={pageSizes} />
    </Stack>
  );
}
