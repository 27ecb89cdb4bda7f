import { createFileRoute } from '@tanstack/react-router';
import { BulkRequestPage } from '#web/features/bulk/bulk-request-page.tsx';
import { BulkItemsSearch, bulkItemsOptions, bulkRequestOptions } from '#web/features/bulk/queries.ts';

export const Route = createFileRoute('/_app/bulk/$bulkRequestId')({
  validateSearch: BulkItemsSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, params: { bulkRequestId }, deps }) => {
    void queryClient.prefetchQuery(bulkRequestOptions(bulkRequestId));
    void queryClient.prefetchQuery(bulkItemsOptions(bulkRequestId, deps));
  },
  component: BulkRequestRoute,
});

function BulkRequestRoute() {
  const { bulkRequestId } = Route.useParams();
  const navigate = Route.useNavigate();
  return (
    <BulkRequestPage
      key={bulkRequestId}
      id={bulkRequestId}
      search={Route.useSearch()}
      onSearch={(search) => void navigate({ search })}
    />
  );
}
