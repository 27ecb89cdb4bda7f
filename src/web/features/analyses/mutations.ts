import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type AnalysisKind, findAnalysis } from '#contract/analyses/registry.ts';
import type { ListProjectOperationsResponse, Operation } from '#web/api/generated/types.gen.ts';
import { notifyFailure } from '#web/api/notify-failure.ts';
import { refresh } from '#web/api/refresh.ts';
import { startAnalysis } from '#web/api/start-analysis.ts';

/** Adds the new operation to the lists at once; live updates then bring the actual state. */
function useStarted(projectId: string) {
  const queryClient = useQueryClient();
  return (operation: Operation) => {
    queryClient.setQueriesData<ListProjectOperationsResponse>(
      { queryKey: [{ _id: 'listProjectOperations', path: { project_id: projectId } }] },
      (page) =>
        page && { ...page, results: [operation, ...page.results.filter(({ id }) => id !== operation.id)] },
    );
    const path = { project_id: projectId };
    return refresh(
      queryClient,
      { operation: 'readProjectStatus', path },
      { operation: 'listProjectOperations', path },
      'listOperations',
    );
  };
}

/** Starts an analysis with the parameters of its form. */
export function useRunAnalysis(projectId: string, kind: AnalysisKind) {
  const onSuccess = useStarted(projectId);
  return useMutation({
    mutationFn: (parameters: Record<string, unknown>) => startAnalysis(projectId, kind, parameters),
    onSuccess,
  });
}

/** Repeats an earlier operation at once, with the same parameters. */
export function useRunAgain(projectId: string) {
  const started = useStarted(projectId);
  return useMutation({
    mutationFn: (earlier: Operation) => {
      const analysis = findAnalysis(earlier.operation);
      if (!analysis) throw new Error(`${earlier.operation} is no analysis`);
      return startAnalysis(projectId, analysis.key, earlier.parameters);
    },
    onSuccess: (operation) => {
      const analysis = findAnalysis(operation.operation);
      if (analysis) notifications.show({ message: `${analysis.title} has started`, autoClose: 4_000 });
      return started(operation);
    },
    onError: notifyFailure,
  });
}
