import { createFileRoute } from '@tanstack/react-router';
import { readProjectOptions } from '../api/generated/@tanstack/react-query.gen.ts';
import { useCrumb } from '../ui/frame/breadcrumb.tsx';
import { PageHeader } from '../ui/page-header.tsx';

export const Route = createFileRoute('/_app/projects/$projectId')({
  loader: ({ context, params }) =>
    context.queryClient.ensureQueryData(readProjectOptions({ path: { id: params.projectId } })),
  component: ProjectRoute,
});

function ProjectRoute() {
  const project = Route.useLoaderData();
  useCrumb(project.name);
  return <PageHeader title={project.name} />;
}
