import { createFileRoute } from '@tanstack/react-router';
import { ExportsPage } from '#web/features/exports/exports-list.tsx';
import { ExportSearch, exportPageOptions } from '#web/features/exports/queries.ts';

export const Route = createFileRoute('/_app/exports')({
  validateSearch: ExportSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchQuery(exportPageOptions(deps)),
  component: ExportsRoute,
  staticData: { crumb: 'Exports' },
});

function ExportsRoute() {
  const navigate = Route.useNavigate();
  return <ExportsPage search={Route.useSearch()} onSearch={(search) => void navigate({ search })} />;
}
