/** Whatever comes in, the service does not fail: generated bodies and queries for every operation that takes them. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { declarationOf, type OperationId, operationIds } from '#contract/operations/all.ts';
import { Problem } from '#contract/shapes/problem.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { operations } from '#storage/db/schema-work.ts';
import { type TestService, testService } from './testing/service.ts';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 25);

let service: TestService;
let ids: Record<string, string>;
beforeAll(async () => {
  service = await testService();
  const { id: projectId } = await service.project();
  const { db, organizationId, workspaceId } = service;
  const [object] = await db.insert(dataObjects).values({ projectId, kind: 'volume', name: 'v' }).returning();
  const failed = {
    projectId,
    organizationId,
    operation: 'ingest',
    status: 'failed' as const,
    finishedAt: new Date(),
  };
  const [operation] = await db.insert(operations).values(failed).returning();
  ids = {
    projects: projectId,
    organizations: organizationId,
    workspaces: workspaceId,
    data: object.id,
    operations: operation.id,
  };
});
afterAll(() => service.close());

/** Texts that have broken services before. */
const nasty = fc.constantFrom(
  '',
  '\0',
  'a\0b',
  '\ud800',
  '𝕏'.repeat(300),
  'x'.repeat(70_000),
  "'; drop table users; --",
  '%',
  '\\',
  '../../etc/passwd',
  '1e400',
  'NaN',
  '__proto__',
  '9'.repeat(40),
  '2026-13-45T99:99:99Z',
  '+275760-09-13T00:00:00.001Z',
);
const numbers = fc.constantFrom(-1, 0, 1e308, -1e308, 2 ** 31, 2 ** 53, -(2 ** 63), 0.1 + 0.2, 1e-320);

/** Values of which some fit: ids of things that are there, and values that the schema lists. */
const value = () =>
  fc.oneof(
    nasty,
    numbers,
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(...Object.values(ids)),
    fc.uuid(),
    fc.array(fc.oneof(numbers, fc.double({ noNaN: true })), { minLength: 3, maxLength: 3 }),
    fc.constantFrom('name', 'iso50', 'sphere', 'viewer', true, null, [], {}),
    fc.string({ unit: 'binary' }),
  );

const fieldsOf = (schema: z.ZodType | undefined): string[] => {
  let inner = schema as (z.ZodType & { shape?: Record<string, unknown> }) | undefined;
  for (let i = 0; inner && !inner.shape && i < 5; i += 1)
    inner =
      (inner.def as unknown as { innerType?: z.ZodType; in?: z.ZodType }).innerType ??
      (inner.def as unknown as { in?: z.ZodType }).in;
  return Object.keys(inner?.shape ?? {});
};

const record = (fields: string[]) =>
  fc.record(Object.fromEntries([...fields, 'unknown'].map((field) => [field, value()])), {
    requiredKeys: [],
  });

const pathOf = (path: string): string => {
  const noun = path.split('/')[3];
  return path.replaceAll(/\{\w+\}/g, () => ids[noun] ?? crypto.randomUUID());
};

async function expectNoFailure(id: OperationId, url: string, body?: string): Promise<void> {
  const { method } = declarationOf(id);
  const answer = await service.ask(method, url, body, { token: service.token });
  if (answer.status >= 400) Problem.parse(answer.body);
  expect([500, 503]).not.toContain(answer.status);
}

const withBody = operationIds.filter((id) => {
  const { body, raw } = declarationOf(id);
  // Signing in is throttled after ten of them, and its hash takes long.
  return body !== undefined && !raw && id !== 'login' && id !== 'passwordChange';
});
const withQuery = operationIds.filter((id) => declarationOf(id).query !== undefined && id !== 'readDataView');

describe('generated bodies', () => {
  test.each(withBody)('%s answers with a success or a problem', async (id) => {
    const { body, path } = declarationOf(id);
    const bodies = fc.oneof(
      { weight: 5, arbitrary: record(fieldsOf(body)) },
      { weight: 1, arbitrary: fc.jsonValue() },
    );
    await fc.assert(
      fc.asyncProperty(bodies, (made) => expectNoFailure(id, pathOf(path), JSON.stringify(made) ?? 'null')),
      { numRuns: RUNS },
    );
  });

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
  ])('a body that is not what it should be is refused (%#)', async (text) => {
    const { status } = await service.ask('POST', '/api/v2/projects', text, { token: service.token });
    expect(status).toBe(400);
  });

  test('a body of another type or size is refused as such', async () => {
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
  test.each(withQuery)('%s answers with a success or a problem', async (id) => {
    const { query, path } = declarationOf(id);
    const pairs = fc.array(
      fc.tuple(
        fc.constantFrom(...fieldsOf(query), 'unknown'),
        fc.oneof(
          nasty,
          numbers,
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
        return expectNoFailure(id, `${pathOf(path)}?${text.slice(0, 8000).replace(/%[^%]?$/, '')}`);
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
  ])('an address that is not well-formed is no failure: %s', async (url) => {
    expect((await service.ask('GET', url, undefined, { token: service.token })).status).toBeLessThan(500);
  });
});

test('the log holds no failure of the service', () => {
  expect(service.errors).toEqual([]);
});
