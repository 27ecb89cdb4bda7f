/** Fuzz test: generated bodies and queries must not make any operation fail. */

import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { findDeclaration, type OperationId, operationIds } from '#contract/operations/all.ts';
import { Problem } from '#contract/shapes/problem.ts';
import { users } from '#storage/db/schema-accounts.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { operations } from '#storage/db/schema-work.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { listBodies, nastyNumbers, nastyTexts } from './testing/generated-bodies.ts';
import { rightRequests } from './testing/right-requests.ts';
import { type TestService, testService } from './testing/service.ts';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 25);
const BODIES = Number(process.env['FUZZ_BODIES'] ?? 10_000);
const SEED = Number(process.env['SCANWRIGHT_SEED']);
/** A few concurrent requests keep both service and database busy. */
const AT_A_TIME = 2;
/** More requests of one operation would mostly wait for each other's row locks. */
const OPERATIONS_AT_A_TIME = 6;
const withBody = operationIds.filter(
  (id) => findDeclaration(id).body !== undefined && !findDeclaration(id).raw,
);

let service: TestService;
let ids: Record<string, string>;
let ownerId: string;
beforeAll(async () => {
  service = await testService();
  const { id: projectId } = await service.project();
  const { db, organizationId, workspaceId } = service;
  const [object] = await db
    .insert(dataObjects)
    .values({ projectId, ...exampleContent('volume'), name: 'v' })
    .returning();
  const failed = {
    projectId,
    organizationId,
    operation: 'ingest',
    status: 'failed' as const,
    finishedAt: new Date(),
  };
  const [operation] = await db.insert(operations).values(failed).returning();
  const [owner] = await db.select().from(users).where(eq(users.email, service.email));
  ownerId = owner.id;
  ids = {
    projects: projectId,
    organizations: organizationId,
    workspaces: workspaceId,
    data: object.id,
    operations: operation.id,
  };
});
afterAll(() => service.close());

const listFields = (schema: z.ZodType | undefined): string[] => {
  let inner = schema as (z.ZodType & { shape?: Record<string, unknown> }) | undefined;
  for (let i = 0; inner && !inner.shape && i < 5; i += 1)
    inner =
      (inner.def as unknown as { innerType?: z.ZodType; in?: z.ZodType }).innerType ??
      (inner.def as unknown as { in?: z.ZodType }).in;
  return Object.keys(inner?.shape ?? {});
};

const fillPath = (path: string): string => {
  const noun = path.split('/')[3];
  return path.replaceAll(/\{\w+\}/g, () => ids[noun] ?? crypto.randomUUID());
};

async function expectNoFailure(id: OperationId, url: string, body?: string): Promise<void> {
  const { method } = findDeclaration(id);
  const answer = await service.ask(method, url, body, { token: service.token });
  if (answer.status >= 400) Problem.parse(answer.body);
  expect([500, 503]).not.toContain(answer.status);
}

/** Processes all items with limited concurrency. */
async function inTurn<Item>(
  items: IteratorObject<Item>,
  atATime: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const one = async (): Promise<void> => {
    for (const item of items) await work(item);
  };
  await Promise.all(Array.from({ length: atATime }, one));
}

const withQuery = operationIds.filter(
  (id) => findDeclaration(id).query !== undefined && id !== 'readDataView',
);

describe('generated bodies', () => {
  test(`${BODIES} of them, over all operations, get a success or a problem, never a 500`, async () => {
    const owner = { id: ownerId, token: service.token };
    const make = await rightRequests(service);
    const known = Object.values(ids);
    const answered = new Map<number, number>();
    const failures: string[] = [];
    const send = async (id: OperationId): Promise<void> => {
      const { body } = findDeclaration(id);
      const right = await make(id, owner);
      const count = Math.ceil(BODIES / withBody.length);
      const made = fc.sample(listBodies(body as z.ZodType, right.body, [...known, ...right.ids]), {
        numRuns: count,
        seed: SEED,
      });
      await inTurn(made.values(), AT_A_TIME, async (each) => {
        const text = JSON.stringify(each) ?? 'null';
        const answer = await service.ask(right.method, right.url, text, {
          token: right.token ?? owner.token,
        });
        answered.set(answer.status, (answered.get(answer.status) ?? 0) + 1);
        if (answer.status >= 400) Problem.parse(answer.body);
        if (answer.status >= 500) failures.push(`${id} ${text}: ${answer.text}`);
      });
    };
    await inTurn(withBody.values(), OPERATIONS_AT_A_TIME, send);
    expect({ seed: SEED, failures: failures.slice(0, 5) }).toEqual({ seed: SEED, failures: [] });
    expect([...answered.values()].reduce((a, b) => a + b)).toBeGreaterThanOrEqual(BODIES);
    // Most are refused; enough must be accepted to test the code behind validation.
    const taken = [200, 201, 202, 204].reduce((sum, status) => sum + (answered.get(status) ?? 0), 0);
    expect(taken).toBeGreaterThan(BODIES / 20);
  }, 300_000);

  test.each([
    '',
    '{',
    'null',
    '[]',
    '"text"',
    '\0',
    `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    '{"name":1e999}',
    '{"__proto__":{"a":1}}',
    '{"name":"\\ud800"}',
  ])('a malformed body is refused (%#)', async (text) => {
    const { status } = await service.ask('POST', '/api/v2/projects', text, { token: service.token });
    expect(status).toBe(400);
  });

  test('a body of the wrong media type or size gets its own problem code', async () => {
    const headers = { 'content-type': 'text/plain' };
    const options = { token: service.token, headers };
    expect((await service.ask('POST', '/api/v2/projects', 'x', options)).body['code']).toBe(
      'UNSUPPORTED_MEDIA_TYPE',
    );
    const large = await service.ask('POST', '/api/v2/projects', `"${'x'.repeat(1_100_000)}"`, {
      token: service.token,
    });
    expect([large.status, large.body['code']]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });
});

describe('generated queries', () => {
  test.each(withQuery)('%s returns a success or a problem', async (id) => {
    const { query, path } = findDeclaration(id);
    const pairs = fc.array(
      fc.tuple(
        fc.constantFrom(...listFields(query), 'unknown'),
        fc.oneof(
          nastyTexts,
          nastyNumbers,
          fc.constantFrom('1', '2', 'a,b', '[1,99]', '-1', 'x', 'z', 'oblique'),
          fc.string({ unit: 'binary' }),
        ),
      ),
      { maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(pairs, (made) => {
        const text = made
          .map(([name, raw]) => `${name}=${encodeURIComponent(String(raw).toWellFormed())}`)
          .join('&');
        return expectNoFailure(id, `${fillPath(path)}?${text.slice(0, 8000).replace(/%[^%]?$/, '')}`);
      }),
      { numRuns: RUNS },
    );
  });

  test.each([
    '/api/v2/projects?search=%ff%fe',
    '/api/v2/projects/%zz',
    '/api/v2/projects?%',
    '/api/files/a.b.c/d',
    '/api/files/%00/x',
    '//',
    '/api/v2/export/x/%2e%2e%2f',
  ])('a malformed URL does not cause a failure: %s', async (url) => {
    const { status } = await service.ask('GET', url, undefined, { token: service.token });
    // 503 when the tests run without a built dashboard.
    expect([200, 400, 404, 503]).toContain(status);
  });
});

test('the service logged no error', () => {
  expect(service.errors).toEqual([]);
});
