import { useSuspenseQuery } from '@tanstack/react-query';
import { createFileRoute } from '@tanstack/react-router';
import { readMeOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { RecipesSearch, recipePageOptions } from '#web/features/recipes/queries.ts';
import { RecipesPage } from '#web/features/recipes/recipes-page.tsx';
import { openOrganization, reasonAgainstRecipes } from '#web/features/session/organizations.ts';

export const Route = createFileRoute('/_app/recipes/')({
  validateSearch: RecipesSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { queryClient }, deps }) => {
    const me = await queryClient.ensureQueryData(readMeOptions());
    const organization = openOrganization(me, deps.organization);
    if (organization) void queryClient.prefetchQuery(recipePageOptions(organization.id, deps));
  },
  component: RecipesRoute,
});

function RecipesRoute() {
  const { organization: id, ...search } = Route.useSearch();
  const navigate = Route.useNavigate();
  const { data: me } = useSuspenseQuery(readMeOptions());
  const organization = openOrganization(me, id);
  if (organization === null) return null;
  return (
    <RecipesPage
      key={organization.id}
      organizationId={organization.id}
      writeReason={reasonAgainstRecipes(organization)}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
      onOpen={(recipePk) => void navigate({ to: '/recipes/$recipePk', params: { recipePk } })}
    />
  );
}
