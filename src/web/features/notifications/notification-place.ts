import type { Notification } from '#web/api/generated/types.gen.ts';

/** A page of the dashboard, with its search parameters. */
export interface Place {
  to: string;
  search?: Record<string, string>;
}

/** The page that shows the subject of a notification: the result, the export, the view; null if there is none. */
export function placeOfNotification({
  kind,
  resource,
  resourceId: id,
  projectId,
}: Notification): Place | null {
  if (id !== null) {
    if (resource === 'workspace') return { to: '/projects', search: { workspace: id } };
    if (resource === 'recipeInvocation') return { to: `/recipes/runs/${id}` };
    if (resource === 'bulkRequest') return { to: `/bulk/${id}` };
  }
  if (projectId === null) return null;
  const to = `/projects/${projectId}`;
  if (id === null) return { to };
  switch (resource) {
    case 'operation':
      return {
        to,
        // A completed operation shows its result; any other its row, which states the error.
        search: kind === 'operation.completed' ? { operation: id } : { tab: 'operations', operation: id },
      };
    case 'dataObject':
      return { to, search: { data: id } };
    case 'export':
      return { to, search: { tab: 'exports', export: id } };
    case 'bookmark':
      return { to, search: { bookmark: id } };
    default:
      return { to };
  }
}
