import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BulkItem, BulkPreview, BulkRequest } from '#contract/shapes/bulk-request.ts';
import { analysisModules } from '#storage/db/schema-accounts.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { bulkItems, recipeInvocations } from '#storage/db/schema-work.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { type TestService, testService } from '../../testing/service.ts';

let service: TestService;
let other: { token: string };
beforeAll(async () => {
  service = await testService();
  other = await service.member({ role: 'editor' });
});
afterAll(() => service.close());

const as = (token = service.token, headers: Record<string, string> = {}) => ({ token, headers });
const post = <Body = BulkRequest>(path: string, body: unknown, options = as()) =>
  service.ask<Body>('POST', `/api/v2/${path}`, body, options);
const get = <Body>(path: string, options = as()) =>
  service.ask<Body>('GET', `/api/v2/${path}`, undefined, options);
const preview = async (body: unknown, token = service.token) =>
  (await post<BulkPreview>('bulkProjects/preview', body, as(token))).body;

describe('creating a bulk request', () => {
  test('returns 202 immediately, removes duplicate projects, and lists them as items', async () => {
    const [a, b] = [await service.project({ name: 'A' }), await service.project({ name: 'B' })];
    const unknown = crypto.randomUUID();
    const projectIds = [a.id, b.id, a.id.toUpperCase(), unknown];
    const { status, body } = await post('bulkProjects/archive', { projectIds });
    expect(status).toBe(202);
    expect(body).toMatchObject({
      status: 'pending',
      operationType: 'archive',
      totalCount: 3,
      completedCount: 0,
      failedCount: 0,
      downloadUrl: null,
      undo: { allowed: false },
    });
    const items = await get<{ count: number; results: BulkItem[] }>(`bulkRequests/${body.id}/items`);
    expect(items.body.results.map(({ projectId, projectName }) => [projectId, projectName])).toEqual([
      [a.id, 'A'],
      [b.id, 'B'],
      [unknown, null],
    ]);
    expect((await get<{ count: number }>(`bulkRequests/${body.id}/items?status=failed`)).body.count).toBe(0);
  });

  test('creates one request when sent twice with the same Idempotency-Key', async () => {
    const { id } = await service.project();
    const twice = [1, 2].map(() =>
      post('bulkProjects/delete', { projectIds: [id] }, as(service.token, { 'idempotency-key': 'bulk-1' })),
    );
    const [first, second] = await Promise.all(twice);
    expect(first.body).toEqual(second.body);
  });

  test.each([
    ['archive', {}, 'projectIds'],
    ['archive', { projectIds: [] }, 'projectIds'],
    ['archive', { projectIds: ['x'] }, 'projectIds.0'],
    ['archive', { projectIds: Array.from({ length: 10_001 }, () => crypto.randomUUID()) }, 'projectIds'],
    ['move', { projectIds: [crypto.randomUUID()] }, 'destinationWorkspaceId'],
    ['addTags', { projectIds: [crypto.randomUUID()], tags: [] }, 'tags'],
    ['addTags', { projectIds: [crypto.randomUUID()], tags: [''] }, 'tags.0'],
    ['delete', { projectIds: [crypto.randomUUID()], force: true }, 'force'],
  ])('%s names the invalid field of its body (%#)', async (type, body, field) => {
    const answer = await post<Record<string, unknown>>(`bulkProjects/${type}`, body);
    expect([answer.status, answer.body['field']]).toEqual([400, field]);
  });

  test('needs a destination that the caller may write to', async () => {
    const { id } = await service.project();
    const viewer = await service.member({ role: 'viewer' });
    const body = (destinationWorkspaceId: string) => ({ projectIds: [id], destinationWorkspaceId });
    const unknown = await post<Record<string, unknown>>('bulkProjects/copy', body(crypto.randomUUID()));
    expect([unknown.status, unknown.body['field']]).toEqual([404, 'destinationWorkspaceId']);
    const refused = await post<Record<string, unknown>>(
      'bulkProjects/copy',
      body(service.workspaceId),
      as(viewer.token),
    );
    expect([refused.status, refused.body['field']]).toEqual([403, 'destinationWorkspaceId']);
  });
});

describe('a bulk request', () => {
  test('can be seen, cancelled, retried and undone only by its creator', async () => {
    const { id: projectId } = await service.project();
    const { id } = (await post('bulkProjects/archive', { projectIds: [projectId] })).body;
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/items'],
      ['POST', '/cancel'],
      ['POST', '/retry'],
      ['POST', '/undo'],
    ]) {
      const answer = await service.ask(
        method,
        `/api/v2/bulkRequests/${id}${path}`,
        undefined,
        as(other.token),
      );
      expect([path, answer.status]).toEqual([path, 404]);
    }
    const list = await get<{ results: BulkRequest[] }>('bulkRequests', as(other.token));
    expect(list.body.results).toEqual([]);
  });

  test('is listed by status and type, newest first', async () => {
    const { id: projectId } = await service.project();
    const { id } = (await post('bulkProjects/restore', { projectIds: [projectId] })).body;
    const found = async (query: string) =>
      (await get<{ results: BulkRequest[] }>(`bulkRequests?${query}`)).body.results.map((each) => each.id);
    expect(await found('operationType=restore')).toEqual([id]);
    expect((await found('status=pending'))[0]).toBe(id);
    expect((await found('status=failed&status=pending'))[0]).toBe(id);
    expect(await found('status=nothing')).toEqual([]);
  });

  test('for a recipe can list items by verdict', async () => {
    const { db, organizationId } = service;
    const named = [await service.project(), await service.project(), await service.project()];
    const projectIds = named.map(({ id }) => id);
    const { id } = (await post('bulkProjects/archive', { projectIds })).body;
    for (const [index, verdict] of (['fail', 'pass'] as const).entries()) {
      const projectId = projectIds[index] ?? '';
      const values = { projectId, organizationId, verdict, definition: { steps: [], gates: [] } };
      const [run] = await db.insert(recipeInvocations).values(values).returning();
      await db
        .update(bulkItems)
        .set({ result: { invocationId: run?.id } })
        .where(and(eq(bulkItems.bulkRequestId, id), eq(bulkItems.projectId, projectId)));
    }
    const found = async (query: string) =>
      (await get<{ results: BulkItem[] }>(`bulkRequests/${id}/items?${query}`)).body.results;
    expect((await found('verdict=fail')).map((item) => [item.projectId, item.verdict])).toEqual([
      [projectIds[0], 'fail'],
    ]);
    expect(await found('verdict=pass&status=failed')).toEqual([]);
    expect(await found('verdict=indeterminate')).toEqual([]);
    expect(await found('verdict=nothing')).toEqual([]);
    expect(await found('')).toHaveLength(3);
  });

  test('that is pending is cancelled with all its items; a finished one returns 409', async () => {
    const { id: projectId } = await service.project();
    const { id } = (await post('bulkProjects/archive', { projectIds: [projectId] })).body;
    const { status, body } = await post(`bulkRequests/${id}/cancel`, undefined);
    expect(status).toBe(202);
    expect(body).toMatchObject({ status: 'cancelled', cancelledCount: 1, retry: { allowed: true } });
    const again = await post<Record<string, unknown>>(`bulkRequests/${id}/cancel`, undefined);
    expect([again.status, again.body['code']]).toEqual([409, 'ALREADY_FINISHED']);
    const undo = await post<Record<string, unknown>>(`bulkRequests/${id}/undo`, undefined);
    expect([undo.status, undo.body['code']]).toEqual([409, 'CONFLICT']);
    const retry = await post(`bulkRequests/${id}/retry`, undefined);
    expect([retry.status, retry.body.status]).toEqual([202, 'pending']);
    expect((await post(`bulkRequests/${id}/retry`, undefined)).status).toBe(409);
  });
});

describe('a preview', () => {
  test('counts projects that would change and that need no change, and lists refused ones with reasons', async () => {
    const [active, archived, trashed] = [
      await service.project({ name: 'Active' }),
      await service.project({ name: 'Archived' }),
      await service.project({ name: 'Trashed' }),
    ];
    await service.ask('POST', `/api/v2/projects/${archived.id}/archive`, undefined, as());
    await service.ask('DELETE', `/api/v2/projects/${trashed.id}`, undefined, as());
    const projectIds = [active.id, archived.id, trashed.id];
    expect(await preview({ operationType: 'archive', projectIds })).toMatchObject({
      totalCount: 3,
      changedCount: 1,
      unchangedCount: 1,
      refusedCount: 1,
      refused: [{ code: 'NOT_FOUND', count: 1, examples: [{ projectId: trashed.id, name: null }] }],
    });
    expect(await preview({ operationType: 'move', projectIds })).toMatchObject({
      changedCount: 1,
      refused: [
        { code: 'NOT_FOUND' },
        { code: 'PROJECT_ARCHIVED', examples: [{ projectId: archived.id, name: 'Archived' }] },
      ],
    });
    expect(await preview({ operationType: 'restore', projectIds })).toMatchObject({
      changedCount: 2,
      unchangedCount: 1,
    });
    const viewer = await service.member({ role: 'viewer' });
    expect(await preview({ operationType: 'delete', projectIds: [active.id] }, viewer.token)).toMatchObject({
      changedCount: 0,
      refused: [{ code: 'PERMISSION_DENIED', examples: [{ name: 'Active' }] }],
    });
    const stranger = await service.stranger();
    expect(await preview({ operationType: 'delete', projectIds: [active.id] }, stranger.token)).toMatchObject(
      { refused: [{ code: 'NOT_FOUND', examples: [{ name: null }] }] },
    );
  });

  test('for a recipe lists projects that lack input data', async () => {
    const { db, organizationId } = service;
    const [empty, scanned, compared] = [
      await service.project({ name: 'Empty' }),
      await service.project({ name: 'Scanned' }),
      await service.project({ name: 'Compared' }),
    ];
    const object = (projectId: string, kind: 'volume' | 'cad', status: 'completed' | 'processing') =>
      db.insert(dataObjects).values({ projectId, ...exampleContent(kind), name: kind, status });
    await object(scanned.id, 'volume', 'completed');
    await object(scanned.id, 'cad', 'processing');
    await object(compared.id, 'volume', 'completed');
    await object(compared.id, 'cad', 'completed');
    const createRecipe = async (steps: unknown[]) => {
      const path = `organizations/${organizationId}/recipeVersions`;
      return (await post<{ recipePk: string }>(path, { name: 'Needs', steps })).body.recipePk;
    };
    const refusedBy = async (steps: unknown[]) => {
      const projectIds = [empty.id, scanned.id, compared.id];
      const recipePk = await createRecipe(steps);
      const { changedCount, refused } = await preview({ operationType: 'runRecipe', projectIds, recipePk });
      return [
        changedCount,
        refused.map(({ detail, examples }) => [detail, examples.map(({ name }) => name)]),
      ];
    };
    const mesh = { key: 'mesh', operation: 'createMesh' };
    const compare = { key: 'compare', operation: 'runMeshCompare', needs: ['mesh'] };
    const noVolume = 'Mesh needs data of the kind volume; upload it to the project first.';
    const noCad =
      'CAD comparison needs a CAD model as its reference; upload one to the project first, or name another reference.';
    expect(await refusedBy([mesh])).toEqual([2, [[noVolume, ['Empty']]]]);
    // The mesh that the comparison needs is created by the step before it.
    expect(await refusedBy([mesh, compare])).toEqual([
      1,
      [
        [noVolume, ['Empty']],
        [noCad, ['Scanned']],
      ],
    ]);
    const [willRun] = await refusedBy([{ key: 'scan', operation: 'runReconstructionPreview' }]);
    expect(willRun).toBe(0);
    const meshing = eq(analysisModules.key, 'meshing');
    await db.update(analysisModules).set({ enabled: false }).where(meshing);
    const off = 'the module of Mesh is off for this organization';
    expect(await refusedBy([mesh])).toEqual([0, [[off, ['Empty', 'Scanned', 'Compared']]]]);
    await db.update(analysisModules).set({ enabled: true }).where(meshing);
  });
});

test('the ids of a list match its pages, in the same order', async () => {
  const tag = `tag ${crypto.randomUUID()}`;
  for (const name of ['b', 'c', 'a']) await service.project({ name, tags: [tag] });
  const query = `tag=${encodeURIComponent(tag)}&ordering=name`;
  const pages = await get<{ results: { id: string }[] }>(`projects?${query}`);
  const ids = await get<{ count: number; projectIds: string[] }>(`projectIds?${query}`);
  expect(ids.body).toEqual({ count: 3, projectIds: pages.body.results.map(({ id }) => id) });
});
