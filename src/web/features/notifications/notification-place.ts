import type { Notification } from '../../api/generated/types.gen.ts';

/** A page of the dashboard, and what of it is shown. */
export interface Place {
  to: string;
  search?: Record<string, string>;
}

/** Where what a notification is about is seen itself: the result, the archive, the view; null where there is none. */
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
        // What has a result shows it; else its row says what went wrong.
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
