import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type AnalysisKind, analysisFacts, analysisKinds } from '#contract/analyses/kinds.ts';
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
import { notifyFailure } from '#web/api/notify-failure.ts';

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

async function start(projectId: string, kind: AnalysisKind, parameters: Record<string, unknown>) {
  const call: Call = { path: { project_id: projectId }, body: parameters as never, throwOnError: true };
  const { data } = await calls[kind](call);
  return data as Operation;
}

/** The operation is in the lists at once, the truth follows by live updates. */
function useStarted(projectId: string) {
  const queryClient = useQueryClient();
  return (operation: Operation) => {
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
  };
}

/** Starts an analysis with the parameters of its form. */
export function useRunAnalysis(projectId: string, kind: AnalysisKind) {
  const onSuccess = useStarted(projectId);
  return useMutation({
    mutationFn: (parameters: Record<string, unknown>) => start(projectId, kind, parameters),
    onSuccess,
  });
}

/** Starts what an earlier operation did once more, at once and with just what it was given. */
export function useRunAgain(projectId: string) {
  const started = useStarted(projectId);
  return useMutation({
    mutationFn: (earlier: Operation) => {
      const kind = analysisKinds.find((each) => each === earlier.operation);
      if (kind === undefined) throw new Error(`${earlier.operation} is no analysis`);
      return start(projectId, kind, earlier.parameters);
    },
    onSuccess: (operation) => {
      const kind = analysisKinds.find((each) => each === operation.operation);
      if (kind) notifications.show({ message: `${analysisFacts[kind].title} has started`, autoClose: 4_000 });
      return started(operation);
    },
    onError: notifyFailure,
  });
}
