import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { createFileRoute } from '@tanstack/react-router';
import { reasonAgainstRelease } from '#contract/shapes/organization.ts';
import { readMeOptions, readOrganizationOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { parameterRows } from '#web/features/analyses/parameter-words.ts';
import { RecipeSearch, versionsOptions } from '#web/features/recipes/queries.ts';
import { RecipePage } from '#web/features/recipes/recipe-page.tsx';
import {
  openOrganization,
  reasonAgainstRecipes,
  reasonAgainstRuns,
} from '#web/features/session/organizations.ts';
import { useStillHere } from '#web/ui/use-still-here.ts';

export const Route = createFileRoute('/_app/recipes/$recipePk')({
  validateSearch: RecipeSearch,
  loaderDeps: ({ search: { organization } }) => ({ organization }),
  loader: async ({ context: { queryClient }, params: { recipePk }, deps }) => {
    const me = await queryClient.ensureQueryData(readMeOptions());
    const organization = openOrganization(me, deps.organization);
    if (organization) await queryClient.ensureQueryData(versionsOptions(organization.id, recipePk));
  },
  component: RecipeRoute,
});

function RecipeRoute() {
  const { recipePk } = Route.useParams();
  const { organization: id, ...search } = Route.useSearch();
  const navigate = Route.useNavigate();
  const isStillHere = useStillHere();
  const { data: me } = useSuspenseQuery(readMeOptions());
  const organization = openOrganization(me, id);
  const details = useQuery({
    ...readOrganizationOptions({ path: { id: organization?.id ?? '' } }),
    enabled: organization !== null,
  });
  if (organization === null) return null;
  const writeReason = reasonAgainstRecipes(organization);
  // The same rule as in the service; while the organization loads, the permission is unknown.
  const withdrawReason =
    writeReason ??
    (details.data
      ? reasonAgainstRelease(details.data.recipeRelease, {
          isManager: organization.isManager,
          isAuthor: false,
        })
      : 'Checking who may withdraw it.');
  return (
    <RecipePage
      key={recipePk}
      organizationId={organization.id}
      recipePk={recipePk}
      writeReason={writeReason}
      withdrawReason={withdrawReason}
      runReason={reasonAgainstRuns(organization)}
      parameterRows={parameterRows}
      search={search}
      onSearch={(next) => {
        if (isStillHere()) void navigate({ search: next, resetScroll: false });
      }}
      onStarted={(runId) => {
        if (isStillHere()) void navigate({ to: '/recipes/runs/$runId', params: { runId } });
      }}
    />
  );
}
