import { keepPreviousData } from '@tanstack/react-query';
import { z } from 'zod';
import { workStatuses } from '#contract/base/primitives.ts';
import { Verdict } from '#contract/metadata/verdict.ts';
import { PageQuery } from '#contract/shapes/page.ts';
import {
  listProjectRecipeInvocationsOptions,
  listProjectsOptions,
  listRecipeInvocationsOptions,
  listRecipeVersionsOptions,
  listScanRecipeRevisionsOptions,
  listVersionEffectsOptions,
  readRecipeInvocationOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';

export const runPageSizes = [25, 50, 100] as const;

/** State of a list of runs that stands in its address. */
export const RunsSearch = z.object({
  page: PageQuery.shape.page.unwrap().optional().catch(undefined),
  size: z
    .literal([...runPageSizes])
    .optional()
    .catch(undefined),
  status: z.enum(workStatuses).optional().catch(undefined),
  verdict: Verdict.optional().catch(undefined),
  recipe: z.guid().optional().catch(undefined),
});
export type RunsSearch = z.infer<typeof RunsSearch>;

/** The newest version of each recipe of the organization, be it released or a draft. */
export const recipesOptions = (organizationId: string, search?: string) => ({
  ...listRecipeVersionsOptions({
    path: { organization_id: organizationId },
    query: { isNewest: true, page_size: 200, ...(search ? { search } : {}) },
  }),
  placeholderData: keepPreviousData,
});

/** All versions of one recipe, the newest first. */
export const versionsOptions = (organizationId: string, recipePk: string) =>
  listRecipeVersionsOptions({
    path: { organization_id: organizationId },
    query: { recipePk, page_size: 200 },
  });

/** State of what a version would change on parts, in the address. */
export const EffectsSearch = z.object({
  /** shown only when asked for: it is computed over all projects */
  effects: z.literal(true).optional().catch(undefined),
  onlyChanged: z.literal(true).optional().catch(undefined),
  page: RunsSearch.shape.page,
  size: RunsSearch.shape.size,
});
export type EffectsSearch = z.infer<typeof EffectsSearch>;

/** What the version changes against another on the projects of the recipe's runs, by name. */
export const effectsOptions = (
  organizationId: string,
  { before, after }: { before: string; after: string },
  { page = 1, size = 50, onlyChanged }: EffectsSearch,
) => ({
  ...listVersionEffectsOptions({
    path: { organization_id: organizationId, version_id: after },
    query: { against: before, page, page_size: size, ...(onlyChanged ? { onlyChanged } : {}) },
  }),
  placeholderData: keepPreviousData,
});

export const scanRecipesOptions = (organizationId: string) =>
  listScanRecipeRevisionsOptions({ path: { organization_id: organizationId }, query: { page_size: 200 } });

export const runOptions = (id: string) => readRecipeInvocationOptions({ path: { invocation_id: id } });

/** Runs of a project, the newest first. */
export const projectRunsOptions = (projectId: string, { page = 1, size = 50 }: RunsSearch = {}) => ({
  ...listProjectRecipeInvocationsOptions({
    path: { project_id: projectId },
    query: { page, page_size: size },
  }),
  placeholderData: keepPreviousData,
});

/** Runs across the projects of an organization, the newest first. */
export const runPageOptions = (
  organization: string,
  { page = 1, size = 50, status, verdict, recipe }: RunsSearch,
) => ({
  ...listRecipeInvocationsOptions({
    query: { organization, page, page_size: size, status, verdict, recipePk: recipe },
  }),
  placeholderData: keepPreviousData,
});

/** Projects of the organization that something can be run on. */
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
