import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Problem } from '#contract/shapes/problem.ts';
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
interface List {
  count: number;
  next: string | null;
  previous: string | null;
  nextCursor?: string;
  results: Project[];
}
const cursorOf = (order: string, ...keys: string[]): string =>
  Buffer.from(JSON.stringify({ order, keys, isBackwards: false })).toString('base64url');
const list = (query: string, token = service.token) =>
  service.ask<List>('GET', `/api/v2/projects?${query}`, undefined, { token });

describe('a project', () => {
  test('is created, read and shown in the list with the same fields', async () => {
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

  test('is made once by two requests with the same Idempotency-Key, and the key fits no other request', async () => {
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

  test('is made once by a key whose first request was killed between its work and its answer', async () => {
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

  test('is written only by who has read its newest state, when If-Match says so', async () => {
    const { id } = await service.project();
    const write = (etag: string) =>
      service.ask('PATCH', at(id), { name: 'new' }, { token: service.token, headers: { 'if-match': etag } });
    expect((await write('"1"')).headers['etag']).toBe('"2"');
    const late = await write('"1"');
    expect([late.status, late.body['code']]).toEqual([412, 'PRECONDITION_FAILED']);
    expect((await write('*')).status).toBe(200);
  });

  test('needs all writable fields for PUT and any for PATCH', async () => {
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

  test('a deleted one is found only among the deleted, and comes back as it was', async () => {
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

test('an analysis that lacks its data says what to upload', async () => {
  const { capabilities } = await service.project();
  const reasonOf = (name: string) => capabilities.find(({ action }) => action === name)?.reason;
  expect(reasonOf('runReconstructionPreview')).toBe('the project has no radiographs yet; upload them first');
  expect(reasonOf('createMesh')).toMatch(/^the project has no volume.* yet; upload one first$/);
});

describe('roles', () => {
  test('a viewer reads and may not write, and is told why', async () => {
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

  test('a manager without a role in the workspace does not see its projects until he grants himself one', async () => {
    const { id } = await service.project();
    const manager = await service.member({ isManager: true });
    expect((await service.ask('GET', at(id), undefined, manager)).status).toBe(404);
    const url = `/api/v2/organizations/${service.organizationId}/members/${manager.id}`;
    await service.ask('PATCH', url, { workspaces: [{ id: service.workspaceId, role: 'viewer' }] }, manager);
    expect((await service.ask('GET', at(id), undefined, manager)).status).toBe(200);
  });
});

describe('the list', () => {
  test('filters by tags that must all match, by state, and finds names without case and accents', async () => {
    await service.project({ name: 'Gehäuse Ω1', tags: ['alu', 'x'] });
    await service.project({ name: 'Deckel', tags: ['alu'], serialNumber: 'SN-77%_' });
    expect((await list('tag=alu')).body.count).toBe(2);
    expect((await list('tag=alu&tag=x')).body.results.map(({ name }) => name)).toEqual(['Gehäuse Ω1']);
    expect((await list('search=GEHAUSE')).body.count).toBe(1);
    expect((await list(`search=${encodeURIComponent('77%_')}`)).body.count).toBe(1);
    expect((await list(`search=${encodeURIComponent('%')}`)).body.count).toBe(1);
    expect((await list('state=melted')).body).toEqual({ count: 0, next: null, previous: null, results: [] });
    expect((await list('verdict=pass')).body.count).toBe(0);
    expect((await list('verdict=none')).body.count).toBeGreaterThan(1);
    expect((await list(`workspace=${crypto.randomUUID()}`)).body.count).toBe(0);
  });

  test('has pages with addresses of their neighbours, and none beyond the last', async () => {
    const { body } = await list('page_size=2&ordering=name');
    const next = new URL(body.next as string);
    const second = await service.ask<typeof body>('GET', next.pathname + next.search, undefined, as());
    expect(body.previous).toBeNull();
    expect(new URL(second.body.previous as string).searchParams.get('page')).toBe('1');
    const names = [...body.results, ...second.body.results].map(({ name }) => name.toLowerCase());
    expect(names).toEqual(names.toSorted());
    expect((await list('page=9999')).status).toBe(404);
    expect((await list('page=1', viewer.token)).status).toBe(200);
  });

  test.each([
    ['page=0', 'page'],
    ['page=1.5', 'page'],
    ['page=x', 'page'],
    ['page_size=201', 'page_size'],
    ['ordering=colour', 'ordering'],
    ['colour=red', 'colour'],
    ['page=1&page=2', 'page'],
    ['search=%00', 'search'],
    ['page=99999999999999999999', 'page'],
  ])('names what is wrong with ?%s', async (query, field) => {
    const { status, body } = await service.ask('GET', `/api/v2/projects?${query}`, undefined, as());
    expect([status, body['code'], body['field']]).toEqual([400, 'VALIDATION_FAILED', field]);
  });

  test('names a malformed id in the query with a code of its own', async () => {
    const { status, body } = await service.ask('GET', '/api/v2/projects?workspace=here', undefined, as());
    expect([status, body['code'], body['field']]).toEqual([400, 'INVALID_UUID', 'workspace']);
  });

  test('holds of named projects those that one may see and the rest of the question finds', async () => {
    const [a, b, gone] = [
      await service.project({ name: 'Named a', tags: ['named'] }),
      await service.project({ name: 'Named b' }),
      await service.project({ name: 'Named c' }),
    ];
    await service.ask('DELETE', `/api/v2/projects/${gone.id}`, undefined, { token: service.token });
    const named = [b.id, a.id.toUpperCase(), gone.id, crypto.randomUUID()].map((id) => `id=${id}`).join('&');
    const found = async (query: string) => {
      const { body } = await list(query);
      return [body.count, body.results.map(({ name }) => name)];
    };
    expect(await found(`${named}&ordering=name`)).toEqual([2, ['Named a', 'Named b']]);
    expect(await found(`${named}&ordering=name&page_size=1&page=2`)).toEqual([2, ['Named b']]);
    expect(await found(`${named}&tag=named`)).toEqual([1, ['Named a']]);
    expect(await found(`${named}&state=deleted`)).toEqual([1, ['Named c']]);
    const stranger = await service.stranger();
    const { body: theirs } = await service.ask('GET', `/api/v2/projects?${named}`, undefined, stranger);
    expect(theirs).toMatchObject({ count: 0, results: [] });
    const many = Array.from({ length: 201 }, () => `id=${a.id}`).join('&');
    for (const [query, code] of [
      ['id=1', 'INVALID_UUID'],
      [many, 'VALIDATION_FAILED'],
    ]) {
      const { status, body } = await service.ask('GET', `/api/v2/projects?${query}`, undefined, {
        token: service.token,
      });
      expect([status, body['code'], String(body['field']).split('.')[0]]).toEqual([400, code, 'id']);
    }
  });

  test('goes by cursors past what others create meanwhile: every project comes once, in both directions', async () => {
    const [before, ids] = [
      await list('page_size=200'),
      (page: { body: { results: Project[] } }) => page.body.results.map(({ id }) => id),
    ];
    const expected = ids(before);
    const follow = async (address: string | null) =>
      service.ask<typeof before.body>(
        'GET',
        new URL(address ?? '').pathname + new URL(address ?? '').search,
        undefined,
        as(),
      );
    let page = await list('page_size=3');
    page = {
      ...page,
      body: { ...page.body, next: `http://x/api/v2/projects?page_size=3&cursor=${page.body.nextCursor}` },
    };
    const seen = ids(page);
    const pages = [ids(page)];
    while (page.body.next !== null) {
      for (let i = 0; i < 5; i += 1) await service.project({ name: `Meanwhile ${i}` });
      page = await follow(page.body.next);
      seen.push(...ids(page));
      pages.push(ids(page));
    }
    expect(seen).toEqual(expected);
    const back: string[][] = [];
    while (back.length < pages.length - 1) {
      page = await follow(page.body.previous);
      back.unshift(ids(page));
    }
    expect(back).toEqual(pages.slice(0, -1));
    const { body } = await follow(page.body.previous);
    expect(body.results[0]?.name).toBe('Meanwhile 2');
  });

  test.each([
    ['cursor=nonsense', 'cursor'],
    ['cursor=e30', 'cursor'],
    [`cursor=${cursorOf('name', 'x', crypto.randomUUID())}`, 'cursor'],
    [`cursor=${cursorOf('-createdAt', 'some day', crypto.randomUUID())}`, 'cursor'],
    [`cursor=${cursorOf('-createdAt', '2024-01-01T00:00:00Z', '\0')}`, 'cursor'],
    [`cursor=${cursorOf('-createdAt', '2024-01-01T00:00:00Z', crypto.randomUUID())}&page=2`, 'page'],
  ])('names what is wrong with the made-up ?%s', async (query, field) => {
    const { status, body } = await list(query);
    expect([status, (body as unknown as Problem).code, (body as unknown as Problem).field]).toEqual([
      400,
      'VALIDATION_FAILED',
      field,
    ]);
  });

  test('shows four readers beside a writer nothing that contradicts their question', async () => {
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, i) => service.project({ name: `Turning ${i}` })),
    );
    let isWriting = true;
    const write = async () => {
      for (let i = 0; i < 40; i += 1)
        for (const action of ['/archive', '/restore']) {
          const { id } = made[(i * 5) % made.length] as Project;
          await service.ask('POST', at(id, action), undefined, as());
        }
      isWriting = false;
    };
    const wrong: string[] = [];
    const read = async (state: string) => {
      while (isWriting) {
        const { body } = await list(`search=turning&state=${state}&ordering=-updatedAt`);
        wrong.push(...body.results.map((project) => project.state).filter((found) => found !== state));
        if (body.results.length !== body.count) wrong.push(`${body.results.length} of ${body.count}`);
      }
    };
    await Promise.all([write(), read('archived'), read('active'), read('archived'), read('active')]);
    expect(wrong).toEqual([]);
  });

  test('names the ids of all projects that were there, while others are created', async () => {
    const old = await Promise.all(
      Array.from({ length: 6 }, (_, i) => service.project({ name: `Bulk ${i}` })),
    );
    let isWriting = true;
    const write = async () => {
      for (let i = 0; i < 60; i += 1) await service.project({ name: `Bulk newer ${i}` });
      isWriting = false;
    };
    const missing: string[] = [];
    const read = async () => {
      while (isWriting) {
        const { body } = await service.ask<{ count: number; projectIds: string[] }>(
          'GET',
          '/api/v2/projectIds?search=bulk',
          undefined,
          as(),
        );
        missing.push(...old.map(({ id }) => id).filter((id) => !body.projectIds.includes(id)));
        if (body.projectIds.length !== body.count) missing.push(`${body.projectIds.length} of ${body.count}`);
      }
    };
    await Promise.all([write(), read(), read()]);
    expect(missing).toEqual([]);
  });

  test('has an ETag that stays until something in it changes', async () => {
    const { id } = await service.project({ name: 'Tagged list' });
    const ask = (etag: string) =>
      service.ask('GET', '/api/v2/projects?search=tagged', undefined, {
        token: service.token,
        headers: { 'if-none-match': etag },
      });
    const { headers, status } = await ask('"other"');
    const etag = String(headers['etag']);
    expect(status).toBe(200);
    const same = await ask(etag);
    expect([same.status, same.text, same.headers['etag']]).toEqual([304, '', etag]);
    await service.ask('PATCH', at(id), { lot: 'L' }, as());
    expect((await ask(etag)).status).toBe(200);
  });

  test('is stable where the order says nothing: every project comes once', async () => {
    const seen: string[] = [];
    let { body } = await list('page_size=3&ordering=state');
    for (let page = 1; ; page += 1) {
      seen.push(...body.results.map(({ id }) => id));
      if (body.next === null) break;
      body = (await list(`page_size=3&ordering=state&page=${page + 1}`)).body;
    }
    expect(new Set(seen).size).toBe(body.count);
    expect(seen.length).toBe(body.count);
  });
});

describe('copy and move', () => {
  test('a copy has rows of its own and the same stored bytes', async () => {
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

  test('moving needs the role editor in both workspaces', async () => {
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

test('a thumbnail has the same address in two answers, so that it can be cached', async () => {
  const { id } = await service.project();
  await service.db.insert(blobs).values({ key: 'thumbnails/aa/t', kind: 'object' });
  await service.db.update(projects).set({ thumbnailKey: 'thumbnails/aa/t' }).where(eq(projects.id, id));
  const read = async () => (await service.ask<Project>('GET', at(id), undefined, as())).body.thumbnailUrl;
  expect(await read()).toBe(await read());
  expect(await read()).toContain('/api/files/');
});

test('nothing of this was the service’s own failure', () => {
  expect(service.errors).toEqual([]);
});
