import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Problem } from '#contract/shapes/problem.ts';
import type { Project } from '#contract/shapes/project.ts';
import { type TestService, testService } from '../../testing/service.ts';

let service: TestService;
let viewer: { token: string };
beforeAll(async () => {
  service = await testService();
  viewer = await service.member({ role: 'viewer' });
});
afterAll(async () => {
  expect(service.errors).toEqual([]);
  await service.close();
});

const at = (id: string, action = '') => `/api/v2/projects/${id}${action}`;
const as = (token = service.token) => ({ token });
const makeCursor = (order: string, ...keys: string[]): string =>
  Buffer.from(JSON.stringify({ order, keys, isBackwards: false })).toString('base64url');
const list = (query: string, token?: string) => service.listProjects(query, token);

describe('the list', () => {
  test('filters by tags (all must match) and state, and finds names ignoring case and accents', async () => {
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

  test('has pages with URLs of the next and previous page, and none beyond the last', async () => {
    for (const name of ['Welle', 'achse', 'Zahnrad']) await service.project({ name });
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
  ])('names the invalid parameter of ?%s', async (query, field) => {
    const { status, body } = await service.ask('GET', `/api/v2/projects?${query}`, undefined, as());
    expect([status, body['code'], body['field']]).toEqual([400, 'VALIDATION_FAILED', field]);
  });

  test('reports a malformed id in the query with its own code', async () => {
    const { status, body } = await service.ask('GET', '/api/v2/projects?workspace=here', undefined, as());
    expect([status, body['code'], body['field']]).toEqual([400, 'INVALID_UUID', 'workspace']);
  });

  test('with ids contains only accessible projects that match the other filters', async () => {
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

  test('returns every project once by cursors in both directions, while others are created', async () => {
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
    [`cursor=${makeCursor('name', 'x', crypto.randomUUID())}`, 'cursor'],
    [`cursor=${makeCursor('-createdAt', 'some day', crypto.randomUUID())}`, 'cursor'],
    [`cursor=${makeCursor('-createdAt', '2024-01-01T00:00:00Z', '\0')}`, 'cursor'],
    [`cursor=${makeCursor('-createdAt', '2024-01-01T00:00:00Z', crypto.randomUUID())}&page=2`, 'page'],
  ])('names the invalid parameter of the forged ?%s', async (query, field) => {
    const { status, body } = await list(query);
    expect([status, (body as unknown as Problem).code, (body as unknown as Problem).field]).toEqual([
      400,
      'VALIDATION_FAILED',
      field,
    ]);
  });

  test('never shows four readers beside a writer results that contradict their filters', async () => {
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

  test('lists the ids of all existing projects, while others are created', async () => {
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

  test('has an ETag that changes only with its content', async () => {
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

  test('is stable among equal keys: every project appears once', async () => {
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
