import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Capability, Project } from '#contract/shapes/project.ts';
import { dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';
import { blobs, projects } from '#storage/db/schema-projects.ts';
import { operations } from '#storage/db/schema-work.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { type TestService, testService } from '../../testing/service.ts';

let service: TestService;
let viewer: { token: string };
beforeAll(async () => {
  service = await testService();
  viewer = await service.member({ role: 'viewer' });
});
afterAll(() => service.close());

const at = (id: string, action = '') => `/api/v2/projects/${id}${action}`;
const as = (token = service.token) => ({ token });
const list = (query: string, token?: string) => service.listProjects(query, token);

describe('a project', () => {
  test('is created, read and listed with the same fields', async () => {
    const made = await service.project({ name: 'Housing', tags: ['b', 'a', 'b'], partNumber: 'P-1' });
    expect(made).toMatchObject({
      identifier: made.id,
      tags: ['b', 'a'],
      state: 'active',
      serialNumber: null,
    });
    const { body, headers } = await service.ask<Project>('GET', at(made.id), undefined, as());
    expect([body, headers['etag']]).toEqual([made, '"1"']);
    expect((await list('search=housing')).body.results).toEqual([made]);
  });

  test('is created once by two requests with the same Idempotency-Key; other requests can’t reuse the key', async () => {
    const input = { workspaceId: service.workspaceId, name: 'Once' };
    const headers = { 'idempotency-key': 'key-1' };
    const both = await Promise.all(
      [1, 2].map(() => service.ask('POST', '/api/v2/projects', input, { token: service.token, headers })),
    );
    expect(both.map(({ status }) => status)).toEqual([201, 201]);
    expect(both[0].body).toEqual(both[1].body);
    expect((await list('search=once')).body.count).toBe(1);
    const other = await service.ask(
      'POST',
      '/api/v2/projects',
      { ...input, name: 'Other' },
      { token: service.token, headers },
    );
    expect([other.status, other.body['code']]).toEqual([409, 'IDEMPOTENCY_MISMATCH']);
  });

  test('is created once even if the first request with a key was killed before its response', async () => {
    const input = { workspaceId: service.workspaceId, name: 'Killed' };
    const headers = { 'idempotency-key': 'killed' };
    const ask = () => service.ask('POST', '/api/v2/projects', input, { token: service.token, headers });
    await service.db.execute(sql`
      create function end_session() returns trigger language plpgsql as $$
        begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`);
    await service.db.execute(sql`
      create trigger killed before update on idempotency_keys for each row execute function end_session()`);
    expect((await ask()).status).toBeGreaterThanOrEqual(500);
    await service.db.execute(sql`drop trigger killed on idempotency_keys`);
    expect((await list('search=killed')).body.count).toBe(0);
    const [again, repeated] = [await ask(), await ask()];
    expect([again.status, repeated.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect((await list('search=killed')).body.count).toBe(1);
    service.errors.length = 0;
  });

  test('is updated only from its newest state when If-Match is given', async () => {
    const { id } = await service.project();
    const write = (etag: string) =>
      service.ask('PATCH', at(id), { name: 'new' }, { token: service.token, headers: { 'if-match': etag } });
    expect((await write('"1"')).headers['etag']).toBe('"2"');
    const late = await write('"1"');
    expect([late.status, late.body['code']]).toEqual([412, 'PRECONDITION_FAILED']);
    expect((await write('*')).status).toBe(200);
  });

  test('requires all writable fields for PUT and any for PATCH', async () => {
    const { id } = await service.project();
    const some = await service.ask('PUT', at(id), { name: 'x' }, as());
    expect([some.status, some.body['field']]).toEqual([400, 'description']);
    const all = { name: 'x', description: '', tags: [], partNumber: 'P', serialNumber: null, lot: null };
    expect((await service.ask('PUT', at(id), all, as())).body).toMatchObject(all);
    expect((await service.ask('PATCH', at(id), { lot: 'L' }, as())).body).toMatchObject({ ...all, lot: 'L' });
    const unknown = await service.ask('PATCH', at(id), { colour: 'red' }, as());
    expect([unknown.status, unknown.body['field']]).toEqual([400, 'colour']);
  });
});

describe('the states of a project', () => {
  test('archive and restore can be repeated, and an archived one refuses writes', async () => {
    const { id } = await service.project();
    for (let i = 0; i < 2; i += 1) {
      const { status, body } = await service.ask('POST', at(id, '/archive'), undefined, as());
      expect([status, body['state']]).toEqual([200, 'archived']);
    }
    for (const [method, action, body] of [
      ['PATCH', '', { name: 'x' }],
      ['POST', '/move', { destinationWorkspaceId: service.workspaceId }],
      ['POST', '/createMesh', {}],
    ] as const) {
      const refused = await service.ask(method, at(id, action), body, as());
      expect([refused.status, refused.body['code']]).toEqual([409, 'PROJECT_ARCHIVED']);
    }
    for (let i = 0; i < 2; i += 1)
      expect((await service.ask('POST', at(id, '/restore'), undefined, as())).body['state']).toBe('active');
  });

  test('a deleted project is listed only among deleted ones, and is restored unchanged', async () => {
    const { id } = await service.project({ name: 'Trashed' });
    await service.ask('POST', at(id, '/archive'), undefined, as());
    expect((await service.ask('DELETE', at(id), undefined, as())).status).toBe(204);
    for (const [method, action] of [
      ['GET', ''],
      ['POST', '/archive'],
      ['DELETE', ''],
      ['GET', '/status'],
      ['GET', '/data'],
    ])
      expect((await service.ask(method, at(id, action), undefined, as())).status).toBe(404);
    expect((await list('search=trashed')).body.count).toBe(0);
    expect((await list('search=trashed&state=deleted')).body.results[0].id).toBe(id);
    expect((await service.ask('POST', at(id, '/restore'), undefined, as())).body['state']).toBe('archived');
  });
});

test('an analysis without input data states what to upload', async () => {
  const { capabilities } = await service.project();
  const findReason = (name: string) => capabilities.find(({ action }) => action === name)?.reason;
  expect(findReason('runReconstructionPreview')).toBe(
    'the project has no radiographs yet; upload them first',
  );
  expect(findReason('createMesh')).toMatch(/^the project has no volume.* yet; upload one first$/);
});

describe('roles', () => {
  test('a viewer can read but not write, and gets the reason', async () => {
    const { id } = await service.project();
    const { body } = await service.ask<Project>('GET', at(id), undefined, viewer);
    const edit = body.capabilities.find(({ action }) => action === 'edit') as Capability;
    expect([edit.allowed, edit.reason]).toEqual([false, expect.stringContaining('editor')]);
    for (const [method, action] of [
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/archive'],
      ['POST', '/createMesh'],
    ]) {
      const refused = await service.ask(method, at(id, action), {}, viewer);
      expect([refused.status, refused.body['code']]).toEqual([403, 'PERMISSION_DENIED']);
    }
  });

  test('a manager without a role in the workspace does not see its projects until granting one', async () => {
    const { id } = await service.project();
    const manager = await service.member({ isManager: true });
    expect((await service.ask('GET', at(id), undefined, manager)).status).toBe(404);
    const url = `/api/v2/organizations/${service.organizationId}/members/${manager.id}`;
    await service.ask('PATCH', url, { workspaces: [{ id: service.workspaceId, role: 'viewer' }] }, manager);
    expect((await service.ask('GET', at(id), undefined, manager)).status).toBe(200);
  });
});

describe('copy and move', () => {
  test('a copy has its own rows and shares stored files', async () => {
    const { db } = service;
    const { id: projectId } = await service.project({ name: 'Original' });
    await db.insert(blobs).values({ key: 'files/aa/one', kind: 'object', sizeBytes: 3 });
    const { organizationId } = service;
    const [operation] = await db
      .insert(operations)
      .values({
        projectId,
        organizationId,
        operation: 'createMesh',
        status: 'completed',
        finishedAt: new Date(),
      })
      .returning();
    const object = {
      projectId,
      ...exampleContent('mesh'),
      name: 'Mesh',
      sizeBytes: 3,
      createdByOperationId: operation.id,
    };
    const [{ id: dataObjectId }] = await db.insert(dataObjects).values(object).returning();
    await db
      .update(operations)
      .set({ outputDataObjectIds: [dataObjectId] })
      .where(eq(operations.id, operation.id));
    const file = {
      dataObjectId,
      fileName: 'a.stl',
      mediaType: 'model/stl',
      sizeBytes: 3,
      sha256: 'a'.repeat(64),
      blobKey: 'files/aa/one',
    };
    await db.insert(dataObjectFiles).values(file);
    const destination = { destinationWorkspaceId: service.workspaceId, name: 'Duplicate' };
    const { status, body: copy } = await service.ask<Project>(
      'POST',
      at(projectId, '/copy'),
      destination,
      as(),
    );
    expect([status, copy.name, copy.dataObjectCount, copy.storageBytes]).toEqual([201, 'Duplicate', 1, 3]);
    const { body } = await service.ask<{ results: { id: string; createdByOperation: string }[] }>(
      'GET',
      at(copy.id, '/data'),
      undefined,
      as(),
    );
    expect(body.results[0].id).not.toBe(dataObjectId);
    const made = await service.ask(
      'GET',
      `/api/v2/operations/${body.results[0].createdByOperation}`,
      undefined,
      as(),
    );
    expect(made.body).toMatchObject({ projectId: copy.id, outputDataObjectIds: [body.results[0].id] });
    const files = await db.select().from(dataObjectFiles).where(eq(dataObjectFiles.blobKey, 'files/aa/one'));
    expect(files).toHaveLength(2);
  });

  test('moving requires the editor role in both workspaces', async () => {
    const { id } = await service.project();
    const elsewhere = await service.stranger();
    const refused = await service.ask(
      'POST',
      at(id, '/move'),
      { destinationWorkspaceId: elsewhere.workspaceId },
      as(),
    );
    expect([refused.status, refused.body['field']]).toEqual([404, 'destinationWorkspaceId']);
    const url = `/api/v2/organizations/${service.organizationId}/workspaces`;
    const { body: workspace } = await service.ask('POST', url, { name: 'Archive room' }, as());
    const moved = await service.ask(
      'POST',
      at(id, '/move'),
      { destinationWorkspaceId: workspace['id'] },
      as(),
    );
    expect([moved.status, moved.body['workspaceId']]).toEqual([200, workspace['id']]);
    expect((await service.ask('GET', at(id), undefined, viewer)).status).toBe(404);
  });
});

test('a thumbnail has the same URL in two responses, so that it can be cached', async () => {
  const { id } = await service.project();
  await service.db.insert(blobs).values({ key: 'thumbnails/aa/t', kind: 'object' });
  await service.db.update(projects).set({ thumbnailKey: 'thumbnails/aa/t' }).where(eq(projects.id, id));
  const read = async () => (await service.ask<Project>('GET', at(id), undefined, as())).body.thumbnailUrl;
  expect(await read()).toBe(await read());
  expect(await read()).toContain('/api/files/');
});

test('the service logged no error', () => {
  expect(service.errors).toEqual([]);
});
