import { useMutation } from '@tanstack/react-query';
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
import { useChange } from '#web/api/refresh.ts';
import { resolveAddress } from '#web/api/session-token.ts';
import { startAnalysis } from '#web/api/start-analysis.ts';
import type { Draft } from './draft.ts';

const runs = ['readRecipeInvocation', 'listProjectRecipeInvocations', 'readProjectStatus'] as const;

export const useCreateVersion = (organizationId: string) =>
  useChange(async (body: RecipeVersionInput) => {
    const path = { organization_id: organizationId };
    return (await createRecipeVersion({ path, body })).data;
  }, 'listRecipeVersions');

/** Releases a draft, or withdraws a released version to a draft: this adds or removes the verdicts of parts. */
export const useChangeRelease = (organizationId: string) =>
  useChange(
    async ({ versionId, releases }: { versionId: string; releases: boolean }) => {
      const ask = releases ? releaseRecipeVersion : withdrawRecipeVersion;
      const path = { organization_id: organizationId, version_id: versionId };
      return (await ask({ path })).data;
    },
    'listRecipeVersions',
    'listProjects',
    'readProject',
    'listCharacteristics',
  );

export const useCreateRevision = (organizationId: string) =>
  useChange(async (body: ScanRecipeRevisionInput) => {
    const path = { organization_id: organizationId };
    return (await createScanRecipeRevision({ path, body })).data;
  }, 'listScanRecipeRevisions');

interface RunInput {
  projectId: string;
  recipePk: string;
  recipeVersionId?: string;
}

export const useRunRecipe = () =>
  useChange(
    async ({ projectId, ...body }: RunInput) =>
      (await runRecipe({ path: { project_id: projectId }, body })).data,
    ...runs,
  );

/** Runs a draft without saving it; returns the id of its operation. */
export const useDryRun = () =>
  useChange(
    ({ projectId, draft: { steps, gates } }: { projectId: string; draft: Draft }) =>
      startAnalysis(projectId, pipeline.key, { steps, gates }),
    ...runs,
  );

export const useCancelRun = () =>
  useChange((id: string) => cancelRecipeInvocation({ path: { invocation_id: id } }), ...runs);

export const useRetryRun = () =>
  useChange((id: string) => retryRecipeInvocation({ path: { invocation_id: id } }), ...runs);

/** Requests the archive's address, which expires, and starts the browser's download. */
export function useDownloadResults() {
  return useMutation({
    mutationFn: async (id: string) => {
      const { data } = await readRecipeInvocationResults({ path: { invocation_id: id } });
      const link = document.createElement('a');
      link.href = resolveAddress(data.downloadableResults);
      link.download = '';
      link.click();
    },
  });
}
