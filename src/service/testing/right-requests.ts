/**
 * For every operation of the contract a request that is right, with the things that it needs: what a walk over all of
 * them starts from. Each call makes fresh things, so that a request may use them up.
 */

import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import type { RecipeStep } from '#contract/analyses/pipeline.ts';
import { findDeclaration, type OperationId } from '#contract/operations/all.ts';
import { VolumeViewQuery } from '#contract/shapes/data-object.ts';
import { viewState } from '#contract/testing/view-state.ts';
import { createVolumeWriter } from '#formats/ome-zarr/volume-writer.ts';
import { openPasswordReset } from '#storage/access/accounts.ts';
import { registerBlob } from '#storage/blobs/sweep.ts';
import { invitations, organizationMembers, tokens, users } from '#storage/db/schema-accounts.ts';
import { bookmarkRenders, bookmarks } from '#storage/db/schema-collaboration.ts';
import { dataObjectFiles, dataObjects, dataViews } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import {
  bulkItems,
  bulkRequests,
  exports,
  operations,
  recipeInvocations,
  uploads,
} from '#storage/db/schema-work.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { hashToken, newToken, openSession } from '../http/session.ts';
import { requestView } from '../resources/data/store.ts';
import { password, type TestService } from './service.ts';

export interface RightRequest {
  id: OperationId;
  method: string;
  url: string;
  /** those in the path, in order */
  ids: string[];
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** of a session that the request may end; otherwise any */
  token?: string;
}

/** Somebody in whose name is asked; a request about things that are somebody's own is made for him. */
export interface Asker {
  id: string;
  token: string;
  /** of one who is no member of the first organization no further accounts can be made */
  role?: 'viewer' | 'editor';
}

type Made = Omit<RightRequest, 'id' | 'method' | 'url' | 'ids'> & { ids?: string[]; url?: string };
type Make = (asker: Asker) => Promise<Made> | Made;

const meshSteps: RecipeStep[] = [{ key: 'mesh', operation: 'createMesh', parameters: {}, needs: [] }];
const viewQuery = { outputFormat: 'raw', max_dimension_size: 2, skip_normalization: true };
const exportConfig = { exportMeshes: true, exportVolumes: false, exportRadiographs: false };
const volumeGrid = {
  dimensions: [4, 4, 4] as [number, number, number],
  voxelSizeMm: [1, 1, 1] as [number, number, number],
  originMm: [0, 0, 0] as [number, number, number],
  directions: [1, 0, 0, 0, 1, 0, 0, 0, 1] as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ],
};
const metadataOf = (fields: Record<string, string>): string =>
  Object.entries(fields)
    .map(([key, text]) => `${key} ${Buffer.from(text).toString('base64')}`)
    .join(',');

/** @returns for each operation what makes a right request of it */
export async function rightRequests(
  service: TestService,
): Promise<(id: OperationId, asker: Asker) => Promise<RightRequest>> {
  const { db, blobs, organizationId, workspaceId, token } = service;
  const [{ id: ownerId }] = await db.select().from(users).where(eq(users.email, service.email));
  let count = 0;

  const post = async <Body = { id: string }>(path: string, body: unknown, as = token): Promise<Body> => {
    const answer = await service.ask<Body>('POST', `/api/${path}`, body, { token: as });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
    return answer.body;
  };
  const only = async (rows: Promise<{ id: string }[]>): Promise<string> => (await rows)[0].id;
  const blob = async (text = 'solid'): Promise<string> => {
    const key = `files/aa/${randomUUID()}`;
    await registerBlob(db, { key, kind: 'object' });
    await blobs.put(key, Buffer.from(text));
    return key;
  };

  const project = (state: 'active' | 'archived' = 'active'): Promise<string> => {
    count += 1;
    const name = `Part ${count}`;
    const values = { organizationId, workspaceId, name, nameSort: name, searchText: name, state };
    return only(db.insert(projects).values(values).returning());
  };
  const data = (projectId: string, kind: 'volume' | 'cad' | 'mesh' | 'radiographs') =>
    only(
      db
        .insert(dataObjects)
        .values({ projectId, ...exampleContent(kind), name: kind })
        .returning(),
    );
  async function scanned(): Promise<string> {
    const id = await project();
    const kinds = ['volume', 'cad', 'mesh', 'radiographs'] as const;
    await db
      .insert(dataObjects)
      .values(kinds.map((kind) => ({ projectId: id, ...exampleContent(kind), name: kind })));
    return id;
  }
  async function compared() {
    const id = await project();
    const body = { sourceDataObjectId: await data(id, 'mesh'), referenceDataObjectId: await data(id, 'cad') };
    return { ids: [id], body };
  }
  let volume: Promise<string> | undefined;
  async function makeVolume(): Promise<string> {
    const volumeKey = `volumes/aa/${randomUUID()}`;
    await registerBlob(db, { key: volumeKey, kind: 'volume' });
    const writer = createVolumeWriter(blobs, volumeKey, { ...volumeGrid, dataType: 'uint8' });
    await writer.append(new Uint8Array(64).fill(7));
    await writer.finish();
    const values = { projectId: await project(), ...exampleContent('volume'), name: 'v', volumeKey };
    return only(db.insert(dataObjects).values(values).returning());
  }
  const readableVolume = (): Promise<string> => (volume ??= makeVolume());
  async function viewedVolume(): Promise<string> {
    const id = await readableVolume();
    const view = await requestView(db, id, VolumeViewQuery.parse(viewQuery));
    const made = { status: 'completed' as const, blobKey: await blob() };
    await db.update(dataViews).set(made).where(eq(dataViews.id, view.id));
    return id;
  }
  async function fileOf(): Promise<string> {
    const dataObjectId = await data(await project(), 'mesh');
    const described = { fileName: 'a.stl', mediaType: 'model/stl', sizeBytes: 5, sha256: 'a'.repeat(64) };
    await db.insert(dataObjectFiles).values({ ...described, dataObjectId, blobKey: await blob() });
    return dataObjectId;
  }
  async function largeSurface(): Promise<string> {
    const dataObjectId = await data(await project(), 'mesh');
    const described = { fileName: 'mesh.glb', mediaType: 'model/gltf-binary', sha256: 'a'.repeat(64) };
    const values = { ...described, dataObjectId, sizeBytes: 30e6, blobKey: await blob() };
    await db.insert(dataObjectFiles).values(values);
    return dataObjectId;
  }
  async function defects(): Promise<string> {
    const values = { projectId: await project(), ...exampleContent('integrity'), name: 'i' };
    const dataObjectId = await only(db.insert(dataObjects).values(values).returning());
    const described = {
      fileName: 'defects.json',
      mediaType: 'application/json',
      sizeBytes: 2,
      sha256: 'a'.repeat(64),
    };
    const blobKey = await blob('[]');
    await db.insert(dataObjectFiles).values({ ...described, dataObjectId, blobKey });
    return dataObjectId;
  }
  async function operation(status: 'pending' | 'failed') {
    const finishedAt = status === 'failed' ? new Date() : null;
    const values = {
      projectId: await scanned(),
      organizationId,
      status,
      finishedAt,
      operation: 'createMesh',
    };
    return only(db.insert(operations).values(values).returning());
  }
  const recipe = async () =>
    (
      await post<{ recipePk: string }>(`v2/organizations/${organizationId}/recipeVersions`, {
        name: 'R',
        steps: meshSteps,
      })
    ).recipePk;
  const version = async (more = {}) =>
    (
      await post(`v2/organizations/${organizationId}/recipeVersions`, {
        name: 'R',
        steps: meshSteps,
        ...more,
      })
    ).id;
  async function invocation(status: 'pending' | 'failed' | 'completed') {
    const definition = { steps: meshSteps, gates: [] };
    const values = {
      projectId: await scanned(),
      organizationId,
      definition,
      steps: [{ key: 'mesh', operationId: null, status }],
      status,
      finishedAt: status === 'pending' ? null : new Date(),
      archiveKey: status === 'completed' ? await blob() : null,
    };
    return only(db.insert(recipeInvocations).values(values).returning());
  }
  async function exportOf(createdBy: string, status: 'pending' | 'failed' = 'pending') {
    const projectId = await project();
    const finishedAt = status === 'failed' ? new Date() : null;
    const values = { projectId, config: exportConfig, createdBy, status, finishedAt };
    return { id: await only(db.insert(exports).values(values).returning()), projectId };
  }
  async function renderOf(status: 'pending' | 'failed') {
    const bookmarkId = await bookmark();
    const finishedAt = status === 'failed' ? new Date() : null;
    const values = { bookmarkId, width: 64, height: 64, status, finishedAt };
    return { ids: [bookmarkId, await only(db.insert(bookmarkRenders).values(values).returning())] };
  }
  const bookmark = async () =>
    only(
      db
        .insert(bookmarks)
        .values({ projectId: await project(), name: 'b', viewState, createdBy: ownerId })
        .returning(),
    );
  /** A bulk request of the asker on one project; ended when `more` says how. */
  async function bulk(createdBy: string, more: Partial<typeof bulkRequests.$inferInsert> = {}) {
    const values = { organizationId, operationType: 'archive' as const, totalCount: 1, createdBy, ...more };
    const id = await only(db.insert(bulkRequests).values(values).returning());
    const isDone = more.completedCount === 1;
    await db.insert(bulkItems).values({
      bulkRequestId: id,
      projectId: await project(),
      position: 0,
      status: isDone ? 'completed' : more.failedCount === 1 ? 'failed' : 'pending',
    });
    if (isDone)
      await db.execute(
        sql`update ${bulkItems} set before = '{}', result = '{"after":{}}' where bulk_request_id = ${id}`,
      );
    return id;
  }
  const ended = { status: 'completed', finishedAt: new Date() } as const;
  const upload = async () =>
    only(
      db
        .insert(uploads)
        .values({ projectId: await project(), fileName: 'a', sizeBytes: 1 })
        .returning(),
    );
  const workspace = async () =>
    (await post(`v2/organizations/${organizationId}/workspaces`, { name: randomUUID() })).id;
  async function member(): Promise<string> {
    const email = `${randomUUID()}@example.com`;
    const id = await only(db.insert(users).values({ email, name: email }).returning());
    return only(db.insert(organizationMembers).values({ organizationId, userId: id }).returning());
  }
  async function module(): Promise<string> {
    const url = `/api/v2/organizations/${organizationId}/analysisModules`;
    const { body } = await service.ask<{ results: { id: string }[] }>('GET', url, undefined, { token });
    return body.results[0].id;
  }
  async function invite() {
    const secret = newToken();
    const email = `${randomUUID()}@example.com`;
    const expiresAt = new Date(Date.now() + 60_000);
    const values = { organizationId, email, tokenHash: hashToken(secret), expiresAt };
    return { id: await only(db.insert(invitations).values(values).returning()), token: secret };
  }
  const accessToken = (userId: string) =>
    only(db.insert(tokens).values({ userId, kind: 'personal', hash: randomUUID(), name: 't' }).returning());
  const sessionId = async (userId: string) =>
    only(db.insert(tokens).values({ userId, kind: 'session', hash: randomUUID() }).returning());
  async function resetLink(): Promise<string> {
    const email = `${randomUUID()}@example.com`;
    const userId = await only(db.insert(users).values({ email, name: email }).returning());
    const secret = newToken();
    await openPasswordReset(db, userId, hashToken(secret), new Date(Date.now() + 60_000));
    return secret;
  }
  const session = async ({ id }: Asker) => (await openSession(db, id, 1)).token;

  const nothing: Make = () => ({});
  const onProject =
    (body?: Made['body']): Make =>
    async () => ({
      ids: [await project()],
      ...(body && { body }),
    });
  const onScan =
    (body: Made['body'] = {}): Make =>
    async () => ({ ids: [await scanned()], body });
  const onOrganization =
    (body?: Made['body']): Make =>
    () => ({ ids: [organizationId], ...(body && { body }) });
  const onBookmark =
    (body?: Made['body']): Make =>
    async () => ({
      ids: [await bookmark()],
      ...(body && { body }),
    });
  const length = {
    name: 'Length',
    kind: 'distance' as const,
    points: [
      [0, 0, 0],
      [0, 3, 4],
    ],
  };
  async function measured(): Promise<string> {
    const id = await project();
    const body = { dataObjectId: await data(id, 'volume'), ...length };
    return (await post(`v2/projects/${id}/measurements`, body)).id;
  }
  const onMany =
    (more: Made['body'] = {}): Make =>
    async () => ({
      body: { projectIds: [await project()], ...more },
    });
  const toWorkspace = { destinationWorkspaceId: workspaceId };

  const right = {
    login: () => ({ body: { email: service.email, password } }),
    logout: async (asker) => ({ token: await session(asker) }),
    async passwordChange({ role }) {
      const { token: own } = role === undefined ? await service.member() : await service.member({ role });
      return { token: own, body: { oldPassword: password, newPassword: `${password} 2` } };
    },
    requestPasswordReset: () => ({ body: { email: service.email } }),
    readPasswordReset: async () => ({ body: { token: await resetLink() } }),
    resetPassword: async () => ({ body: { token: await resetLink(), newPassword: `${password} 3` } }),
    listSessions: nothing,
    endSession: async ({ id }) => ({ ids: [await sessionId(id)] }),
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
    restoreProject: async () => ({ ids: [await project('archived')] }),
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
    readOperation: async () => ({ ids: [await operation('pending')] }),
    cancelOperation: async () => ({ ids: [await operation('pending')] }),
    retryOperation: async () => ({ ids: [await operation('failed')], body: {} }),
    listRecipeVersions: onOrganization(),
    createRecipeVersion: onOrganization({ name: 'R', steps: meshSteps }),
    releaseRecipeVersion: async () => ({ ids: [organizationId, await version({ draft: true })] }),
    withdrawRecipeVersion: async () => ({ ids: [organizationId, await version()] }),
    listVersionEffects: async () => {
      const id = await version();
      const path = `/api/v2/organizations/${organizationId}/recipeVersions/${id}/effects`;
      return { ids: [organizationId, id], url: `${path}?against=${id}` };
    },
    listScanRecipeRevisions: onOrganization(),
    createScanRecipeRevision: onOrganization({ name: 'S' }),
    listProjectRecipeInvocations: onProject(),
    listRecipeInvocations: nothing,
    runRecipe: async () => ({ ids: [await scanned()], body: { recipePk: await recipe() } }),
    readRecipeInvocation: async () => ({ ids: [await invocation('pending')] }),
    readRecipeInvocationResults: async () => ({ ids: [await invocation('completed')] }),
    cancelRecipeInvocation: async () => ({ ids: [await invocation('pending')] }),
    retryRecipeInvocation: async () => ({ ids: [await invocation('failed')] }),
    readDataObject: async () => ({ ids: [await fileOf()] }),
    patchDataObject: async () => ({ ids: [await data(await project(), 'cad')], body: { kind: 'mesh' } }),
    async readDataView() {
      const id = await viewedVolume();
      const query = Object.entries(viewQuery).map(([name, value]) => `${name}=${value}`);
      return { ids: [id], url: `/api/v2/data/${id}/view?${query.join('&')}` };
    },
    async readDataViewState() {
      const id = await readableVolume();
      return { ids: [id], url: `/api/v2/data/${id}/view/state?outputFormat=raw` };
    },
    async cancelDataView() {
      const id = await readableVolume();
      const wanted = { ...viewQuery, max_voxel_count: ++count };
      await requestView(db, id, VolumeViewQuery.parse(wanted));
      const query = Object.entries(wanted).map(([name, value]) => `${name}=${value}`);
      return { ids: [id], url: `/api/v2/data/${id}/view/cancel?${query.join('&')}` };
    },
    async readSurfaceView() {
      const id = await largeSurface();
      return { ids: [id], url: `/api/v2/data/${id}/surfaceView?detail=simplified` };
    },
    readDataResolution: async () => ({ ids: [await readableVolume()] }),
    requestProjectExport: onProject({ config: exportConfig }),
    requestProjectReport: onProject(),
    readProjectExport: async () => ({ ids: [(await exportOf(ownerId)).projectId] }),
    listDefects: async () => ({ ids: [await defects()] }),
    readExportFile: async () => ({ ids: [await fileOf(), 'a.stl'] }),
    listProjectData: onProject(),
    listForeignReferences: onProject(),
    async readDataSlice() {
      const id = await readableVolume();
      return { ids: [id], url: `/api/v2/data/${id}/slice?axis=z` };
    },
    async readDataLevel() {
      const id = await readableVolume();
      return { ids: [id], url: `/api/v2/data/${id}/level` };
    },
    listExports: nothing,
    estimateProjectExport: onProject(),
    cancelExport: async ({ id }) => ({ ids: [(await exportOf(id)).id] }),
    retryExport: async ({ id }) => ({ ids: [(await exportOf(id, 'failed')).id] }),
    createUpload: async () => ({
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '10',
        'upload-metadata': metadataOf({ projectId: await project(), filename: 'scan.raw' }),
      },
    }),
    readUpload: async () => ({ ids: [await upload()] }),
    listProjectUploads: onProject(),
    async downloadFile() {
      const { body } = await service.ask<{ url: string }>(
        'GET',
        `/api/v2/export/${await fileOf()}/a.stl`,
        undefined,
        { token },
      );
      return { url: new URL(body.url).pathname };
    },
    listBulkRequests: nothing,
    readBulkRequest: async ({ id }) => ({ ids: [await bulk(id)] }),
    cancelBulkRequest: async ({ id }) => ({ ids: [await bulk(id)] }),
    listBulkItems: async ({ id }) => ({ ids: [await bulk(id)] }),
    retryBulkRequest: async ({ id }) => ({ ids: [await bulk(id, { ...ended, failedCount: 1 })] }),
    undoBulkRequest: async ({ id }) => ({ ids: [await bulk(id, { ...ended, completedCount: 1 })] }),
    previewBulk: onMany({ operationType: 'archive' }),
    bulkArchive: onMany(),
    bulkCopy: onMany(toWorkspace),
    bulkMove: onMany(toWorkspace),
    bulkDelete: onMany(),
    bulkAddTags: onMany({ tags: ['a'] }),
    bulkRemoveTags: onMany({ tags: ['a'] }),
    bulkRunRecipe: async () => ({ body: { projectIds: [await project()], recipePk: await recipe() } }),
    bulkDownloadResults: onMany(),
    bulkRestore: onMany(),
    listBookmarks: nothing,
    createBookmark: async () => ({ body: { projectId: await project(), name: 'b', viewState } }),
    readBookmark: onBookmark(),
    updateBookmark: onBookmark({ name: 'b', description: '', viewState }),
    deleteBookmark: onBookmark(),
    listBookmarkComments: onBookmark(),
    createBookmarkComment: onBookmark({ text: 'hello' }),
    listBookmarkRenders: onBookmark(),
    createBookmarkRender: onBookmark({ width: 64, height: 64 }),
    cancelBookmarkRender: () => renderOf('pending'),
    retryBookmarkRender: () => renderOf('failed'),
    readStory: onProject(),
    async orderStory() {
      const values = { projectId: await project(), name: 'b', viewState };
      const id = await only(db.insert(bookmarks).values(values).returning());
      return { ids: [values.projectId], body: { bookmarkIds: [id] } };
    },
    listMeasurements: onProject(),
    async createMeasurement() {
      const id = await project();
      const body = { dataObjectId: await data(id, 'volume'), ...length };
      return { ids: [id], body };
    },
    readMeasurement: async () => ({ ids: [await measured()] }),
    patchMeasurement: async () => ({ ids: [await measured()], body: { name: 'Wall' } }),
    deleteMeasurement: async () => ({ ids: [await measured()] }),
    listOrganizations: nothing,
    createOrganization: () => ({ body: { name: 'Another organization' } }),
    resetMemberPassword: async () => ({ ids: [organizationId, await member()] }),
    deleteMemberAccount: async () => ({ ids: [organizationId, await member()] }),
    readOrganization: onOrganization(),
    listWorkspaces: onOrganization(),
    createWorkspace: () => ({ ids: [organizationId], body: { name: randomUUID() } }),
    listMembers: onOrganization(),
    listAnalysisModules: onOrganization(),
    addMember: () => ({
      ids: [organizationId],
      body: { email: `${randomUUID()}@example.com`, password, isManager: false },
    }),
    patchMember: async () => ({ ids: [organizationId, await member()], body: { isManager: false } }),
    removeMember: async () => ({ ids: [organizationId, await member()] }),
    patchAnalysisModule: async () => ({ ids: [organizationId, await module()], body: { enabled: true } }),
    patchOrganization: onOrganization({ name: 'Another name' }),
    deleteWorkspace: async () => ({ ids: [await workspace()] }),
    listInvitations: onOrganization(),
    createInvitation: () => ({ ids: [organizationId], body: { email: `${randomUUID()}@example.com` } }),
    revokeInvitation: async () => ({ ids: [organizationId, (await invite()).id] }),
    readInvitation: async () => ({ body: { token: (await invite()).token } }),
    acceptInvitation: async () => ({ body: { token: (await invite()).token, password } }),
    patchWorkspace: async () => ({ ids: [await workspace()], body: { name: randomUUID() } }),
    listAuditLog: onOrganization(),
    readHealth: nothing,
    readLiveness: nothing,
    readReadiness: nothing,
    listenToEvents: nothing,
    shareView: onProject({ presenterId: ownerId, place: null }),
    listAccessTokens: nothing,
    createAccessToken: () => ({ body: { name: 't' } }),
    revokeAccessToken: async ({ id }) => ({ ids: [await accessToken(id)] }),
    listNotifications: nothing,
    markNotificationsRead: () => ({ body: {} }),
  } satisfies Record<OperationId, Make>;

  return async (id, asker) => {
    const { ids = [], url, ...rest } = await (right[id] as Make)(asker);
    const { method, path } = findDeclaration(id);
    return { id, method, ids, url: url ?? withIds(path, ids), ...rest };
  };
}

/** The path with these in place of its parameters, in order. */
export function withIds(path: string, ids: readonly string[]): string {
  let at = 0;
  return path.replaceAll(/\{\w+\}/g, () => ids[at++]);
}
