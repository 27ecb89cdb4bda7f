import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { pipeline } from '#contract/analyses/pipeline.ts';
import type { RecipeVersionInput } from '#contract/shapes/recipe.ts';
import {
  cancelRecipeInvocation,
  createRecipeVersion,
  createScanRecipeRevision,
  readRecipeInvocationResults,
  releaseRecipeVersion,
  retryRecipeInvocation,
  runRecipe,
  withdrawRecipeVersion,
} from '#web/api/generated/sdk.gen.ts';
import type { ScanRecipeRevisionInput } from '#web/api/generated/types.gen.ts';
import { addressOf } from '#web/api/session-token.ts';
import { startAnalysis } from '#web/api/start-analysis.ts';
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

/** Releases a draft, or makes a draft of what was released. */
export function useChangeRelease(organizationId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ versionId, releases }: { versionId: string; releases: boolean }) => {
      const ask = releases ? releaseRecipeVersion : withdrawRecipeVersion;
      const path = { organization_id: organizationId, version_id: versionId };
      return (await ask({ path, throwOnError: true })).data;
    },
    // Parts get a verdict by it, or lose it.
    onSettled: () =>
      Promise.all(
        (['listRecipeVersions', 'listProjects', 'readProject', 'listCharacteristics'] as const).map((_id) =>
          queryClient.invalidateQueries({ queryKey: [{ _id }] }),
        ),
      ),
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
      return startAnalysis(projectId, pipeline.key, body);
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
