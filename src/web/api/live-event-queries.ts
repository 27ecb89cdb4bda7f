/** Maps each event of the service to the queries that it invalidates. Pure; `live-updates.ts` acts on it. */

import type { OperationId } from '#contract/operations/all.ts';
import { eventResources, type ServiceEvent } from '#contract/shapes/event.ts';

/** Matches queries by the operation they call; with `path`, only those with the same path parameters. */
export interface QueryMatch {
  operation: OperationId;
  path?: Record<string, string>;
}

type Matching = (event: ServiceEvent) => QueryMatch[];

const projectQueries = (projectId: string | undefined): QueryMatch[] =>
  projectId === undefined
    ? []
    : [
        { operation: 'readProject', path: { id: projectId } },
        { operation: 'listCharacteristics', path: { id: projectId } },
        { operation: 'listDispositions', path: { id: projectId } },
        { operation: 'readProjectStatus', path: { project_id: projectId } },
      ];

const matchProject = (projectId: string | undefined, ...operations: OperationId[]): QueryMatch[] =>
  projectId === undefined
    ? []
    : operations.map((operation) => ({ operation, path: { project_id: projectId } }));

type Running = 'operation' | 'export' | 'dataObject' | 'bookmark' | 'bulkRequest' | 'recipeInvocation';

/** Queries that show the progress of running work. The lists of operations are updated by `live-progress.ts`. */
const showingProgress: Record<Running, Matching> = {
  operation: ({ projectId }) => matchProject(projectId, 'readProjectStatus'),
  // The progress of a step is reported as progress of its run.
  recipeInvocation: ({ id, projectId }) => [
    { operation: 'listRecipeInvocations' },
    { operation: 'readRecipeInvocation', path: { invocation_id: id } },
    ...matchProject(projectId, 'listProjectRecipeInvocations'),
  ],
  export: ({ projectId }) => [{ operation: 'listExports' }, ...matchProject(projectId, 'readProjectExport')],
  dataObject: ({ id }) => [
    { operation: 'readDataResolution', path: { id } },
    { operation: 'readDataViewState', path: { id } },
  ],
  bookmark: ({ id }) => [{ operation: 'listBookmarkRenders', path: { id } }],
  bulkRequest: ({ id }) => [
    { operation: 'listBulkRequests' },
    { operation: 'readBulkRequest', path: { bulk_request_id: id } },
  ],
};

const byResource: Record<ServiceEvent['resource'], Matching> = {
  project: ({ id }) => [{ operation: 'listProjects' }, ...projectQueries(id)],
  // The event does not name the changed projects, so all of them are refetched.
  projects: () => [
    { operation: 'listProjects' },
    { operation: 'readProject' },
    { operation: 'readProjectStatus' },
  ],
  operation: (event) => [
    { operation: 'listOperations' },
    { operation: 'listProjects' },
    { operation: 'readOperation', path: { id: event.id } },
    ...matchProject(event.projectId, 'listProjectOperations'),
    ...showingProgress.operation(event),
    // The event does not name the recipe run that the operation may be a step of.
    { operation: 'readRecipeInvocation' },
    { operation: 'listProjectRecipeInvocations' },
    { operation: 'listRecipeInvocations' },
    ...projectQueries(event.projectId),
  ],
  dataObject: (event) => [
    ...showingProgress.dataObject(event),
    { operation: 'readDataObject', path: { id: event.id } },
    ...projectQueries(event.projectId),
    ...(event.projectId === undefined
      ? []
      : [{ operation: 'listProjectData' as const, path: { id: event.projectId } }]),
  ],
  upload: ({ id, projectId }) => [
    { operation: 'readUpload', path: { id } },
    ...(projectId === undefined
      ? []
      : [{ operation: 'listProjectUploads' as const, path: { id: projectId } }]),
  ],
  export: (event) => [
    ...showingProgress.export(event),
    ...matchProject(event.projectId, 'readProjectStatus'),
  ],
  recipeInvocation: ({ projectId }) => [
    { operation: 'listProjectRecipeInvocations' },
    { operation: 'listRecipeInvocations' },
    { operation: 'readRecipeInvocation' },
    { operation: 'readRecipeInvocationResults' },
    ...projectQueries(projectId),
  ],
  recipe: () => [{ operation: 'listRecipeVersions' }, { operation: 'listScanRecipeRevisions' }],
  bulkRequest: (event) => [
    ...showingProgress.bulkRequest(event),
    { operation: 'listBulkItems', path: { bulk_request_id: event.id } },
  ],
  bookmark: ({ id, projectId }) => [
    ...(projectId === undefined ? [] : [{ operation: 'readStory' as const, path: { id: projectId } }]),
    { operation: 'listBookmarks' },
    { operation: 'readBookmark', path: { id } },
    { operation: 'listBookmarkComments', path: { id } },
    { operation: 'listBookmarkRenders', path: { id } },
  ],
  measurement: ({ id, projectId }) => [
    { operation: 'readMeasurement', path: { id } },
    ...(projectId === undefined ? [] : [{ operation: 'listMeasurements' as const, path: { id: projectId } }]),
  ],
  organization: ({ id }) => [
    { operation: 'readMe' },
    { operation: 'listOrganizations' },
    { operation: 'readOrganization', path: { id } },
    { operation: 'listWorkspaces', path: { id } },
    { operation: 'listMembers', path: { id } },
    { operation: 'listInvitations', path: { id } },
    { operation: 'listAnalysisModules', path: { id } },
    { operation: 'listAuditLog', path: { id } },
  ],
  notification: () => [{ operation: 'listNotifications' }],
  // Shared-view events go straight to followers and invalidate no query.
  sharedView: () => [],
};

/** Queries that the event invalidates; empty for an unknown resource. */
export function findQueries(event: ServiceEvent): QueryMatch[] {
  const progress: Partial<typeof byResource> = event.type === 'progressed' ? showingProgress : {};
  return (progress[event.resource] ?? byResource[event.resource])?.(event) ?? [];
}

/** Whether a query key of the generated client matches. */
export function keyMatches(queryKey: readonly unknown[], { operation, path }: QueryMatch): boolean {
  const head = queryKey[0];
  if (typeof head !== 'object' || head === null || !('_id' in head) || head._id !== operation) return false;
  if (path === undefined) return true;
  const own = 'path' in head && typeof head.path === 'object' && head.path !== null ? head.path : {};
  return Object.entries(path).every(([name, value]) => Reflect.get(own, name) === value);
}

const liveOperations = new Set(
  eventResources
    .flatMap((resource) => findQueries({ type: 'updated', resource, id: '', projectId: '' }))
    .map(({ operation }) => operation),
);

/** Whether any event invalidates the query. */
export const isLive = (queryKey: readonly unknown[]): boolean =>
  [...liveOperations].some((operation) => keyMatches(queryKey, { operation }));
