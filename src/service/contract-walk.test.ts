/** Walks the whole table of operations: what the contract declares for all of them holds for each. */

import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { analysisKinds, carriedOutAnalyses } from '#contract/analyses/kinds.ts';
import { declarationOf, type OperationId, operationIds } from '#contract/operations/all.ts';
import { pathParameters } from '#contract/operations/operation.ts';
import { Problem } from '#contract/shapes/problem.ts';
import { tokens, users } from '#storage/db/schema-accounts.ts';
import { bookmarks } from '#storage/db/schema-collaboration.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { bulkRequests, exports, operations, recipeInvocations, uploads } from '#storage/db/schema-work.ts';
import { type TestService, testService } from './testing/service.ts';

let service: TestService;
let strange: { token: string };
/** a thing of the first organization for every first parameter of a path */
let ids: Record<string, string>;

beforeAll(async () => {
  service = await testService();
  strange = await service.stranger();
  const { db, organizationId, workspaceId } = service;
  const { id: projectId } = await service.project();
  const [owner] = await db.select().from(users).where(eq(users.email, service.email));
  const of = { projectId, organizationId };
  const definition = { steps: [], gates: [] };
  const one = async <Row extends { id: string }>(rows: Promise<Row[]>) => (await rows)[0].id;
  const bulk = { operationType: 'archive', totalCount: 1, createdBy: owner.id };
  const personal = { userId: owner.id, kind: 'personal' as const, hash: 'x'.repeat(64) };
  const config = { exportMeshes: true, exportVolumes: false, exportRadiographs: false };
  ids = {
    '/api/v2/projects/': projectId,
    '/api/v2/organizations/': organizationId,
    '/api/v2/workspaces/': workspaceId,
    '/api/v2/operations/': await one(
      db
        .insert(operations)
        .values({ ...of, operation: 'createMesh' })
        .returning(),
    ),
    '/api/v2/data/': await one(
      db.insert(dataObjects).values({ projectId, kind: 'mesh', name: 'a' }).returning(),
    ),
    '/api/v2/recipeInvocations/': await one(
      db
        .insert(recipeInvocations)
        .values({ ...of, definition })
        .returning(),
    ),
    '/api/v2/uploads/': await one(
      db.insert(uploads).values({ projectId, fileName: 'a', sizeBytes: 1 }).returning(),
    ),
    '/api/v2/bookmarks/': await one(
      db.insert(bookmarks).values({ projectId, name: 'a', viewState: {} }).returning(),
    ),
    '/api/v2/bulkRequests/': await one(db.insert(bulkRequests).values(bulk).returning()),
    '/api/v2/exports/': await one(
      db.insert(exports).values({ projectId, config, createdBy: owner.id }).returning(),
    ),
    '/api/v2/accessTokens/': await one(db.insert(tokens).values(personal).returning()),
  };
  ids['/api/v2/export/'] = ids['/api/v2/data/'];
});
afterAll(() => service.close());

const guarded = operationIds.filter(
  (id) => !['public', 'signedAddress'].includes(declarationOf(id).access.kind),
);
const withIds = guarded.filter((id) => pathParameters(declarationOf(id).path).length > 0);

/** The path with ids in it: those of the first organization, or `other`. */
function pathOf(id: OperationId, other?: string): string {
  const { path } = declarationOf(id);
  const own = Object.entries(ids).find(([start]) => path.startsWith(start))?.[1];
  let isFirst = true;
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = isFirst ? (other ?? own) : undefined;
    isFirst = false;
    if (name === 'fileName') return 'a.stl';
    return value ?? crypto.randomUUID();
  });
}

const ask = (id: OperationId, url: string, token?: string) => {
  const { method, body, raw } = declarationOf(id);
  return service.ask(method, url, body && !raw ? {} : undefined, token === undefined ? {} : { token });
};

describe.each(guarded)('%s', (id) => {
  test('refuses a caller without a token, and one with a wrong token', async () => {
    for (const token of [undefined, 'sw_wrongwrongwrongwrongwrong']) {
      const { status, body } = await ask(id, pathOf(id), token);
      expect([status, Problem.parse(body).code]).toEqual([401, 'NOT_AUTHENTICATED']);
    }
  });
});

describe.each(withIds)('%s', (id) => {
  test('is not found by somebody of another organization, nor with an unknown id', async () => {
    for (const [token, other] of [
      [strange.token, undefined],
      [service.token, crypto.randomUUID()],
    ] as const) {
      const { status, body } = await ask(id, pathOf(id, other), token);
      expect([status, Problem.parse(body).code]).toEqual([404, 'NOT_FOUND']);
    }
  });

  test('names a malformed id', async () => {
    const [first] = pathParameters(declarationOf(id).path);
    for (const wrong of ['1', 'not-a-uuid', '%00', `${crypto.randomUUID()}x`]) {
      const { status, body } = await ask(id, pathOf(id, wrong), service.token);
      expect([status, body['code'], body['field']]).toEqual([400, 'INVALID_UUID', first]);
    }
  });
});

test('every operation has a route, and what is not carried out answers 501 with a problem', async () => {
  const later = analysisKinds.filter((kind) => !(carriedOutAnalyses as readonly string[]).includes(kind));
  const left = [...service.missing, ...later];
  console.log(`${left.length} of ${operationIds.length} operations answer 501: ${left.join(', ')}`);
  for (const id of service.missing as OperationId[]) {
    if (
      declarationOf(id).body &&
      declarationOf(id).access.kind === 'workspace' &&
      pathParameters(declarationOf(id).path).length === 0
    )
      continue;
    const { status, body } = await ask(id, pathOf(id), service.token);
    expect([id, status, Problem.parse(body).code]).toEqual([id, 501, 'NOT_IMPLEMENTED']);
  }
});

test('a known path with another method is 405 and says which methods there are', async () => {
  const { status, body, headers } = await service.ask(
    'PATCH',
    '/api/v2/projects',
    {},
    { token: service.token },
  );
  expect([status, body['code'], headers['allow']]).toEqual([405, 'METHOD_NOT_ALLOWED', 'GET, HEAD, POST']);
});

test('an unknown path of the interface is a problem, not a page', async () => {
  const { status, body } = await service.ask('GET', '/api/v2/nothing');
  expect([status, body['code']]).toEqual([404, 'NOT_FOUND']);
});

test('nothing of this was the service’s own failure', () => {
  expect(service.errors).toEqual([]);
});
