import { createFileRoute } from '@tanstack/react-router';
import { BulkListPage } from '#web/features/bulk/bulk-list-page.tsx';
import { BulkListSearch, bulkListOptions } from '#web/features/bulk/queries.ts';

export const Route = createFileRoute('/_app/bulk/')({
  validateSearch: BulkListSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchQuery(bulkListOptions(deps)),
  component: BulkListRoute,
});

function BulkListRoute() {
  const navigate = Route.useNavigate();
  return (
    <BulkListPage
      search={Route.useSearch()}
      onSearch={(search) => void navigate({ search })}
      onOpen={(bulkRequestId) => void navigate({ to: '/bulk/$bulkRequestId', params: { bulkRequestId } })}
    />
  );
}
