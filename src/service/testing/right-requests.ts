/**
 * Creates a valid request for every operation of the contract, with the resources it needs. Each call creates new
 * resources, so that a request may consume them.
 */

import { randomUUID } from 'node:crypto';
import { findDeclaration, type OperationId } from '#contract/operations/all.ts';
import { VolumeViewQuery } from '#contract/shapes/data-object.ts';
import { viewState } from '#contract/testing/view-state.ts';
import { requestView } from '../resources/data/store.ts';
import { password, type TestService } from './service.ts';
import { exportConfig, length, meshSteps, prepareThings, viewQuery } from './things.ts';

export interface RightRequest {
  id: OperationId;
  method: string;
  url: string;
  /** ids in the path, in order */
  ids: string[];
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** token of a session that the request may end; absent when any token will do */
  token?: string;
}

/** The caller; requests on owned resources are created for this user. */
export interface Asker {
  id: string;
  token: string;
  /** undefined for a user outside the first organization, for whom no further accounts can be created */
  role?: 'viewer' | 'editor';
}

type Made = Omit<RightRequest, 'id' | 'method' | 'url' | 'ids'> & { ids?: string[]; url?: string };
type Make = (asker: Asker) => Promise<Made> | Made;

const makeMetadata = (fields: Record<string, string>): string =>
  Object.entries(fields)
    .map(([key, text]) => `${key} ${Buffer.from(text).toString('base64')}`)
    .join(',');

/** @returns a function that creates a valid request for an operation */
export async function rightRequests(
  service: TestService,
): Promise<(id: OperationId, asker: Asker) => Promise<RightRequest>> {
  const { organizationId, workspaceId, token } = service;
  const things = await prepareThings(service);
  let count = 0;

  async function compared() {
    const id = await things.project();
    const body = {
      sourceDataObjectId: await things.data(id, 'mesh'),
      referenceDataObjectId: await things.data(id, 'cad'),
    };
    return { ids: [id], body };
  }
  const ended = { status: 'completed', finishedAt: new Date() } as const;

  const nothing: Make = () => ({});
  const onProject =
    (body?: Made['body']): Make =>
    async () => ({
      ids: [await things.project()],
      ...(body && { body }),
    });
  const onScan =
    (body: Made['body'] = {}): Make =>
    async () => ({ ids: [await things.scanned()], body });
  const onOrganization =
    (body?: Made['body']): Make =>
    () => ({ ids: [organizationId], ...(body && { body }) });
  const onBookmark =
    (body?: Made['body']): Make =>
    async () => ({
      ids: [await things.bookmark()],
      ...(body && { body }),
    });
  const onMany =
    (more: Made['body'] = {}): Make =>
    async () => ({
      body: { projectIds: [await things.project()], ...more },
    });
  const toWorkspace = { destinationWorkspaceId: workspaceId };

  const right = {
    login: () => ({ body: { email: service.email, password } }),
    logout: async (asker) => ({ token: await things.session(asker.id) }),
    async passwordChange({ role }) {
      const { token: own } = role === undefined ? await service.member() : await service.member({ role });
      return { token: own, body: { oldPassword: password, newPassword: `${password} 2` } };
    },
    requestPasswordReset: () => ({ body: { email: service.email } }),
    readPasswordReset: async () => ({ body: { token: await things.resetLink() } }),
    resetPassword: async () => ({ body: { token: await things.resetLink(), newPassword: `${password} 3` } }),
    listSessions: nothing,
    endSession: async ({ id }) => ({ ids: [await things.sessionId(id)] }),
    endOtherSessions: async () => ({ token: (await service.member()).token }),
    patchMe: () => ({ body: { name: 'Another name' } }),
    async deleteAccount({ role }) {
      const { token: own } = await service.member(role === undefined ? {} : { role });
      return { token: own, body: { password } };
    },
    readMe: nothing,
    listProjects: nothing,
    listProjectIds: nothing,
    createProject: () => ({ body: { workspaceId, name: 'New' } }),
    listCharacteristics: onProject(),
    listDispositions: onProject(),
    createDisposition: onProject({ decision: 'accept', reason: 'within drawing' }),
    readProject: onProject(),
    updateProject: onProject({
      name: 'x',
      description: '',
      tags: [],
      partNumber: null,
      serialNumber: null,
      lot: null,
    }),
    patchProject: onProject({ lot: 'L' }),
    deleteProject: onProject(),
    archiveProject: onProject(),
    restoreProject: async () => ({ ids: [await things.project('archived')] }),
    copyProject: onProject(toWorkspace),
    moveProject: onProject(toWorkspace),
    createMesh: onScan(),
    createTexturedMesh: onScan(),
    runWallThickness: onScan(),
    runIntegrityAnalysis: onScan(),
    runAutoAlignLite: compared,
    runMeshCompare: compared,
    runDecomposeMeshCompare: compared,
    runPipeline: onScan({ steps: meshSteps }),
    runReconstructionPreview: onScan(),
    readProjectStatus: onProject(),
    listProjectOperations: onProject(),
    listOperations: nothing,
    readOperation: async () => ({ ids: [await things.operation('pending')] }),
    cancelOperation: async () => ({ ids: [await things.operation('pending')] }),
    retryOperation: async () => ({ ids: [await things.operation('failed')], body: {} }),
    listRecipeVersions: onOrganization(),
    createRecipeVersion: onOrganization({ name: 'R', steps: meshSteps }),
    releaseRecipeVersion: async () => ({ ids: [organizationId, await things.version({ draft: true })] }),
    withdrawRecipeVersion: async () => ({ ids: [organizationId, await things.version()] }),
    listVersionEffects: async () => {
      const id = await things.version();
      const path = `/api/v2/organizations/${organizationId}/recipeVersions/${id}/effects`;
      return { ids: [organizationId, id], url: `${path}?against=${id}` };
    },
    listScanRecipeRevisions: onOrganization(),
    createScanRecipeRevision: onOrganization({ name: 'S' }),
    listProjectRecipeInvocations: onProject(),
    listRecipeInvocations: nothing,
    runRecipe: async () => ({ ids: [await things.scanned()], body: { recipePk: await things.recipe() } }),
    readRecipeInvocation: async () => ({ ids: [await things.invocation('pending')] }),
    readRecipeInvocationResults: async () => ({ ids: [await things.invocation('completed')] }),
    cancelRecipeInvocation: async () => ({ ids: [await things.invocation('pending')] }),
    retryRecipeInvocation: async () => ({ ids: [await things.invocation('failed')] }),
    readDataObject: async () => ({ ids: [await things.addFile()] }),
    patchDataObject: async () => ({
      ids: [await things.data(await things.project(), 'cad')],
      body: { kind: 'mesh' },
    }),
    async readDataView() {
      const id = await things.viewedVolume();
      const query = Object.entries(viewQuery).map(([name, value]) => `${name}=${value}`);
      return { ids: [id], url: `/api/v2/data/${id}/view?${query.join('&')}` };
    },
    async readDataViewState() {
      const id = await things.readableVolume();
      return { ids: [id], url: `/api/v2/data/${id}/view/state?outputFormat=raw` };
    },
    async cancelDataView() {
      const id = await things.readableVolume();
      const wanted = { ...viewQuery, max_voxel_count: ++count };
      await requestView(service.db, id, VolumeViewQuery.parse(wanted));
      const query = Object.entries(wanted).map(([name, value]) => `${name}=${value}`);
      return { ids: [id], url: `/api/v2/data/${id}/view/cancel?${query.join('&')}` };
    },
    async readSurfaceView() {
      const id = await things.largeSurface();
      return { ids: [id], url: `/api/v2/data/${id}/surfaceView?detail=simplified` };
    },
    readDataResolution: async () => ({ ids: [await things.readableVolume()] }),
    requestProjectExport: onProject({ config: exportConfig }),
    requestProjectReport: onProject(),
    readProjectExport: async () => ({ ids: [(await things.addExport(things.ownerId)).projectId] }),
    listDefects: async () => ({ ids: [await things.defects()] }),
    readExportFile: async () => ({ ids: [await things.addFile(), 'a.stl'] }),
    listProjectData: onProject(),
    listForeignReferences: onProject(),
    async readDataSlice() {
      const id = await things.readableVolume();
      return { ids: [id], url: `/api/v2/data/${id}/slice?axis=z` };
    },
    async readDataLevel() {
      const id = await things.readableVolume();
      return { ids: [id], url: `/api/v2/data/${id}/level` };
    },
    listExports: nothing,
    estimateProjectExport: onProject(),
    cancelExport: async ({ id }) => ({ ids: [(await things.addExport(id)).id] }),
    retryExport: async ({ id }) => ({ ids: [(await things.addExport(id, 'failed')).id] }),
    createUpload: async () => ({
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '10',
        'upload-metadata': makeMetadata({ projectId: await things.project(), filename: 'scan.raw' }),
      },
    }),
    readUpload: async () => ({ ids: [await things.upload()] }),
    listProjectUploads: onProject(),
    async downloadFile() {
      const { body } = await service.ask<{ url: string }>(
        'GET',
        `/api/v2/export/${await things.addFile()}/a.stl`,
        undefined,
        { token },
      );
      return { url: new URL(body.url).pathname };
    },
    listBulkRequests: nothing,
    readBulkRequest: async ({ id }) => ({ ids: [await things.bulk(id)] }),
    cancelBulkRequest: async ({ id }) => ({ ids: [await things.bulk(id)] }),
    listBulkItems: async ({ id }) => ({ ids: [await things.bulk(id)] }),
    retryBulkRequest: async ({ id }) => ({ ids: [await things.bulk(id, { ...ended, failedCount: 1 })] }),
    undoBulkRequest: async ({ id }) => ({ ids: [await things.bulk(id, { ...ended, completedCount: 1 })] }),
    previewBulk: onMany({ operationType: 'archive' }),
    bulkArchive: onMany(),
    bulkCopy: onMany(toWorkspace),
    bulkMove: onMany(toWorkspace),
    bulkDelete: onMany(),
    bulkAddTags: onMany({ tags: ['a'] }),
    bulkRemoveTags: onMany({ tags: ['a'] }),
    bulkRunRecipe: async () => ({
      body: { projectIds: [await things.project()], recipePk: await things.recipe() },
    }),
    bulkDownloadResults: onMany(),
    bulkRestore: onMany(),
    listBookmarks: nothing,
    createBookmark: async () => ({ body: { projectId: await things.project(), name: 'b', viewState } }),
    readBookmark: onBookmark(),
    updateBookmark: onBookmark({ name: 'b', description: '', viewState }),
    deleteBookmark: onBookmark(),
    listBookmarkComments: onBookmark(),
    createBookmarkComment: onBookmark({ text: 'hello' }),
    listBookmarkRenders: onBookmark(),
    createBookmarkRender: onBookmark({ width: 64, height: 64 }),
    cancelBookmarkRender: () => things.addRender('pending'),
    retryBookmarkRender: () => things.addRender('failed'),
    readStory: onProject(),
    async orderStory() {
      const { projectId, id } = await things.story();
      return { ids: [projectId], body: { bookmarkIds: [id] } };
    },
    listMeasurements: onProject(),
    async createMeasurement() {
      const id = await things.project();
      const body = { dataObjectId: await things.data(id, 'volume'), ...length };
      return { ids: [id], body };
    },
    readMeasurement: async () => ({ ids: [await things.measured()] }),
    patchMeasurement: async () => ({ ids: [await things.measured()], body: { name: 'Wall' } }),
    deleteMeasurement: async () => ({ ids: [await things.measured()] }),
    listOrganizations: nothing,
    createOrganization: () => ({ body: { name: 'Another organization' } }),
    resetMemberPassword: async () => ({ ids: [organizationId, await things.member()] }),
    deleteMemberAccount: async () => ({ ids: [organizationId, await things.member()] }),
    readOrganization: onOrganization(),
    listWorkspaces: onOrganization(),
    createWorkspace: () => ({ ids: [organizationId], body: { name: randomUUID() } }),
    listMembers: onOrganization(),
    listAnalysisModules: onOrganization(),
    addMember: () => ({
      ids: [organizationId],
      body: { email: `${randomUUID()}@example.com`, password, isManager: false },
    }),
    patchMember: async () => ({ ids: [organizationId, await things.member()], body: { isManager: false } }),
    removeMember: async () => ({ ids: [organizationId, await things.member()] }),
    patchAnalysisModule: async () => ({
      ids: [organizationId, await things.module()],
      body: { enabled: true },
    }),
    patchOrganization: onOrganization({ name: 'Another name' }),
    deleteWorkspace: async () => ({ ids: [await things.workspace()] }),
    listInvitations: onOrganization(),
    createInvitation: () => ({ ids: [organizationId], body: { email: `${randomUUID()}@example.com` } }),
    revokeInvitation: async () => ({ ids: [organizationId, (await things.invite()).id] }),
    readInvitation: async () => ({ body: { token: (await things.invite()).token } }),
    acceptInvitation: async () => ({ body: { token: (await things.invite()).token, password } }),
    patchWorkspace: async () => ({ ids: [await things.workspace()], body: { name: randomUUID() } }),
    listAuditLog: onOrganization(),
    readHealth: nothing,
    readLiveness: nothing,
    readReadiness: nothing,
    listenToEvents: nothing,
    shareView: onProject({ presenterId: things.ownerId, place: null }),
    listAccessTokens: nothing,
    createAccessToken: () => ({ body: { name: 't' } }),
    revokeAccessToken: async ({ id }) => ({ ids: [await things.accessToken(id)] }),
    listNotifications: nothing,
    markNotificationsRead: () => ({ body: {} }),
  } satisfies Record<OperationId, Make>;

  return async (id, asker) => {
    const { ids = [], url, ...rest } = await (right[id] as Make)(asker);
    const { method, path } = findDeclaration(id);
    return { id, method, ids, url: url ?? withIds(path, ids), ...rest };
  };
}

/** The path with its parameters replaced by these ids, in order. */
export function withIds(path: string, ids: readonly string[]): string {
  let at = 0;
  return path.replaceAll(/\{\w+\}/g, () => ids[at++]);
}
