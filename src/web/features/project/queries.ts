/** A project with the ETag of what was read, so that a change can say what it was made on. */
import { queryOptions } from '@tanstack/react-query';
import { listWorkspacesOptions, readProjectQueryKey } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { readProject } from '#web/api/generated/sdk.gen.ts';
import type { Project } from '#web/api/generated/types.gen.ts';

export interface ReadProject {
  project: Project;
  /** null when the service gave none */
  etag: string | null;
}

/** Under the generated key with one word more, so that what makes the generated one stale reaches this too. */
export const projectOptions = (projectId: string) =>
  queryOptions({
    queryKey: [...readProjectQueryKey({ path: { id: projectId } }), 'with ETag'] as const,
    queryFn: async ({ signal }): Promise<ReadProject> => {
      const { data, response } = await readProject({ path: { id: projectId }, signal, throwOnError: true });
      return { project: data, etag: response.headers.get('ETag') };
    },
  });

/** Where a project can be copied or moved to. */
export const workspacesOptions = (organizationId: string) =>
  listWorkspacesOptions({ path: { id: organizationId }, query: { page_size: 200 } });
