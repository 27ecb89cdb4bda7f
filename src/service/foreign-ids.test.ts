/**
 * Responses must not reveal whether a resource of another organization exists: for each id in a path, query or body,
 * the responses to a foreign id and to an unknown one are compared.
 */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findDeclaration, type OperationId, operationIds } from '#contract/operations/all.ts';
import { pathParameters } from '#contract/operations/operation.ts';
import { tokens, users } from '#storage/db/schema-accounts.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { hashToken } from './http/session.ts';
import { type Asker, type RightRequest, rightRequests, withIds } from './testing/right-requests.ts';
import { type TestService, testService } from './testing/service.ts';

let service: TestService;
let make: Awaited<ReturnType<typeof rightRequests>>;
let owner: Asker;
/** manager of another organization and editor of a workspace there */
let stranger: Asker & { organizationId: string; workspaceId: string };
beforeAll(async () => {
  service = await testService();
  make = await rightRequests(service);
  const [{ id }] = await service.db.select().from(users).where(eq(users.email, service.email));
  owner = { id, token: service.token };
  const made = await service.stranger();
  const [{ userId }] = await service.db
    .select()
    .from(tokens)
    .where(eq(tokens.hash, hashToken(made.token)));
  stranger = { id: userId, ...made };
});
afterAll(() => service.close());

const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(value);

/** Paths of all ids in a body. */
function idPlaces(value: unknown, place: (string | number)[] = []): (string | number)[][] {
  if (isUuid(value)) return [place];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    idPlaces(inner, [...place, Array.isArray(value) ? Number(key) : key]),
  );
}
function replaced(body: unknown, [first, ...rest]: (string | number)[], id: string): unknown {
  if (first === undefined) return id;
  const copy: Record<string | number, unknown> = Array.isArray(body)
    ? ([...body] as unknown as Record<number, unknown>)
    : { ...(body as object) };
  copy[first] = replaced(copy[first], rest, id);
  return copy;
}
/** A response without ids and times, which always differ. */
const readShape = (status: number, text: string) => [
  status,
  text
    .replaceAll(/[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'),
];

const signedIn = (id: OperationId) => !['public', 'signedAddress'].includes(findDeclaration(id).access.kind);
const hasIds = (id: OperationId) =>
  pathParameters(findDeclaration(id).path).some((name) => name !== 'fileName');

describe.each(operationIds.filter((id) => signedIn(id) && hasIds(id)))('%s', (id) => {
  test('gives a stranger the same response for a foreign id and an unknown one', async () => {
    const { path } = findDeclaration(id);
    const foreign = await make(id, owner);
    const ask = async (url: string) => {
      const { status, text } = await service.ask(foreign.method, url, foreign.body, {
        token: stranger.token,
        ...(foreign.headers && { headers: foreign.headers }),
      });
      return readShape(status, text);
    };
    const unknownIds = foreign.ids.map((each) => (isUuid(each) ? randomUUID() : each));
    const query = foreign.url.includes('?') ? foreign.url.slice(foreign.url.indexOf('?')) : '';
    const unknown = await ask(withIds(path, unknownIds) + query);
    expect(await ask(foreign.url)).toEqual(unknown);
    expect(unknown[0]).toBe(404);
    // A resource of another organization, requested under the caller's own.
    if (foreign.ids.length > 1 && foreign.ids.every(isUuid)) {
      const below = (last: string) => ask(withIds(path, [stranger.organizationId, last]));
      const [inside, outside] = [await below(foreign.ids[1]), await below(randomUUID())];
      expect(inside).toEqual(outside);
    }
  });
});

describe.each(operationIds.filter((id) => signedIn(id) && findDeclaration(id).body !== undefined))(
  'the body of %s',
  (id) => {
    test('gets the same response for ids of another organization and for unknown ones', async () => {
      const right: RightRequest = await make(id, owner);
      for (const place of idPlaces(right.body).filter((each) => each.at(-1) !== 'name')) {
        // Ids of the other organization, of every kind that a body can contain.
        const theirs = [stranger.organizationId, stranger.workspaceId, await foreignThing(place)];
        const ask = async (each: string) => {
          const { method, url, body } = right;
          const answer = await service.ask(method, url, replaced(body, place, each), { token: owner.token });
          return readShape(answer.status, answer.text);
        };
        const unknown = await ask(randomUUID());
        for (const each of theirs) expect([place, ...(await ask(each))]).toEqual([place, ...unknown]);
      }
    });
  },
);

/** Creates a resource of the stranger, of the kind that the id at this path refers to. */
async function foreignThing(place: (string | number)[]): Promise<string> {
  const name = String(place.findLast((part) => typeof part === 'string'));
  if (/recipePk/i.test(name)) {
    const body = { name: 'R', steps: [{ key: 'mesh', operation: 'createMesh', parameters: {}, needs: [] }] };
    const url = `/api/v2/organizations/${stranger.organizationId}/recipeVersions`;
    const made = await service.ask<{ recipePk: string }>('POST', url, body, { token: stranger.token });
    return made.body.recipePk;
  }
  const input = { workspaceId: stranger.workspaceId, name: 'Theirs' };
  const project = await service.ask<{ id: string }>('POST', '/api/v2/projects', input, {
    token: stranger.token,
  });
  if (!/dataObject|volume|mesh/i.test(name)) return project.body.id;
  const { dataObjects } = await import('#storage/db/schema-data.ts');
  const kind = /reference/i.test(name) ? ('cad' as const) : ('mesh' as const);
  const [object] = await service.db
    .insert(dataObjects)
    .values({ projectId: project.body.id, name: 'theirs', ...exampleContent(kind) })
    .returning();
  return object.id;
}

describe('a filter of a list', () => {
  const filters: [OperationId, string][] = operationIds.flatMap((id) =>
    signedIn(id) && findDeclaration(id).method === 'GET' && !hasIds(id)
      ? ['workspace', 'project', 'id', 'organization']
          .filter((name) => name in (findDeclaration(id).query?.shape ?? {}))
          .map((name): [OperationId, string] => [id, name])
      : [],
  );

  test.each(filters)(
    '%s?%s= gives the same response for another organization’s id and an unknown one',
    async (id, name) => {
      const project = await service.project();
      const foreign =
        { workspace: service.workspaceId, organization: service.organizationId }[name] ?? project.id;
      const ask = async (each: string) => {
        const url = `${findDeclaration(id).path}?${name}=${each}`;
        const { status, text } = await service.ask('GET', url, undefined, { token: stranger.token });
        return readShape(status, text);
      };
      expect(await ask(foreign)).toEqual(await ask(randomUUID()));
    },
  );
});

test('a foreign id takes as long as an unknown one', async () => {
  const reads = operationIds.filter(
    (id) => findDeclaration(id).method === 'GET' && signedIn(id) && hasIds(id) && !findDeclaration(id).raw,
  );
  const times = { foreign: [] as number[], unknown: [] as number[] };
  const time = async (into: number[], url: string) => {
    const start = performance.now();
    await service.ask('GET', url, undefined, { token: stranger.token });
    into.push(performance.now() - start);
  };
  for (const id of reads) {
    const { ids } = await make(id, owner);
    const { path } = findDeclaration(id);
    for (let i = 0; i < 15; i += 1) {
      await time(times.foreign, withIds(path, ids));
      await time(
        times.unknown,
        withIds(
          path,
          ids.map((each) => (isUuid(each) ? randomUUID() : each)),
        ),
      );
    }
  }
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  expect(median(times.foreign) / median(times.unknown)).toBeLessThan(1.25);
  expect(median(times.foreign) / median(times.unknown)).toBeGreaterThan(0.8);
});
