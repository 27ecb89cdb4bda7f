import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { AnalysisKind } from '#contract/analyses/kinds.ts';
import {
  createMesh,
  createTexturedMesh,
  runAutoAlignLite,
  runDecomposeMeshCompare,
  runIntegrityAnalysis,
  runMeshCompare,
  runPipeline,
  runReconstructionPreview,
  runWallThickness,
} from '#web/api/generated/sdk.gen.ts';
import type { ListProjectOperationsResponse, Operation } from '#web/api/generated/types.gen.ts';

interface Call {
  path: { project_id: string };
  // Checked against the contract's own schema before it comes here; the generated types say the same.
  body: never;
  throwOnError: true;
}

const calls = {
  createMesh,
  createTexturedMesh,
  runAutoAlignLite,
  runDecomposeMeshCompare,
  runIntegrityAnalysis,
  runMeshCompare,
  runPipeline,
  runReconstructionPreview,
  runWallThickness,
} satisfies Record<AnalysisKind, (call: Call) => Promise<{ data: Operation | unknown }>>;

/** Starts an analysis; its operation is in the lists at once, the truth follows by live updates. */
export function useRunAnalysis(projectId: string, kind: AnalysisKind) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (parameters: Record<string, unknown>) => {
      const call: Call = {
        path: { project_id: projectId },
        body: parameters as never,
        throwOnError: true,
      };
      const { data } = await calls[kind](call);
      return data as Operation;
    },
    onSuccess: (operation) => {
      queryClient.setQueriesData<ListProjectOperationsResponse>(
        { queryKey: [{ _id: 'listProjectOperations', path: { project_id: projectId } }] },
        (page) =>
          page && { ...page, results: [operation, ...page.results.filter(({ id }) => id !== operation.id)] },
      );
      return Promise.all([
        queryClient.invalidateQueries({
          queryKey: [{ _id: 'readProjectStatus', path: { project_id: projectId } }],
        }),
        queryClient.invalidateQueries({
          queryKey: [{ _id: 'listProjectOperations', path: { project_id: projectId } }],
        }),
        queryClient.invalidateQueries({ queryKey: [{ _id: 'listOperations' }] }),
      ]);
    },
  });
}
