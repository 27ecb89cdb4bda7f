import { createFileRoute } from '@tanstack/react-router';
import { parameterRows } from '#web/features/analyses/parameter-words.ts';
import { runOptions } from '#web/features/recipes/queries.ts';
import { RunPage } from '#web/features/recipes/run-page.tsx';

export const Route = createFileRoute('/_app/recipes/runs/$runId')({
  loader: async ({ context: { queryClient }, params: { runId } }) => {
    await queryClient.ensureQueryData(runOptions(runId));
  },
  component: RunRoute,
});

function RunRoute() {
  const { runId } = Route.useParams();
  return <RunPage key={runId} runId={runId} parameterRows={parameterRows} />;
}
