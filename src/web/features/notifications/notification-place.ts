import type { Notification } from '../../api/generated/types.gen.ts';

/** Where the page of what a notification is about stands; null where there is none. */
export function addressOfNotification({ resource, resourceId, projectId }: Notification): string | null {
  if (resource === 'workspace' && resourceId !== null) return `/projects?workspace=${resourceId}`;
  if (resource === 'recipeInvocation' && resourceId !== null) return `/recipes/runs/${resourceId}`;
  if (resource === 'bulkRequest' && resourceId !== null) return `/bulk/${resourceId}`;
  if (projectId === null) return null;
  if (resource === 'export') return `/projects/${projectId}?tab=exports`;
  if (resource === 'bookmark' && resourceId !== null) return `/projects/${projectId}?bookmark=${resourceId}`;
  return `/projects/${projectId}`;
}
