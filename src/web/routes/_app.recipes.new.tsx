import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { createFileRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { defaultRecipeRelease, reasonAgainstRelease } from '#contract/shapes/organization.ts';
import { readMeOptions, readOrganizationOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { ParameterFields } from '#web/features/analyses/parameter-fields.tsx';
import { parameterRows } from '#web/features/analyses/parameter-words.ts';
import { BuilderPage } from '#web/features/recipes/builder-page.tsx';
import { type Draft, emptyDraft } from '#web/features/recipes/draft.ts';
import { versionsOptions } from '#web/features/recipes/queries.ts';
import { openOrganization, reasonAgainstRecipes } from '#web/features/session/organizations.ts';

const BuilderSearch = z.object({
  /** the recipe to revise */
  recipe: z.guid().optional().catch(undefined),
  /** the version that the draft is based on */
  from: z.guid().optional().catch(undefined),
});

export const Route = createFileRoute('/_app/recipes/new')({
  validateSearch: BuilderSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { queryClient }, deps }): Promise<Draft> => {
    const me = await queryClient.ensureQueryData(readMeOptions());
    const organization = openOrganization(me, deps.organization);
    if (organization === null || deps.recipe === undefined) return emptyDraft;
    const { results } = await queryClient.ensureQueryData(versionsOptions(organization.id, deps.recipe));
    const version = results.find(({ id }) => id === deps.from) ?? results[0];
    if (version === undefined) return emptyDraft;
    const { recipePk, name, description, steps, gates } = version;
    return { recipePk, name, description, steps, gates };
  },
  component: BuilderRoute,
  staticData: { crumb: 'Builder' },
});

function BuilderRoute() {
  const { organization: id, recipe, from } = Route.useSearch();
  const start = Route.useLoaderData();
  const navigate = Route.useNavigate();
  const { data: me } = useSuspenseQuery(readMeOptions());
  const organization = openOrganization(me, id);
  const details = useQuery({
    ...readOrganizationOptions({ path: { id: organization?.id ?? '' } }),
    enabled: organization !== null,
  });
  if (organization === null) return null;
  return (
    <BuilderPage
      key={`${organization.id} ${recipe} ${from}`}
      organizationId={organization.id}
      writeReason={reasonAgainstRecipes(organization)}
      start={start}
      parametersForm={(props) => <ParameterFields key={props.kind} {...props} />}
      parameterRows={parameterRows}
      releaseReason={reasonAgainstRelease(details.data?.recipeRelease ?? defaultRecipeRelease, {
        isManager: organization.isManager,
        isAuthor: true,
      })}
      onSaved={(recipePk) => void navigate({ to: '/recipes/$recipePk', params: { recipePk }, search: {} })}
      onCancel={() =>
        recipe === undefined
          ? void navigate({ to: '/recipes', search: {} })
          : void navigate({ to: '/recipes/$recipePk', params: { recipePk: recipe }, search: {} })
      }
    />
  );
}
