import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconArrowBackUp, IconDownload, IconPlayerStop, IconRefresh } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { formatCount } from '#contract/base/format-number.ts';
import { explain } from '#web/api/errors.ts';
import { cancelBulkRequest, retryBulkRequest, undoBulkRequest } from '#web/api/generated/sdk.gen.ts';
import type { BulkRequest } from '#web/api/generated/types.gen.ts';
import { keyMatches } from '#web/api/live-event-queries.ts';
import { addressOf } from '#web/api/session-token.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { formatBytes } from '#web/ui/quantity.ts';

interface BulkActionsProps {
  request: BulkRequest;
  size?: 'compact-sm' | 'xs';
  /** says also what can't be done, and why */
  showsAll?: boolean;
}

/** Cancel, retry the failed, undo, download: what a bulk request allows. */
export function BulkActions({ request, size = 'xs', showsAll = false }: BulkActionsProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const path = { bulk_request_id: request.id };
  const act = useMutation({
    mutationFn: async (what: 'cancel' | 'retry' | 'undo') => {
      if (what === 'cancel') return (await cancelBulkRequest({ path })).data;
      return (await (what === 'retry' ? retryBulkRequest : undoBulkRequest)({ path })).data;
    },
    onSuccess: ({ id }, what) => {
      if (what === 'undo') void navigate({ to: '/bulk/$bulkRequestId', params: { bulkRequestId: id } });
      return queryClient.invalidateQueries({
        predicate: ({ queryKey }) =>
          (['listBulkRequests', 'readBulkRequest', 'listBulkItems'] as const).some((operation) =>
            keyMatches(queryKey, { operation }),
          ),
      });
    },
    onError: (error) => {
      const { title, detail } = explain(error);
      notifications.show({ color: 'danger', title, message: detail, autoClose: false });
    },
  });
  const { retry, undo, downloadUrl, failedCount, cancelledCount } = request;
  const isOpen = request.finishedAt === null;
  const left = formatCount(failedCount + cancelledCount);
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      {isOpen && (
        <ActionButton
          variant="default"
          size={size}
          leftSection={<IconPlayerStop size={13} aria-hidden />}
          disabled={request.status === 'cancelling'}
          loading={act.isPending && act.variables === 'cancel'}
          onClick={() => act.mutate('cancel')}
        >
          {request.status === 'cancelling' ? 'Stopping' : 'Cancel'}
        </ActionButton>
      )}
      {retry.allowed && (
        <ActionButton
          variant="default"
          size={size}
          leftSection={<IconRefresh size={13} aria-hidden />}
          loading={act.isPending && act.variables === 'retry'}
          onClick={() => act.mutate('retry')}
        >
          {failedCount > 0 ? `Retry ${left} failed` : `Run ${left} remaining`}
        </ActionButton>
      )}
      {(undo.allowed || showsAll) && !isOpen && (
        <ActionButton
          variant="default"
          size={size}
          leftSection={<IconArrowBackUp size={13} aria-hidden />}
          reason={undo.allowed ? null : `Can’t be undone: ${undo.reason}`}
          loading={act.isPending && act.variables === 'undo'}
          onClick={() => act.mutate('undo')}
        >
          Undo
        </ActionButton>
      )}
      {downloadUrl !== null && (
        <Button
          component="a"
          href={addressOf(downloadUrl)}
          download
          size={size}
          variant={showsAll ? 'filled' : 'default'}
          leftSection={<IconDownload size={13} aria-hidden />}
        >
          Download{request.downloadSizeBytes === null ? '' : ` ${formatBytes(request.downloadSizeBytes)}`}
        </Button>
      )}
    </Group>
  );
}
