import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Bookmark, Story } from '#contract/shapes/bookmark.ts';
import { viewState } from '#contract/testing/view-state.ts';
import { bookmarks } from '#storage/db/schema-collaboration.ts';
import { type TestService, testService } from '../../testing/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});
afterAll(() => service.close());

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

test('a bookmark restores the view exactly, and its picture has a URL', async () => {
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

test('a bookmark of version 1 is returned as version 2, whether stored or sent', async () => {
  const { id: projectId } = await service.project();
  const { version: _, clips: __, oblique: ___, volume: ____, labels: _____, ...same } = viewState;
  const clip = { enabled: true, normal: [0, 0, 1], offsetMm: 2, filled: true };
  const earlier = { ...same, v: 1, clip };
  const { filled: ______, ...plane } = clip;
  const migrated = { ...viewState, clips: { ...viewState.clips, planes: [plane] } };
  const { body } = await create(projectId, { viewState: earlier });
  expect(body.viewState).toEqual(migrated);
  await service.db.update(bookmarks).set({ viewState: earlier }).where(eq(bookmarks.id, body.id));
  const read = await service.ask<Bookmark>('GET', `/api/v2/bookmarks/${body.id}`, undefined, as());
  expect(read.body.viewState).toEqual(migrated);
  const list = await service.ask<{ results: Bookmark[] }>(
    'GET',
    `/api/v2/bookmarks?project=${projectId}`,
    undefined,
    as(),
  );
  expect(list.body.results[0]?.viewState).toEqual(migrated);
});

test('a picture that is not a PNG and a view of another version are refused', async () => {
  const { id } = await service.project();
  expect((await create(id, { thumbnailPng: 'aGVsbG8=' })).body.field).toBe('thumbnailPng');
  expect((await create(id, { viewState: { ...viewState, v: 2 } })).body.field).toBe('viewState.v');
});

test('a viewer can read and comment but not write bookmarks; an archived project accepts none', async () => {
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

test('a story keeps the order of its bookmarks; new ones come last, and foreign ones are refused', async () => {
  const { id } = await service.project();
  const { id: elsewhere } = await service.project();
  const made: string[] = [];
  for (const name of ['A', 'B', 'C']) made.push((await create(id, { name })).body.id);
  const [a, b, c] = made;
  const foreign = (await create(elsewhere)).body.id;
  const url = `/api/v2/projects/${id}/story`;
  const names = ({ body }: { body: Story }) => body.bookmarks.map(({ name }) => name).join('');
  const read = (token = service.token) => service.ask<Story>('GET', url, undefined, as(token));
  const order = (bookmarkIds: unknown, token = service.token) =>
    service.ask<Story & { code: string; field: string }>('PUT', url, { bookmarkIds }, as(token));
  expect(names(await read())).toBe('ABC');
  expect(names(await order([c, a]))).toBe('CAB');
  await create(id, { name: 'D' });
  const { token } = await service.member({ role: 'viewer' });
  const seen = await read(token);
  expect([names(seen), seen.body.count]).toEqual(['CABD', 4]);
  expect((await order([a], token)).status).toBe(403);
  expect((await order([a, foreign])).body.field).toBe('bookmarkIds.1');
  expect((await order([b, b])).body.field).toBe('bookmarkIds.1');
  expect(names(await read())).toBe('CABD');
  await service.ask('POST', `/api/v2/projects/${id}/archive`, undefined, as());
  expect((await order([a])).body.code).toBe('PROJECT_ARCHIVED');
});

test('the list contains nothing of another organization', async () => {
  const { token } = await service.stranger();
  const list = await service.ask<{ count: number }>('GET', '/api/v2/bookmarks', undefined, as(token));
  expect(list.body.count).toBe(0);
});

/** A PNG of 16 × 16 pixels, the minimum size of a render. */
const png16 = (() => {
  const bytes = Buffer.from(png, 'base64');
  bytes.writeUInt32BE(16, 16);
  bytes.writeUInt32BE(16, 20);
  return bytes.toString('base64');
})();

test('a render uploaded by the viewer is complete immediately, and its picture has a URL', async () => {
  const { id: projectId } = await service.project();
  const { body: bookmark } = await create(projectId);
  const url = `/api/v2/bookmarks/${bookmark.id}/renders`;
  const made = await service.ask('POST', url, { width: 16, height: 16, png: png16 }, as());
  expect([made.status, made.body]).toMatchObject([
    202,
    { status: 'completed', width: 16, height: 16, error: null },
  ]);
  const picture = await service.server.inject({ url: new URL(String(made.body['url'])).pathname });
  expect(picture.rawPayload.toString('base64')).toBe(png16);
  const asked = await service.ask('POST', url, { width: 3840, height: 2160 }, as());
  expect([asked.status, asked.body]).toMatchObject([202, { status: 'pending', progress: 0, url: null }]);
  const list = await service.ask<{ results: { id: string }[] }>('GET', url, undefined, as());
  expect(list.body.results.map(({ id }) => id)).toEqual([asked.body['id'], made.body['id']]);
});

test('a pending render can be cancelled and retried; a finished one cannot be cancelled', async () => {
  const { id: projectId } = await service.project();
  const { body: bookmark } = await create(projectId);
  const url = `/api/v2/bookmarks/${bookmark.id}/renders`;
  const { body: asked } = await service.ask('POST', url, { width: 64, height: 64 }, as());
  const change = async (what: string) => {
    const { status, body } = await service.ask('POST', `${url}/${asked['id']}/${what}`, {}, as());
    return [status, body['status'] ?? body['code']];
  };
  expect(await change('retry')).toEqual([409, 'CONFLICT']);
  expect(await change('cancel')).toEqual([202, 'cancelled']);
  expect(await change('cancel')).toEqual([409, 'ALREADY_FINISHED']);
  expect(await change('retry')).toEqual([202, 'pending']);
});

test('a render that is larger than 4K, differs in size from its picture, or is not a PNG is refused', async () => {
  const { id: projectId } = await service.project();
  const { body: bookmark } = await create(projectId);
  const url = `/api/v2/bookmarks/${bookmark.id}/renders`;
  const field = async (body: Record<string, unknown>) => {
    const answer = await service.ask('POST', url, body, as());
    return [answer.status, answer.body['field']];
  };
  expect(await field({ width: 17, height: 16, png: png16 })).toEqual([400, 'png']);
  expect(await field({ width: 16, height: 16, png: 'aGVsbG8=' })).toEqual([400, 'png']);
  expect(await field({ width: 3841, height: 16 })).toEqual([400, 'width']);
  expect(await field({ width: 16, height: 2161 })).toEqual([400, 'height']);
  expect(await field({ width: 16, height: 16, viewState: { v: 1 } })).toEqual([400, 'viewState.volumeId']);
  const big = Buffer.alloc(30_000_000, 1);
  Buffer.from(png16, 'base64').copy(big);
  const large = await service.ask('POST', url, { width: 16, height: 16, png: big.toString('base64') }, as());
  expect([large.status, large.body['status']]).toEqual([202, 'completed']);
});

test('a viewer can read renders but not create them; a stranger finds none', async () => {
  const { token } = await service.member({ role: 'viewer' });
  const { token: strange } = await service.stranger();
  const { id: projectId } = await service.project();
  const { body: bookmark } = await create(projectId);
  const url = `/api/v2/bookmarks/${bookmark.id}/renders`;
  const size = { width: 16, height: 16 };
  expect((await service.ask('GET', url, undefined, as(token))).status).toBe(200);
  expect((await service.ask('POST', url, size, as(token))).status).toBe(403);
  expect((await service.ask('GET', url, undefined, as(strange))).status).toBe(404);
  expect((await service.ask('POST', url, size, as(strange))).status).toBe(404);
});

test('a comment notifies the bookmark’s creator and earlier commenters, never its own author', async () => {
  const second = await service.member({ role: 'viewer' });
  const third = await service.member({ role: 'viewer' });
  const { id: projectId } = await service.project();
  const { body: bookmark } = await create(projectId, { name: 'Shrinkage' });
  const comment = (token: string) =>
    service.ask('POST', `/api/v2/bookmarks/${bookmark.id}/comments`, { text: 'Look' }, as(token));
  const told = async (token: string) => {
    const list = await service.ask<{ results: { text: string }[] }>(
      'GET',
      '/api/v2/notifications',
      undefined,
      as(token),
    );
    return list.body.results.filter(({ text }) => text.includes('Shrinkage')).length;
  };
  await comment(second.token);
  expect([await told(service.token), await told(second.token), await told(third.token)]).toEqual([1, 0, 0]);
  await comment(third.token);
  expect([await told(service.token), await told(second.token), await told(third.token)]).toEqual([2, 1, 0]);
  await comment(service.token);
  expect([await told(service.token), await told(second.token), await told(third.token)]).toEqual([2, 2, 1]);
});
