/** Sends bulk requests and shows their progress in a toast, whatever page is open. */
import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type QueryClient, QueryObserver, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { formatCount } from '#contract/base/format-number.ts';
import { explain } from '#web/api/errors.ts';
import { readBulkRequestOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import {
  bulkAddTags,
  bulkArchive,
  bulkCopy,
  bulkDelete,
  bulkDownloadResults,
  bulkMove,
  bulkRemoveTags,
  bulkRestore,
  bulkRunRecipe,
  cancelBulkRequest,
  undoBulkRequest,
} from '#web/api/generated/sdk.gen.ts';
import type { BulkRequest } from '#web/api/generated/types.gen.ts';
import { refresh } from '#web/api/refresh.ts';
import { resolveAddress } from '#web/api/session-token.ts';
import { bulkWords, describeOutcome } from '#web/ui/bulk-words.ts';

export interface BulkOrder {
  operationType: BulkRequest['operationType'];
  projectIds: string[];
  destinationWorkspaceId?: string;
  tags?: string[];
  recipePk?: string;
}

const undoMs = 12_000;
/** a request that takes longer shows its progress in a toast */
const quickMs = 600;
/** polling interval, in case no events arrive */
const askAgainMs = 2_000;

async function send(order: BulkOrder): Promise<BulkRequest> {
  const { operationType, projectIds, destinationWorkspaceId = '', tags = [], recipePk } = order;
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  const on = { body: { projectIds }, headers };
  const to = { body: { projectIds, destinationWorkspaceId }, headers };
  const tagged = { body: { projectIds, tags }, headers };
  const calls: Record<BulkRequest['operationType'], () => Promise<{ data: BulkRequest }>> = {
    archive: () => bulkArchive(on),
    restore: () => bulkRestore(on),
    delete: () => bulkDelete(on),
    move: () => bulkMove(to),
    copy: () => bulkCopy(to),
    addTags: () => bulkAddTags(tagged),
    removeTags: () => bulkRemoveTags(tagged),
    runRecipe: () => bulkRunRecipe({ body: { projectIds, recipePk: recipePk ?? '' }, headers }),
    downloadResults: () => bulkDownloadResults({ body: { projectIds, recipePk }, headers }),
  };
  return (await calls[operationType]()).data;
}

/** Resolves with the request when it has ended; `onChange` receives every state before. */
function followed(
  queryClient: QueryClient,
  id: string,
  onChange: (request: BulkRequest) => void,
): Promise<BulkRequest> {
  const options = readBulkRequestOptions({ path: { bulk_request_id: id } });
  const observer = new QueryObserver(queryClient, { ...options, staleTime: 0, refetchInterval: askAgainMs });
  return new Promise((resolve) => {
    const end = observer.subscribe(({ data }) => {
      if (data === undefined) return;
      onChange(data);
      if (data.finishedAt === null) return;
      end();
      resolve(data);
    });
  });
}

const report = (error: unknown) => {
  const { title, detail } = explain(error);
  notifications.show({ color: 'danger', title, message: detail, autoClose: false });
};

const RunningToast = ({ request, onShow }: { request: BulkRequest; onShow: () => void }) => {
  const { operationType, completedCount, failedCount, totalCount, id } = request;
  const text = `${bulkWords[operationType].doing} ${formatCount(completedCount + failedCount)} of ${formatCount(totalCount)}`;
  return (
    <Stack gap={6}>
      <Group justify="space-between" wrap="nowrap">
        <Text size="md">{text}</Text>
        <Group gap={4} wrap="nowrap">
          <Button variant="subtle" size="compact-xs" onClick={onShow}>
            Show
          </Button>
          <Button
            variant="subtle"
            size="compact-xs"
            onClick={() => cancelBulkRequest({ path: { bulk_request_id: id } }).catch(report)}
          >
            Stop
          </Button>
        </Group>
      </Group>
      <Progress value={request.progress * 100} size="sm" aria-label={text} />
    </Stack>
  );
};

interface DoneToastProps {
  request: BulkRequest;
  onUndo: () => void;
  onShow: () => void;
}

const DoneToast = ({ request, onUndo, onShow }: DoneToastProps) => (
  <Group justify="space-between" wrap="nowrap" gap="sm">
    <Text size="md">
      {request.undoOf === null ? '' : 'Undone: '}
      {describeOutcome(request)}
    </Text>
    <Group gap={4} wrap="nowrap">
      {request.downloadUrl !== null && (
        <Button component="a" href={resolveAddress(request.downloadUrl)} download size="compact-xs">
          Download
        </Button>
      )}
      {(request.failedCount > 0 || request.cancelledCount > 0 || request.operationType === 'runRecipe') && (
        <Button variant="subtle" size="compact-xs" onClick={onShow}>
          Show
        </Button>
      )}
      {request.undo.allowed && (
        <Button variant="light" size="compact-xs" onClick={onUndo}>
          Undo
        </Button>
      )}
    </Group>
  </Group>
);

export function useBulkRequests() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [busy, setBusy] = useState<ReadonlyMap<string, string>>(new Map());

  const follow = useCallback(
    async (started: BulkRequest): Promise<void> => {
      const toast = `bulk-${started.id}`;
      const begun = performance.now();
      let isShown = false;
      const show = () => void navigate({ to: '/bulk/$bulkRequestId', params: { bulkRequestId: started.id } });
      const ended = await followed(queryClient, started.id, (request) => {
        if (request.finishedAt !== null) return;
        const body = {
          id: toast,
          autoClose: false as const,
          withCloseButton: false,
          message: <RunningToast request={request} onShow={show} />,
        };
        if (isShown) notifications.update(body);
        else if (performance.now() - begun > quickMs) {
          notifications.show(body);
          isShown = true;
        }
      });
      await refresh(queryClient, 'listProjects', 'readProject', 'listWorkspaces', 'listBulkRequests');
      if (isShown) notifications.hide(toast);
      const done = `${toast}-done`;
      const undo = async () => {
        notifications.hide(done);
        try {
          const { data } = await undoBulkRequest({ path: { bulk_request_id: ended.id } });
          await follow(data);
        } catch (error) {
          report(error);
        }
      };
      const isBad = ended.failedCount > 0;
      notifications.show({
        id: done,
        color: isBad ? 'danger' : undefined,
        autoClose: isBad || ended.downloadUrl !== null ? false : undoMs,
        closeButtonProps: { 'aria-label': 'Close' },
        message: <DoneToast request={ended} onUndo={() => void undo()} onShow={show} />,
      });
    },
    [queryClient, navigate],
  );

  const start = useCallback(
    async (order: BulkOrder): Promise<void> => {
      // A recipe run takes long and does not change the project meanwhile, so its row is not marked as busy.
      const marked = order.operationType === 'runRecipe' || order.operationType === 'downloadResults';
      const mark = (doing: string | null) =>
        setBusy((before) => {
          const next = new Map(before);
          for (const id of order.projectIds) {
            if (doing === null) next.delete(id);
            else next.set(id, doing);
          }
          return next;
        });
      if (!marked) mark(bulkWords[order.operationType].doing);
      try {
        await follow(await send(order));
      } catch (error) {
        report(error);
      } finally {
        if (!marked) mark(null);
      }
    },
    [follow],
  );

  return { start, busy };
}
