/** Exports, newest first: of one project or of all. Rows are the same in both. */
import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconFileZip } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { isUnfinished } from '#contract/base/primitives.ts';
import type { ListedExport } from '#web/api/generated/types.gen.ts';
import { notifyFailure } from '#web/api/notify-failure.ts';
import { resolveAddress } from '#web/api/session-token.ts';
import { CopyId } from '#web/ui/copy-id.tsx';
import { actionsColumn, type DataTableColumn, wrapClass } from '#web/ui/data-table.tsx';
import { List, ListPage, statusFilter } from '#web/ui/list-page.tsx';
import { makeProjectColumn } from '#web/ui/project-column.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { WorkActions, WorkError, WorkProgress } from '#web/ui/work.tsx';
import { describeContents } from './export-words.ts';
import { useChangeExport } from './mutations.ts';
import { type ExportSearch, exportPageOptions } from './queries.ts';

function Archive({ each }: { each: ListedExport }) {
  if (isUnfinished(each.status)) return <WorkProgress name="the export" {...each} />;
  if (each.error !== null) return <WorkError {...each.error} />;
  return (
    <>
      <Text inherit truncate title={each.fileName ?? undefined}>
        {each.fileName ?? '–'}
      </Text>
      {each.sha256 !== null && (
        <Text size="xs" c="dimmed" component="div" className={wrapClass}>
          SHA-256 <CopyId value={each.sha256} what="SHA-256 of the archive" shown={16} />
        </Text>
      )}
    </>
  );
}

function ExportActions({ each }: { each: ListedExport }) {
  const change = useChangeExport(each.projectId);
  return (
    <WorkActions
      name="the export"
      status={each.status}
      isPending={change.isPending}
      onStop={() => change.mutate({ id: each.id, change: 'cancel' }, { onError: notifyFailure })}
      onRetry={() => change.mutate({ id: each.id, change: 'retry' }, { onError: notifyFailure })}
      download={each.url === null ? undefined : { ...each, href: resolveAddress(each.url) }}
    >
      {each.status === 'completed' && each.url === null && (
        <Text span inherit c="dimmed">
          expired
        </Text>
      )}
    </WorkActions>
  );
}

const columns: DataTableColumn<ListedExport>[] = [
  {
    key: 'contents',
    title: 'Contents',
    width: 125,
    render: ({ config }) => <span className={wrapClass}>{describeContents(config)}</span>,
  },
  { key: 'status', title: 'Status', width: 115, render: ({ status }) => <StatusBadge status={status} /> },
  { key: 'archive', title: 'Archive', render: (each) => <Archive each={each} /> },
  {
    key: 'createdAt',
    title: 'Requested',
    width: 110,
    render: ({ createdAt, expiresAt }) => (
      <>
        <RelativeTime value={createdAt} />
        {expiresAt !== null && (
          <Text size="xs" c="dimmed" component="div">
            expires <RelativeTime value={expiresAt} />
          </Text>
        )}
      </>
    ),
  },
  {
    ...actionsColumn,
    width: 125,
    render: (each) => <ExportActions each={each} />,
  },
];
const columnsWithProject: DataTableColumn<ListedExport>[] = [makeProjectColumn(), ...columns];

interface ExportsProps {
  search: ExportSearch;
  onSearch: (search: ExportSearch) => void;
}

/** @param markedId the export named in the address */
export function ExportsList(props: ExportsProps & { projectId: string; markedId?: string | undefined }) {
  const { projectId, markedId, ...rest } = props;
  const list = useQuery(exportPageOptions(rest.search, projectId));
  useReadyToast(list.data?.results);
  return (
    <List
      {...rest}
      caption="Exports of the project"
      list={list}
      columns={columns}
      isNarrow
      isMarked={({ id }) => id === markedId}
      onOpen={({ url }) => {
        if (url !== null) window.location.assign(resolveAddress(url));
      }}
      empty={{
        title: 'No exports yet',
        children:
          'An export is one ZIP with the chosen data and a manifest of SHA-256 sums. Anyone with its link can download it until it expires.',
      }}
    />
  );
}

/** Exports of all projects. */
export function ExportsPage(props: ExportsProps) {
  const navigate = useNavigate();
  return (
    <ListPage
      {...props}
      title="Exports"
      list={useQuery(exportPageOptions(props.search))}
      columns={columnsWithProject}
      filters={[statusFilter]}
      onOpen={({ projectId }) =>
        void navigate({ to: '/projects/$projectId', params: { projectId }, search: { tab: 'exports' } })
      }
      empty={{
        icon: <IconFileZip size={32} stroke={1.3} aria-hidden />,
        title: 'No exports yet',
        children:
          "An export packs a project's meshes, results, volumes or radiographs into one archive with SHA-256 sums. Open a project and choose Export.",
      }}
    />
  );
}

/** Shows a toast when an export that was seen running has ended. */
function useReadyToast(exports: readonly ListedExport[] | undefined): void {
  const running = useRef(new Set<string>());
  useEffect(() => {
    for (const { id, status, error } of exports ?? []) {
      if (isUnfinished(status)) running.current.add(id);
      else if (running.current.delete(id)) {
        if (status === 'completed') notifications.show({ message: 'Export ready to download' });
        if (status === 'failed')
          notifications.show({ color: 'danger', title: 'Export failed', message: error?.detail ?? '' });
      }
    }
  }, [exports]);
}
