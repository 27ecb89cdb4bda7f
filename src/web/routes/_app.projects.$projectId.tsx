import { createFileRoute } from '@tanstack/react-router';
import { projectStatusOptions } from '#web/features/analyses/queries.ts';
import { projectDataOptions } from '#web/features/data-objects/queries.ts';
import { projectOptions } from '#web/features/projects/queries.ts';
import { useStillHere } from '#web/ui/use-still-here.ts';
import { listCompared } from './-compare/compare-search.ts';
import { ProjectPage } from './-project/project-page.tsx';
import { ProjectPageSearch } from './-project/project-search.ts';

export const Route = createFileRoute('/_app/projects/$projectId')({
  validateSearch: ProjectPageSearch,
  loader: async ({ context: { queryClient }, params: { projectId }, location: { search }, cause }) => {
    void queryClient.prefetchQuery(projectDataOptions(projectId));
    void import('#web/viewer/ScanViewer.tsx');
    // Hovering a link may not lead to a visit, and a page that stays open already has its picture.
    if (cause === 'enter' && !('tab' in search))
      void import('#web/features/data-objects/load-ahead.ts')
        .then(({ loadPictureAhead }) => loadPictureAhead(queryClient, projectId))
        .catch(() => undefined);
    void queryClient.prefetchQuery(projectStatusOptions(projectId));
    await queryClient.ensureQueryData(projectOptions(projectId));
  },
  component: ProjectRoute,
});

function ProjectRoute() {
  const { projectId } = Route.useParams();
  const { queryClient } = Route.useRouteContext();
  const search = Route.useSearch();
  const go = Route.useNavigate();
  const isStillHere = useStillHere();
  const navigate: typeof go = async (options) => {
    if (isStillHere()) await go(options);
  };
  return (
    <ProjectPage
      key={projectId}
      projectId={projectId}
      search={search}
      onSearch={(changes) =>
        void navigate({ search: (before) => ({ ...before, ...changes }), hash: true, resetScroll: false })
      }
      onLeave={() => void navigate({ to: '/projects' })}
      onOpenRun={(runId) => void navigate({ to: '/recipes/runs/$runId', params: { runId } })}
      onCompare={() => {
        const data = queryClient.getQueryData(projectDataOptions(projectId).queryKey);
        const projects = listCompared(projectId, data?.results ?? []);
        void navigate({ to: '/compare', search: { projects } });
      }}
      onOpenProject={(id) => void navigate({ to: '/projects/$projectId', params: { projectId: id } })}
    />
  );
}
