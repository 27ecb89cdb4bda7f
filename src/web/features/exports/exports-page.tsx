import { Box, Button, Group, Progress, Select, Stack, Text, Tooltip } from '@mantine/core';
import { IconDownload, IconFileZip, IconPlayerStop } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { z } from 'zod';
import { formatCount } from '#contract/base/format-number.ts';
import { isUnfinished, workStatuses } from '#contract/base/primitives.ts';
import { PageQuery } from '#contract/shapes/page.ts';
import { explain } from '#web/api/errors.ts';
import { listExportsOptions, readProjectOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import type { ProjectExport } from '#web/api/generated/types.gen.ts';
import { addressOf } from '#web/api/session-token.ts';
import { DataTable, type DataTableColumn } from '#web/ui/data-table.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ListFoot } from '#web/ui/list-foot.tsx';
import page from '#web/ui/page.module.css';
import { PageHeader } from '#web/ui/page-header.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { formatBytes } from '#web/ui/quantity.ts';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { StatusBadge, statusWord } from '#web/ui/status-badge.tsx';
import { useRowKeys } from '#web/ui/use-row-keys.ts';
import { contentsInWords } from './export-words.ts';
import classes from './exports-page.module.css';
import { useCancelExport } from './mutations.ts';

const pageSizes = [25, 50, 100] as const;

/** State of the page that stands in its address. */
export const ExportSearch = z.object({
  page: PageQuery.shape.page.unwrap().optional().catch(undefined),
  size: z
    .literal([...pageSizes])
    .optional()
    .catch(undefined),
  status: z.enum(workStatuses).optional().catch(undefined),
});
export type ExportSearch = z.infer<typeof ExportSearch>;

export const exportPageOptions = ({ page = 1, size = 50, status }: ExportSearch) => ({
  ...listExportsOptions({ query: { page, page_size: size, status } }),
  placeholderData: keepPreviousData,
});

function ProjectName({ id }: { id: string }) {
  const { data, isError } = useQuery(readProjectOptions({ path: { id } }));
  if (isError)
    return (
      <Text span inherit c="dimmed">
        deleted or no longer shared
      </Text>
    );
  return (
    <Link to="/projects/$projectId" params={{ projectId: id }} className={classes.project}>
      {data?.name ?? `${id.slice(0, 8)}…`}
    </Link>
  );
}

function Archive({ each }: { each: ProjectExport }) {
  if (isUnfinished(each.status))
    return (
      <Group gap="xs" wrap="nowrap">
        <Progress value={each.progress * 100} size="sm" w={110} aria-label="Progress of the export" />
        <Text span inherit c="dimmed" truncate className="numbers">
          {Math.floor(each.progress * 100)} % {each.stage ?? ''}
        </Text>
      </Group>
    );
  if (each.error !== null)
    return (
      <Tooltip label={each.error.detail} multiline maw={400}>
        <Text span inherit c="var(--mantine-color-text)">
          {each.error.detail}
        </Text>
      </Tooltip>
    );
  return <span title={each.fileName ?? undefined}>{each.fileName ?? '–'}</span>;
}

function ExportActions({ each }: { each: ProjectExport }) {
  const cancel = useCancelExport(each.projectId);
  if (isUnfinished(each.status))
    return (
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconPlayerStop size={13} aria-hidden />}
        disabled={each.status === 'cancelling' || cancel.isPending}
        onClick={() => cancel.mutate(each.id)}
      >
        {each.status === 'cancelling' ? 'Stopping' : 'Stop'}
      </Button>
    );
  if (each.status === 'completed' && each.url === null)
    return (
      <Text span inherit c="dimmed">
        expired
      </Text>
    );
  if (each.url === null) return null;
  const size = each.sizeBytes === null ? 'Download' : formatBytes(each.sizeBytes);
  return (
    <Button
      component="a"
      href={addressOf(each.url)}
      download={each.fileName ?? true}
      variant="default"
      size="compact-sm"
      leftSection={<IconDownload size={13} aria-hidden />}
      aria-label={`Download ${each.fileName ?? 'the archive'}, ${size}`}
    >
      {size}
    </Button>
  );
}

const columns: DataTableColumn<ProjectExport>[] = [
  { key: 'project', title: 'Project', render: ({ projectId }) => <ProjectName id={projectId} /> },
  { key: 'contents', title: 'Contents', width: 200, render: ({ config }) => contentsInWords(config) },
  { key: 'status', title: 'Status', width: 120, render: ({ status }) => <StatusBadge status={status} /> },
  { key: 'archive', title: 'Archive', render: (each) => <Archive each={each} /> },
  {
    key: 'createdAt',
    title: 'Requested',
    width: 120,
    render: ({ createdAt }) => <RelativeTime value={createdAt} />,
  },
  {
    key: 'expiresAt',
    title: 'Expires',
    width: 110,
    render: ({ expiresAt }) => <RelativeTime value={expiresAt} />,
  },
  {
    key: 'actions',
    title: 'Actions',
    titleHidden: true,
    width: 130,
    align: 'right',
    render: (each) => <ExportActions each={each} />,
  },
];

const none: ProjectExport[] = [];

interface ExportsPageProps {
  search: ExportSearch;
  onSearch: (search: ExportSearch) => void;
}

/** Exports of all projects, the newest first. */
export function ExportsPage({ search, onSearch }: ExportsPageProps) {
  const list = useQuery(exportPageOptions(search));
  const count = list.data?.count ?? 0;
  const navigate = useNavigate();
  const open = ({ projectId }: ProjectExport) =>
    void navigate({ to: '/projects/$projectId', params: { projectId }, search: { tab: 'exports' } });
  const cursor = useRowKeys({ group: 'Exports', rows: list.data?.results ?? none, onOpen: open });
  return (
    <Stack gap={0} className={page.page}>
      <div className={page.head}>
        <PageHeader
          title="Exports"
          aside={list.data === undefined ? undefined : formatCount(count)}
          actions={
            <Select
              size="xs"
              w={150}
              aria-label="Status"
              placeholder="Any status"
              data={workStatuses.map((status) => ({ value: status, label: statusWord(status) }))}
              value={search.status ?? null}
              onChange={(status) =>
                onSearch({ ...search, page: undefined, status: workStatuses.find((each) => each === status) })
              }
              clearable
              clearButtonProps={{ 'aria-label': 'Any status' }}
            />
          }
        />
      </div>
      {list.isError ? (
        <Box p="md" maw={720}>
          <ProblemAlert {...explain(list.error)} onRetry={() => list.refetch()} />
        </Box>
      ) : (
        <DataTable
          caption="Exports"
          columns={columns}
          rows={list.data?.results}
          keyOf={({ id }) => id}
          isStale={list.isPlaceholderData}
          cursor={cursor}
          onOpen={open}
          empty={
            search.status === undefined ? (
              <EmptyState icon={<IconFileZip size={32} stroke={1.3} aria-hidden />} title="No exports yet">
                An export packs a project's meshes, results, volumes or radiographs into one archive with
                SHA-256 sums. Open a project and choose Export.
              </EmptyState>
            ) : (
              <EmptyState
                title="No export has this status"
                action={
                  <Button variant="default" onClick={() => onSearch({ size: search.size })}>
                    Show all
                  </Button>
                }
              />
            )
          }
        />
      )}
      <ListFoot search={search} onSearch={onSearch} count={count} pageSizes={pageSizes} />
    </Stack>
  );
}
