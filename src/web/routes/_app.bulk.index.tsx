import { createFileRoute } from '@tanstack/react-router';
import { BulkListPage, BulkListSearch, bulkListOptions } from '../features/bulk/bulk-list-page.tsx';

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
