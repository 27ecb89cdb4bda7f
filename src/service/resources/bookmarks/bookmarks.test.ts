import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Bookmark } from '#contract/shapes/bookmark.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { type TestService, testService } from '../../testing/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});
afterAll(() => service.close());

const viewState: ViewState = {
  v: 1,
  volumeId: null,
  meshId: null,
  layout: 'grid',
  camera: null,
  cursorMm: [1, 2, 3],
  planes: null,
  window: { center: 10, width: 5 },
  surface: { visible: true, opacity: 1, scalar: null, map: 'viridis', range: null, shaded: true },
  clip: null,
  selectedDefectId: null,
};
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const as = (token = service.token) => ({ token });
const create = (projectId: string, fields: Record<string, unknown> = {}) =>
  service.ask<Bookmark & { code: string; field: string }>(
    'POST',
    '/api/v2/bookmarks',
    { projectId, name: 'Crack?', viewState, ...fields },
    as(),
  );

test('a bookmark restores the view exactly, and its picture has an address', async () => {
  const { id: projectId } = await service.project();
  const { status, body } = await create(projectId, { thumbnailPng: png });
  expect([status, body.viewState]).toEqual([201, viewState]);
  const picture = await service.server.inject({ url: new URL(body.thumbnailUrl as string).pathname });
  expect([picture.statusCode, picture.headers['content-type']]).toEqual([200, 'image/png']);
  const read = await service.ask('GET', `/api/v2/bookmarks/${body.id}`, undefined, as());
  expect(read.body).toEqual(body);
  const changed = { name: 'Crack', description: 'seen', viewState: { ...viewState, layout: '3d' } };
  const updated = await service.ask('PUT', `/api/v2/bookmarks/${body.id}`, changed, as());
  expect(updated.body).toMatchObject({ ...changed, thumbnailUrl: body.thumbnailUrl });
  expect((await service.ask('DELETE', `/api/v2/bookmarks/${body.id}`, undefined, as())).status).toBe(204);
  expect((await service.ask('GET', `/api/v2/bookmarks/${body.id}`, undefined, as())).status).toBe(404);
});

test('a picture that is no PNG, and a view of another version, are refused', async () => {
  const { id } = await service.project();
  expect((await create(id, { thumbnailPng: 'aGVsbG8=' })).body.field).toBe('thumbnailPng');
  expect((await create(id, { viewState: { ...viewState, v: 2 } })).body.field).toBe('viewState.v');
});

test('a viewer reads and comments, and does not write bookmarks; an archived project takes none', async () => {
  const { token } = await service.member({ role: 'viewer' });
  const { id: projectId } = await service.project();
  const { body } = await create(projectId);
  const url = `/api/v2/bookmarks/${body.id}`;
  const comment = await service.ask('POST', `${url}/comments`, { text: 'A pore' }, as(token));
  expect([comment.status, comment.body['text']]).toEqual([201, 'A pore']);
  expect((await service.ask('DELETE', url, undefined, as(token))).status).toBe(403);
  const list = await service.ask<{ results: Bookmark[] }>(
    'GET',
    `/api/v2/bookmarks?project=${projectId}&search=crack`,
    undefined,
    as(token),
  );
  expect(list.body.results.map(({ commentCount }) => commentCount)).toEqual([1]);
  const comments = await service.ask<{ count: number }>('GET', `${url}/comments`, undefined, as(token));
  expect(comments.body.count).toBe(1);
  await service.ask('POST', `/api/v2/projects/${projectId}/archive`, undefined, as());
  expect((await create(projectId)).body.code).toBe('PROJECT_ARCHIVED');
});

test('the list holds nothing of another organization', async () => {
  const { token } = await service.stranger();
  const list = await service.ask<{ count: number }>('GET', '/api/v2/bookmarks', undefined, as(token));
  expect(list.body.count).toBe(0);
});
