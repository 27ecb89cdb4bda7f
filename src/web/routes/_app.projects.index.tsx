import { useSuspenseQuery } from '@tanstack/react-query';
import { createFileRoute } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { readMeOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { ProjectSearch } from '#web/features/projects/list-search.ts';
import { ProjectsPage } from '#web/features/projects/projects-page.tsx';
import { projectPageOptions, workspaceOptions } from '#web/features/projects/queries.ts';
import { openOrganization } from '#web/features/session/organizations.ts';
import { PageDropTarget } from '#web/features/uploads/page-drop-target.tsx';

export const Route = createFileRoute('/_app/projects/')({
  validateSearch: ProjectSearch,
  // A selection changes no query.
  loaderDeps: ({ search: { picked: _, ...question } }) => question,
  loader: async ({ context: { queryClient }, deps }) => {
    const me = await queryClient.ensureQueryData(readMeOptions());
    const organization = openOrganization(me, deps.organization);
    if (organization === null) return;
    void queryClient.prefetchQuery(projectPageOptions(deps, organization.id));
    void queryClient.prefetchQuery(workspaceOptions(organization.id));
  },
  component: ProjectsRoute,
});

function ProjectsRoute() {
  const inAddress = Route.useSearch();
  // Keeps the same object while the address stays the same.
  const search = useMemo(() => ProjectSearch.parse(inAddress), [inAddress]);
  const navigate = Route.useNavigate();
  const { data: me } = useSuspenseQuery(readMeOptions());
  const organization = openOrganization(me, inAddress.organization);
  const onSearch = useCallback(
    (next: ProjectSearch, options?: { replace?: boolean }) =>
      void navigate({ search: next, replace: options?.replace }),
    [navigate],
  );
  const [dropped, setDropped] = useState<readonly File[]>([]);
  if (organization === null) return null;
  const writes = organization.workspaces.some(({ role }) => role === 'editor');
  return (
    <>
      <ProjectsPage
        key={organization.id}
        organizationId={organization.id}
        search={search}
        onSearch={onSearch}
        onOpen={(projectId) => void navigate({ to: '/projects/$projectId', params: { projectId } })}
        onCompare={(projects) => void navigate({ to: '/compare', search: { projects } })}
        dropped={dropped}
        onDropTaken={(projectId) => {
          setDropped([]);
          if (projectId === null) return;
          // Imported on demand: the header parsers are large, and most visits to the list drop no files.
          void import('#web/features/uploads/upload-queue.ts').then(({ uploadQueue }) =>
            uploadQueue().add(projectId, dropped),
          );
        }}
      />
      <PageDropTarget
        reason={writes ? null : 'You can only view here: ask a manager for the editor role'}
        words="Drop to create a project"
        onFiles={setDropped}
      />
    </>
  );
}
