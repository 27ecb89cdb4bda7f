import { keepPreviousData } from '@tanstack/react-query';
import { z } from 'zod';
import { workStatuses } from '#contract/base/primitives.ts';
import { Verdict } from '#contract/metadata/verdict.ts';
import {
  listProjectRecipeInvocationsOptions,
  listProjectsOptions,
  listRecipeInvocationsOptions,
  listRecipeVersionsOptions,
  listScanRecipeRevisionsOptions,
  listVersionEffectsOptions,
  readRecipeInvocationOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import { type ListSearch, listSearch, pageQuery } from '#web/ui/list-page.tsx';
import { searchWords } from '#web/ui/search-field.tsx';

/** State of a list of runs stored in its address. */
export const RunsSearch = listSearch({
  status: z.enum(workStatuses).optional().catch(undefined),
  verdict: Verdict.optional().catch(undefined),
  recipe: z.guid().optional().catch(undefined),
});
export type RunsSearch = z.infer<typeof RunsSearch>;

/** The newest version of each recipe of the organization, released or draft. */
export const recipesOptions = (organizationId: string) =>
  listRecipeVersionsOptions({
    path: { organization_id: organizationId },
    query: { isNewest: true, page_size: 200 },
  });

/** State of the recipe pages stored in their address. */
export const RecipesSearch = listSearch({
  tab: z.enum(['recipes', 'scans']).optional().catch(undefined),
  /** searched in the names of recipes or scan recipes, depending on the tab */
  search: z.unknown().transform(searchWords).optional(),
});
export type RecipesSearch = z.infer<typeof RecipesSearch>;

export const recipePageOptions = (organizationId: string, search: RecipesSearch) => ({
  ...listRecipeVersionsOptions({
    path: { organization_id: organizationId },
    query: { isNewest: true, ...pageQuery(search), search: search.search },
  }),
  placeholderData: keepPreviousData,
});

/** All versions of a recipe, newest first. */
export const versionsOptions = (organizationId: string, recipePk: string) =>
  listRecipeVersionsOptions({
    path: { organization_id: organizationId },
    query: { recipePk, page_size: 200 },
  });

/** State of the effects of a version, stored in the address. */
export const EffectsSearch = listSearch({
  /** loaded only on request: it is computed over all projects */
  effects: z.literal(true).optional().catch(undefined),
  onlyChanged: z.literal(true).optional().catch(undefined),
});
export type EffectsSearch = z.infer<typeof EffectsSearch>;

/** State of a recipe's page stored in its address. */
export const RecipeSearch = EffectsSearch.extend({
  /** the version shown */
  version: z.guid().optional().catch(undefined),
  /** the version it is compared with */
  against: z.guid().optional().catch(undefined),
});
export type RecipeSearch = z.infer<typeof RecipeSearch>;

/** Effects of a version compared with another one, on the projects in which the recipe was run, sorted by name. */
export const effectsOptions = (
  organizationId: string,
  { before, after }: { before: string; after: string },
  { onlyChanged, ...search }: EffectsSearch,
) => ({
  ...listVersionEffectsOptions({
    path: { organization_id: organizationId, version_id: after },
    query: { against: before, ...pageQuery(search), ...(onlyChanged ? { onlyChanged } : {}) },
  }),
  placeholderData: keepPreviousData,
});

export const scanRecipesOptions = (organizationId: string) =>
  listScanRecipeRevisionsOptions({ path: { organization_id: organizationId }, query: { page_size: 200 } });

export const runOptions = (id: string) => readRecipeInvocationOptions({ path: { invocation_id: id } });

/** Runs of a project, newest first. */
export const projectRunsOptions = (projectId: string, search: ListSearch = {}) => ({
  ...listProjectRecipeInvocationsOptions({ path: { project_id: projectId }, query: pageQuery(search) }),
  placeholderData: keepPreviousData,
});

/** Runs across the projects of an organization, newest first. */
export const runPageOptions = (organization: string, search: RunsSearch) => ({
  ...listRecipeInvocationsOptions({
    query: {
      organization,
      ...pageQuery(search),
      status: search.status && [search.status],
      verdict: search.verdict,
      recipePk: search.recipe,
    },
  }),
  placeholderData: keepPreviousData,
});

/** Runs of all versions of a recipe, newest first. */
export const recipeRunsOptions = (
  organization: string,
  recipePk: string,
  query: { page_size: number; verdict?: Verdict },
) => listRecipeInvocationsOptions({ query: { organization, recipePk, ...query } });

/** Projects of the organization that a recipe can be run on. */
export const projectChoicesOptions = (organizationId: string, search: string) => ({
  ...listProjectsOptions({
    query: {
      organization: organizationId,
      state: 'active',
      page_size: 20,
      ordering: 'name',
      ...(search ? { search } : {}),
    },
  }),
  placeholderData: keepPreviousData,
});
