/** Creates the resources that requests need, directly in the database where possible. */

import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import type { RecipeStep } from '#contract/analyses/pipeline.ts';
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
import type { TestService } from './service.ts';

export const meshSteps: RecipeStep[] = [{ key: 'mesh', operation: 'createMesh', parameters: {}, needs: [] }];
export const viewQuery = { outputFormat: 'raw', max_dimension_size: 2, skip_normalization: true };
export const exportConfig = { exportMeshes: true, exportVolumes: false, exportRadiographs: false };
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
export const length = {
  name: 'Length',
  kind: 'distance' as const,
  points: [
    [0, 0, 0],
    [0, 3, 4],
  ],
};

/** @returns functions that create one resource each, with its parents */
export async function prepareThings(service: TestService) {
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
  async function addFile(): Promise<string> {
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
  async function addExport(createdBy: string, status: 'pending' | 'failed' = 'pending') {
    const projectId = await project();
    const finishedAt = status === 'failed' ? new Date() : null;
    const values = { projectId, config: exportConfig, createdBy, status, finishedAt };
    return { id: await only(db.insert(exports).values(values).returning()), projectId };
  }
  async function addRender(status: 'pending' | 'failed') {
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
  /** Creates a bulk request of a user on one project; `more` may set its final state. */
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
    await openPasswordReset(db, userId, hashToken(secret), 60);
    return secret;
  }
  const session = async (userId: string) => (await openSession(db, userId, 1)).token;
  async function measured(): Promise<string> {
    const id = await project();
    const body = { dataObjectId: await data(id, 'volume'), ...length };
    return (await post(`v2/projects/${id}/measurements`, body)).id;
  }

  /** Creates a bookmark, and returns it with its project. */
  async function story() {
    const values = { projectId: await project(), name: 'b', viewState };
    return { projectId: values.projectId, id: await only(db.insert(bookmarks).values(values).returning()) };
  }
  return {
    ownerId,
    project,
    data,
    scanned,
    readableVolume,
    viewedVolume,
    addFile,
    largeSurface,
    defects,
    operation,
    recipe,
    version,
    invocation,
    addExport,
    addRender,
    bookmark,
    bulk,
    upload,
    workspace,
    member,
    module,
    invite,
    accessToken,
    sessionId,
    resetLink,
    session,
    measured,
    story,
  };
}
