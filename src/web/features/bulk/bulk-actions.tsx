import { IconArrowBackUp } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { formatCount } from '#contract/base/format-number.ts';
import { cancelBulkRequest, retryBulkRequest, undoBulkRequest } from '#web/api/generated/sdk.gen.ts';
import type { BulkRequest } from '#web/api/generated/types.gen.ts';
import { notifyFailure } from '#web/api/notify-failure.ts';
import { useRefresh } from '#web/api/refresh.ts';
import { resolveAddress } from '#web/api/session-token.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { WorkActions } from '#web/ui/work.tsx';

interface BulkActionsProps {
  request: BulkRequest;
  size?: 'compact-sm' | 'xs';
  /** also shows unavailable actions, with the reason */
  showsAll?: boolean;
}

/** The actions that a bulk request allows: stop, retry failed, undo, download. */
export function BulkActions({ request, size = 'xs', showsAll = false }: BulkActionsProps) {
  const refreshRequests = useRefresh('listBulkRequests', 'readBulkRequest', 'listBulkItems');
  const navigate = useNavigate();
  const path = { bulk_request_id: request.id };
  const act = useMutation({
    mutationFn: async (what: 'cancel' | 'retry' | 'undo') => {
      if (what === 'cancel') return (await cancelBulkRequest({ path })).data;
      return (await (what === 'retry' ? retryBulkRequest : undoBulkRequest)({ path })).data;
    },
    onSuccess: ({ id }, what) => {
      if (what === 'undo') void navigate({ to: '/bulk/$bulkRequestId', params: { bulkRequestId: id } });
      return refreshRequests();
    },
    onError: notifyFailure,
  });
  const { retry, undo, downloadUrl, failedCount, cancelledCount } = request;
  const left = formatCount(failedCount + cancelledCount);
  return (
    <WorkActions
      name="the request"
      size={size}
      status={request.status}
      isPending={act.isPending}
      onStop={() => act.mutate('cancel')}
      onRetry={retry.allowed ? () => act.mutate('retry') : undefined}
      retryLabel={failedCount > 0 ? `Retry ${left} failed` : `Run ${left} remaining`}
      download={
        downloadUrl === null
          ? undefined
          : { href: resolveAddress(downloadUrl), sizeBytes: request.downloadSizeBytes }
      }
    >
      {(undo.allowed || showsAll) && request.finishedAt !== null && (
        <ActionButton
          variant="default"
          size={size}
          leftSection={<IconArrowBackUp size={13} aria-hidden />}
          reason={undo.allowed ? null : `Can’t be undone: ${undo.reason}`}
          loading={act.isPending}
          onClick={() => act.mutate('undo')}
        >
          Undo
        </ActionButton>
      )}
    </WorkActions>
  );
}
