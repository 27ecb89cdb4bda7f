/**
 * Tests every operation against its declaration: with valid requests by callers with and without access, and with each
 * kind of invalid input.
 */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findDeclaration, type OperationId, operationIds } from '#contract/operations/all.ts';
import { listProblems, pathParameters } from '#contract/operations/operation.ts';
import { Problem } from '#contract/shapes/problem.ts';
import { tokens, users } from '#storage/db/schema-accounts.ts';
import { hashToken, newToken, openSession } from './http/session.ts';
import { type Asker, type RightRequest, rightRequests, withIds } from './testing/right-requests.ts';
import { type Answer, type TestService, testService } from './testing/service.ts';
import { idFields, requiredFields, wrongFields } from './testing/wrong-values.ts';

let service: TestService;
let make: Awaited<ReturnType<typeof rightRequests>>;
let owner: Asker;
let viewer: Asker;
let editor: Asker;
let stranger: Asker;
/** invalid tokens, by the reason */
let ended: Record<string, string>;
let readOnlyToken: string;

beforeAll(async () => {
  // With one connection, code that holds a connection and requests another deadlocks and times out.
  service = await testService({}, 1);
  const { db } = service;
  make = await rightRequests(service);
  const [{ id }] = await db.select().from(users).where(eq(users.email, service.email));
  owner = { id, token: service.token };
  const makeAsker = async ({ token }: { token: string }): Promise<Asker> => {
    const [session] = await db
      .select()
      .from(tokens)
      .where(eq(tokens.hash, hashToken(token)));
    return { id: session.userId, token };
  };
  viewer = { ...(await makeAsker(await service.member({ role: 'viewer' }))), role: 'viewer' };
  editor = { ...(await makeAsker(await service.member({ role: 'editor' }))), role: 'editor' };
  stranger = await makeAsker(await service.stranger());
  const insert = async (values: Partial<typeof tokens.$inferInsert>, userId = id) => {
    const made = newToken();
    await db.insert(tokens).values({ userId, kind: 'personal', name: 't', hash: hashToken(made), ...values });
    return made;
  };
  readOnlyToken = await insert({ scope: 'read' });
  const [gone] = await db
    .insert(users)
    .values({ email: 'gone@example.com', name: 'Gone', disabledAt: new Date() })
    .returning();
  ended = {
    'one that nobody has': newToken(),
    'one that is no token': 'x',
    'an expired session': (await openSession(db, id, -1)).token,
    'an expired access token': await insert({ expiresAt: new Date(Date.now() - 1000) }),
    'one that was logged out': await insert({ kind: 'session', revokedAt: new Date() }),
    'one of a closed account': await insert({}, gone.id),
  };
});
afterAll(() => service.close());

/** Refused requests change nothing, so tests of refusals share one request per operation. */
const shared = new Map<OperationId, Promise<RightRequest>>();
function unused(id: OperationId): Promise<RightRequest> {
  const made = shared.get(id) ?? make(id, owner);
  shared.set(id, made);
  return made;
}

const isOpen = (id: OperationId): boolean =>
  ['public', 'signedAddress'].includes(findDeclaration(id).access.kind);
/** These concern only the caller; anyone signed in may call them. */
const endsSessions = new Set<OperationId>(['logout', 'passwordChange', 'endOtherSessions', 'deleteAccount']);

interface Change {
  url?: string;
  body?: unknown;
  headers?: Record<string, string>;
  token?: string | undefined;
}

/** Sends a valid request with `change` applied; a refusal must be a problem that the contract declares. */
async function send(request: RightRequest, change: Change = {}): Promise<Answer> {
  const { id, method } = request;
  const { url, body, headers, token } = { ...request, ...change };
  const answer =
    id === 'listenToEvents'
      ? await openStream(url, token)
      : await service.ask(method, url, body, { ...(token && { token }), ...(headers && { headers }) });
  if (answer.status >= 400) {
    const { code } = Problem.parse(answer.body);
    // Possible for every path, so the operations don't declare it.
    if (code !== 'METHOD_NOT_ALLOWED') expect(listProblems(findDeclaration(id))).toContain(code);
  }
  return answer;
}

/** Reads the beginning of a stream that does not end by itself. */
async function openStream(url: string, token: string | undefined): Promise<Answer> {
  const headers = token === undefined ? {} : { authorization: `Token ${token}` };
  const answer = await service.server.inject({ url, headers, payloadAsStream: true });
  const stream = answer.stream();
  const [first] = await stream.take(1).toArray();
  stream.destroy();
  const text = String(first);
  const body = answer.statusCode < 400 ? {} : (JSON.parse(text) as Record<string, unknown>);
  return { status: answer.statusCode, body, headers: answer.headers, text };
}

const readCode = ({ status, body }: Answer): [number, unknown] => [status, body['code']];
/** Expects the response to name the field, or a part of it. */
function expectNamed({ status, body, text }: Answer, field: string): void {
  const { errors = [], field: first } = Problem.parse(body);
  const named = [first ?? '', ...errors.map((error) => error.field)];
  expect([status, named.some((each) => each === field || each.startsWith(`${field}.`)), text]).toEqual([
    400,
    true,
    text,
  ]);
}

/** The refusal for a caller with fewer rights; undefined when the request is served. */
function refusalFor(id: OperationId, who: 'viewer' | 'editor' | 'stranger'): [number, string] | undefined {
  const { access, path } = findDeclaration(id);
  const unknown: [number, string] = [404, 'NOT_FOUND'];
  const denied: [number, string] = [403, 'PERMISSION_DENIED'];
  switch (access.kind) {
    case 'workspace':
      if (access.of === 'eachProject') {
        // An inaccessible project becomes a failed item; a common destination or recipe is checked first.
        const hasOneTarget = /^bulk(Copy|Move|RunRecipe)$/.test(id);
        if (who === 'stranger') return hasOneTarget ? unknown : undefined;
        return who === 'viewer' && /^bulk(Copy|Move)$/.test(id) ? denied : undefined;
      }
      if (who === 'stranger') return unknown;
      return access.role === 'editor' && who === 'viewer' ? denied : undefined;
    case 'organization':
      if (who === 'stranger') return unknown;
      // Editors of any workspace in the organization may write its recipes.
      if (/^create(Recipe|ScanRecipe)/.test(id)) return who === 'viewer' ? denied : undefined;
      // By default, only managers release recipes.
      if (/^(release|withdraw)Recipe/.test(id)) return denied;
      return access.role === 'manager' ? denied : undefined;
    case 'own':
      return who === 'stranger' && pathParameters(path).length > 0 ? unknown : undefined;
    default:
      return undefined;
  }
}

test('the fixed interface has its 61 operations', () => {
  expect(operationIds.filter((id) => !findDeclaration(id).extension && id !== 'downloadFile')).toHaveLength(
    61,
  );
});

describe.each(operationIds)('%s', (id) => {
  const declaration = findDeclaration(id);
  const { access, method, path, query, response } = declaration;
  const parameters = pathParameters(path).filter((name) => !['fileName', 'signature'].includes(name));
  const takesBody = declaration.body !== undefined;
  const isChange = method !== 'GET';

  if (!isOpen(id))
    test('refuses requests without a token and with each kind of invalid token', async () => {
      const request = await unused(id);
      for (const [kind, token] of [['none', undefined] as const, ...Object.entries(ended)]) {
        const answer = await send(request, { token });
        expect([kind, ...readCode(answer)]).toEqual([kind, 401, 'NOT_AUTHENTICATED']);
      }
    });

  if (!isOpen(id) && isChange)
    test('refuses a read-only token', async () => {
      const answer = await send(await unused(id), { token: readOnlyToken });
      expect(readCode(answer)).toEqual([403, 'PERMISSION_DENIED']);
    });

  if (parameters.length > 0)
    test('names a malformed id, and does not find an unknown one', async () => {
      const { ids, ...request } = await unused(id);
      for (const [place, name] of parameters.entries()) {
        const urlWith = (value: string) => withIds(path, ids.with(place, value));
        for (const wrong of ['1', 'not-a-uuid', '%00', `${crypto.randomUUID()}x`]) {
          const answer = await send({ ...request, ids }, { url: urlWith(wrong), token: owner.token });
          expect([answer.status, answer.body['code'], answer.body['field']]).toEqual([
            400,
            'INVALID_UUID',
            name,
          ]);
        }
        const answer = await send(
          { ...request, ids },
          { url: urlWith(crypto.randomUUID()), token: owner.token },
        );
        expect([name, ...readCode(answer)]).toEqual([name, 404, 'NOT_FOUND']);
      }
    });

  if (!isOpen(id) && !endsSessions.has(id))
    test('reveals nothing to a member of another organization', async () => {
      const refusal = refusalFor(id, 'stranger');
      const answer = await send(await unused(id), { token: stranger.token });
      if (refusal) return expect(readCode(answer)).toEqual(refusal);
      for (const theirs of [service.organizationId, service.workspaceId, owner.id, service.email])
        expect(answer.text).not.toContain(theirs);
    });

  if (!isOpen(id))
    test.each(['viewer', 'editor'] as const)('serves or refuses a member with the role %s', async (role) => {
      const asker = role === 'viewer' ? viewer : editor;
      const refusal = refusalFor(id, role);
      // Resources owned by others are not found.
      if (access.kind === 'own' && parameters.length > 0)
        expect(readCode(await send(await unused(id), { token: asker.token }))).toEqual([404, 'NOT_FOUND']);
      if (refusal)
        return expect(readCode(await send(await unused(id), { token: asker.token }))).toEqual(refusal);
      const own = await make(id, asker);
      const answer = await send(own, { token: own.token ?? asker.token });
      expect([answer.status, answer.status < 400 ? '' : answer.text]).toEqual([response.status, '']);
    });

  if (takesBody)
    test('refuses an invalid body', async () => {
      const request = await unused(id);
      const token = isOpen(id) ? undefined : owner.token;
      for (const [body, code] of [
        ['{', 'MALFORMED_BODY'],
        ['[]', 'VALIDATION_FAILED'],
        ['"text"', 'VALIDATION_FAILED'],
        ...(declaration.bodyOptional ? [] : [['null', 'VALIDATION_FAILED']]),
      ])
        expect([body, ...readCode(await send(request, { body, token }))]).toEqual([body, 400, code]);
      const nothing = { ...request };
      delete nothing.body;
      if (!declaration.bodyOptional) expectNamed(await send(nothing, { token }), 'body');
      const plain = { 'content-type': 'text/plain' };
      expect((await send(request, { body: 'x', headers: plain, token })).status).toBe(415);
      const long = { 'content-length': String((declaration.bodyLimit ?? 1024 * 1024) + 1) };
      expect((await send(request, { headers: long, token })).status).toBe(413);
    });

  if (takesBody)
    test('names the invalid field of a body', async () => {
      const request = await unused(id);
      const token = isOpen(id) ? undefined : owner.token;
      const refuse = async (body: unknown, field: string) =>
        expectNamed(await send(request, { body, token }), field);
      await refuse({ ...request.body, notAField: 1 }, 'notAField');
      for (const field of requiredFields(declaration.body)) {
        const { [field]: _, ...without } = request.body ?? {};
        await refuse(without, field);
      }
      for (const { field, body } of wrongFields(declaration.body, request.body ?? {}))
        await refuse(body, field);
    });

  if (idFields(declaration.body).length > 0)
    test('names the field of an unknown id in a body', async () => {
      const request = await unused(id);
      for (const field of idFields(declaration.body)) {
        const body = { ...request.body, [field]: crypto.randomUUID() };
        const { status, body: problem } = await send(request, { body, token: owner.token });
        expect([[400, 404].includes(status), problem['field']]).toEqual([true, field]);
      }
    });

  if (query)
    test('names the invalid field of a query', async () => {
      const request = await unused(id);
      const [base, right = ''] = request.url.split('?');
      const refuse = async (text: string, field: string) => {
        const kept = right.split('&').filter((pair) => !pair.startsWith(`${field}=`));
        const url = `${base}?${[...kept, text].filter((each) => each !== '').join('&')}`;
        expectNamed(await send(request, { url, token: owner.token }), field);
      };
      await refuse('notAName=1', 'notAName');
      for (const { field, body } of wrongFields(query, {})) {
        const value = body[field];
        if (typeof value === 'object' || value === '' || typeof value === 'boolean') continue;
        await refuse(`${field}=${encodeURIComponent(String(value))}`, field);
      }
      if (query && 'page' in query.shape) {
        await refuse('page=1&page=2', 'page');
        await refuse('page_size=201', 'page_size');
        const beyond = await send(request, { url: `${base}?page=1000000`, token: owner.token });
        expect(readCode(beyond)).toEqual([404, 'NOT_FOUND']);
      }
    });

  test('returns the declared response', async () => {
    const request = await unused(id);
    const answer = await send(request, { token: isOpen(id) ? undefined : (request.token ?? owner.token) });
    expect([answer.status, answer.status < 400 ? '' : answer.text]).toEqual([response.status, '']);
    if (response.schema) response.schema.parse(answer.body);
    else if (response.status === 204) expect(answer.text).toBe('');
    else if (id === 'listenToEvents') expect(answer.headers['content-type']).toContain('text/event-stream');
  });

  test('lists the supported methods of its path when called with another', async () => {
    const { url } = await unused(id);
    const known = operationIds.filter((other) => findDeclaration(other).path === path);
    const methods = known.map((other) => findDeclaration(other).method as string);
    // Methods of the tus protocol.
    if (id === 'readUpload') methods.push('PATCH', 'DELETE');
    const other = ['DELETE', 'PUT', 'PATCH', 'POST'].find((name) => !methods.includes(name)) ?? 'TRACE';
    const answer = await service.ask(other, url, undefined, { token: owner.token });
    expect(readCode(answer)).toEqual([405, 'METHOD_NOT_ALLOWED']);
    for (const name of methods) expect(String(answer.headers['allow']).split(', ')).toContain(name);
  });
});

test('an unknown path of the interface is a problem, not a page', async () => {
  const { status, body } = await service.ask('GET', '/api/v2/nothing');
  expect([status, body['code']]).toEqual([404, 'NOT_FOUND']);
});

test('the service logged no error', () => {
  expect(service.errors).toEqual([]);
});
