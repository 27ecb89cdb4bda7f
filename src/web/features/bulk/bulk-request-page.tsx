import { Anchor, Box, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { formatCount } from '#contract/base/format-number.ts';
import type { BulkItem, BulkRequest } from '#web/api/generated/types.gen.ts';
import { bulkWords, countProjects, describeOutcome, describeParameters } from '#web/ui/bulk-words.ts';
import type { DataTableColumn } from '#web/ui/data-table.tsx';
import { useCrumb } from '#web/ui/frame/breadcrumb.tsx';
import { formatMeasured, formatTolerance } from '#web/ui/limits.ts';
import { ListPage, statusFilter, verdictFilter } from '#web/ui/list-page.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { makeProjectColumn } from '#web/ui/project-column.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { StatusBadge, statusWord } from '#web/ui/status-badge.tsx';
import { WorkProgress } from '#web/ui/work.tsx';
import { BulkActions } from './bulk-actions.tsx';
import { type BulkItemsSearch, bulkItemsOptions, bulkRequestOptions } from './queries.ts';

interface ItemOutcomeProps {
  item: BulkItem;
  type: BulkRequest['operationType'] | undefined;
}

/** The outcome for one project; for a recipe it links to the run, with its gates and the viewer. */
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
        Open copy
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

const listColumns = (type: BulkRequest['operationType'] | undefined): DataTableColumn<BulkItem>[] => [
  makeProjectColumn(),
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
      <div aria-live="polite">
        {isOpen ? (
          <WorkProgress
            name="the request"
            progress={request.progress}
            width={180}
            label={`${bulkWords[request.operationType].doing}: ${formatCount(
              request.completedCount + request.failedCount,
            )} of ${countProjects(request.totalCount)}`}
          />
        ) : (
          <Text className="numbers">{describeOutcome(request)}</Text>
        )}
      </div>
      <Text c="dimmed" component="span">
        requested <RelativeTime value={request.createdAt} />
      </Text>
      {request.undoOf !== null && (
        <Anchor component={Link} to={`/bulk/${request.undoOf}`}>
          Undo of
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

interface BulkRequestPageProps {
  id: string;
  search: BulkItemsSearch;
  onSearch: (search: BulkItemsSearch) => void;
}

/** One bulk request: its progress, the outcome for each project, and its actions. */
export function BulkRequestPage({ id, search, onSearch }: BulkRequestPageProps) {
  const request = useQuery(bulkRequestOptions(id));
  const items = useQuery(bulkItemsOptions(id, search));
  const data = request.data;
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
  if (request.isError)
    return (
      <Box p="md">
        <ProblemAlert query={request} />
      </Box>
    );
  return (
    <ListPage
      title={title}
      aside={data && (describeParameters(data) || countProjects(data.totalCount))}
      caption="Outcome for each project"
      list={items}
      search={search}
      onSearch={onSearch}
      columns={listColumns(data?.operationType)}
      getKey={({ projectId }) => projectId}
      filters={[
        ...(data?.operationType === 'runRecipe' ? [{ ...verdictFilter, label: 'Run verdict' }] : []),
        { ...statusFilter, label: 'Status of the projects' },
      ]}
      actions={data && <BulkActions request={data} showsAll />}
      onOpen={open}
      noMatch="No projects match"
      empty={{ title: 'No projects' }}
    >
      {data && <Summary request={data} />}
    </ListPage>
  );
}
