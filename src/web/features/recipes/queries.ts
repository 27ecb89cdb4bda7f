import { keepPreviousData } from '@tanstack/react-query';
import {
  listProjectRecipeInvocationsOptions,
  listProjectsOptions,
  listRecipeVersionsOptions,
  listScanRecipeRevisionsOptions,
  readRecipeInvocationOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';

/** The newest version of each recipe of the organization. */
export const recipesOptions = (organizationId: string, search?: string) => ({
  ...listRecipeVersionsOptions({
    path: { organization_id: organizationId },
    query: { isLatest: true, page_size: 200, ...(search ? { search } : {}) },
  }),
  placeholderData: keepPreviousData,
});

/** All versions of one recipe, the newest first. */
export const versionsOptions = (organizationId: string, recipePk: string) =>
  listRecipeVersionsOptions({
    path: { organization_id: organizationId },
    query: { recipePk, page_size: 200 },
  });

export const scanRecipesOptions = (organizationId: string) =>
  listScanRecipeRevisionsOptions({ path: { organization_id: organizationId }, query: { page_size: 200 } });

export const runOptions = (id: string) => readRecipeInvocationOptions({ path: { invocation_id: id } });

/** Runs of a project, the newest first. */
export const projectRunsOptions = (projectId: string, page = 1) => ({
  ...listProjectRecipeInvocationsOptions({ path: { project_id: projectId }, query: { page, page_size: 25 } }),
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
