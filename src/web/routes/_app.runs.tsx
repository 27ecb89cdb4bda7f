import { useSuspenseQuery } from '@tanstack/react-query';
import { createFileRoute } from '@tanstack/react-router';
import { readMeOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { RunsSearch, runPageOptions } from '#web/features/recipes/queries.ts';
import { RunsPage } from '#web/features/recipes/runs-list.tsx';
import { openOrganization } from '#web/features/session/organizations.ts';

export const Route = createFileRoute('/_app/runs')({
  validateSearch: RunsSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { queryClient }, deps }) => {
    const me = await queryClient.ensureQueryData(readMeOptions());
    const organization = openOrganization(me, deps.organization);
    if (organization) void queryClient.prefetchQuery(runPageOptions(organization.id, deps));
  },
  component: RunsRoute,
  staticData: { crumb: 'Runs' },
});

function RunsRoute() {
  const { organization: id, ...search } = Route.useSearch();
  const navigate = Route.useNavigate();
  const { data: me } = useSuspenseQuery(readMeOptions());
  const organization = openOrganization(me, id);
  if (organization === null) return null;
  return (
    <RunsPage
      key={organization.id}
      organizationId={organization.id}
      search={search}
      onSearch={(next) => void navigate({ search: next })}
      onOpen={(runId) => void navigate({ to: '/recipes/runs/$runId', params: { runId } })}
    />
  );
}
