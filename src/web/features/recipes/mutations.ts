import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import type { RecipeVersionInput, ScanRecipeRevisionInput } from '#contract/shapes/recipe.ts';
import {
  cancelRecipeInvocation,
  createRecipeVersion,
  createScanRecipeRevision,
  readRecipeInvocationResults,
  retryRecipeInvocation,
  runPipeline,
  runRecipe,
} from '#web/api/generated/sdk.gen.ts';
import { addressOf } from '#web/api/session-token.ts';
import type { Draft } from './draft.ts';

const invalidateRuns = (queryClient: QueryClient) =>
  Promise.all(
    (['readRecipeInvocation', 'listProjectRecipeInvocations', 'readProjectStatus'] as const).map((_id) =>
      queryClient.invalidateQueries({ queryKey: [{ _id }] }),
    ),
  );

export function useCreateVersion(organizationId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (body: RecipeVersionInput) =>
      (await createRecipeVersion({ path: { organization_id: organizationId }, body, throwOnError: true }))
        .data,
    onSettled: () => queryClient.invalidateQueries({ queryKey: [{ _id: 'listRecipeVersions' }] }),
  });
}

export function useCreateRevision(organizationId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (body: ScanRecipeRevisionInput) =>
      (
        await createScanRecipeRevision({
          path: { organization_id: organizationId },
          body,
          throwOnError: true,
        })
      ).data,
    onSettled: () => queryClient.invalidateQueries({ queryKey: [{ _id: 'listScanRecipeRevisions' }] }),
  });
}

export function useRunRecipe() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({
      projectId,
      ...body
    }: {
      projectId: string;
      recipePk: string;
      recipeVersionId?: string;
    }) => (await runRecipe({ path: { project_id: projectId }, body, throwOnError: true })).data,
    onSettled: () => invalidateRuns(queryClient),
  });
}

/** Runs a draft without saving it; says the id of the operation that stands for it. */
export function useDryRun() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ projectId, draft }: { projectId: string; draft: Draft }) => {
      const body = { steps: draft.steps, gates: draft.gates };
      return (await runPipeline({ path: { project_id: projectId }, body, throwOnError: true })).data;
    },
    onSettled: () => invalidateRuns(queryClient),
  });
}

export function useCancelRun() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => cancelRecipeInvocation({ path: { invocation_id: id }, throwOnError: true }),
    onSettled: () => invalidateRuns(queryClient),
  });
}

export function useRetryRun() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => retryRecipeInvocation({ path: { invocation_id: id }, throwOnError: true }),
    onSettled: () => invalidateRuns(queryClient),
  });
}

/** Asks for the archive's address, which expires, and has the browser save what is there. */
export function useDownloadResults() {
  return useMutation({
    mutationFn: async (id: string) => {
      const { data } = await readRecipeInvocationResults({ path: { invocation_id: id }, throwOnError: true });
      const link = document.createElement('a');
      link.href = addressOf(data.downloadableResults);
      link.download = '';
      link.click();
    },
  });
}
