/** Signed URLs, downloads, streams and sessions end when their user loses access. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registerBlob } from '#storage/blobs/sweep.ts';
import { users } from '#storage/db/schema-accounts.ts';
import { auditLog } from '#storage/db/schema-collaboration.ts';
import { dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { bulkItems, bulkRequests, exports } from '#storage/db/schema-work.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { expectWithin, startStopwatch } from '#worker/testing/contention.ts';
import { type TestService, testService } from '../../testing/service.ts';

let service: TestService;
let base: string;
let organization: string;
beforeAll(async () => {
  service = await testService();
  base = await service.server.listen({ host: '127.0.0.1', port: 0 });
  organization = `/api/v2/organizations/${service.organizationId}`;
});
afterAll(() => service.close());

const as = (token: string) => ({ token });
type Member = Awaited<ReturnType<TestService['member']>>;
const editor = () => service.member({ role: 'editor' });
const opens = async (url: string) => (await service.server.inject({ url: new URL(url).pathname })).statusCode;

/** Ways in which a member loses access to a workspace, and what remains. */
const losses: Record<string, (member: Member) => Promise<{ status: number }>> = {
  'leaves the workspace': ({ id }) =>
    service.ask('PATCH', `${organization}/members/${id}`, { workspaces: [] }, as(service.token)),
  'leaves the organization': ({ id }) =>
    service.ask('DELETE', `${organization}/members/${id}`, undefined, as(service.token)),
  'is disabled': ({ id }) =>
    service.ask('PATCH', `${organization}/members/${id}`, { isDisabled: true }, as(service.token)),
  'deletes the account': ({ token }) =>
    service.ask('POST', '/api/v2/accountDeletion', { password: 'correct horse battery' }, as(token)),
};

async function blob(bytes: Uint8Array = Buffer.from('solid')): Promise<string> {
  const key = `files/aa/${randomUUID()}`;
  await registerBlob(service.db, { key, kind: 'object' });
  await service.blobs.put(key, bytes);
  return key;
}
async function file(bytes?: Uint8Array): Promise<{ projectId: string; dataObjectId: string }> {
  const { id: projectId } = await service.project();
  const values = { projectId, name: 'm', ...exampleContent('mesh') };
  const [{ id: dataObjectId }] = await service.db.insert(dataObjects).values(values).returning();
  const described = { fileName: 'a.stl', mediaType: 'model/stl', sizeBytes: 5, sha256: 'a'.repeat(64) };
  await service.db.insert(dataObjectFiles).values({ ...described, dataObjectId, blobKey: await blob(bytes) });
  return { projectId, dataObjectId };
}
async function addressOfFile(token: string, bytes?: Uint8Array): Promise<string> {
  const { dataObjectId } = await file(bytes);
  const { body } = await service.ask<{ url: string }>(
    'GET',
    `/api/v2/export/${dataObjectId}/a.stl`,
    undefined,
    as(token),
  );
  return body.url;
}
const findUserId = async (email: string) => {
  const [{ id }] = await service.db.select({ id: users.id }).from(users).where(eq(users.email, email));
  return id;
};
/** Results of two projects in one archive, requested by the member; the second project is in a separate workspace. */
async function results(member: Member): Promise<{ id: string; workspaceId: string }> {
  const { body: workspace } = await service.ask<{ id: string }>(
    'POST',
    `${organization}/workspaces`,
    { name: randomUUID() },
    as(service.token),
  );
  const roles = [service.workspaceId, workspace.id].map((id) => ({ id, role: 'editor' }));
  await service.ask(
    'PATCH',
    `${organization}/members/${member.id}`,
    { workspaces: roles },
    as(service.token),
  );
  const [{ id }] = await service.db
    .insert(bulkRequests)
    .values({
      organizationId: service.organizationId,
      operationType: 'downloadResults',
      totalCount: 2,
      completedCount: 2,
      status: 'completed',
      finishedAt: new Date(),
      blobKey: await blob(),
      createdBy: await findUserId(member.email),
    })
    .returning();
  const items = [await service.project(), await service.project({ workspaceId: workspace.id })];
  await service.db.insert(bulkItems).values(
    items.map((project, position) => ({
      bulkRequestId: id,
      projectId: project.id,
      position,
      status: 'completed' as const,
    })),
  );
  return { id, workspaceId: workspace.id };
}
const downloadUrl = async (id: string, token: string) =>
  (
    await service.ask<{ downloadUrl: string | null }>(
      'GET',
      `/api/v2/bulkRequests/${id}`,
      undefined,
      as(token),
    )
  ).body.downloadUrl;

describe.each(Object.entries(losses))('a member who %s', (_, lose) => {
  test('can no longer use signed URLs of files, pictures and exports', async () => {
    const member = await editor();
    const url = await addressOfFile(member.token);
    const { id: projectId } = await service.project();
    const thumbnailKey = await blob();
    await service.db.update(projects).set({ thumbnailKey }).where(eq(projects.id, projectId));
    const config = { exportMeshes: true, exportVolumes: false, exportRadiographs: false };
    const done = { status: 'completed' as const, finishedAt: new Date(), fileName: 'e.zip' };
    await service.db.insert(exports).values({ projectId, config, blobKey: await blob(), ...done });
    const path = `/api/v2/projects/${projectId}`;
    const read = (at: string) =>
      service.ask<{ url: string; thumbnailUrl: string }>('GET', at, undefined, as(member.token));
    const urls = [url, (await read(path)).body.thumbnailUrl, (await read(`${path}/export`)).body.url];
    for (const each of urls) expect([each, await opens(each)]).toEqual([each, 200]);
    expect((await lose(member)).status).toBeLessThan(300);
    for (const each of urls) expect([each, await opens(each)]).toEqual([each, 404]);
  });

  test('gets no more URLs of bulk results, and can no longer use earlier ones', async () => {
    const member = await editor();
    const { id } = await results(member);
    const url = (await downloadUrl(id, member.token)) ?? '';
    expect(await opens(url)).toBe(200);
    await lose(member);
    expect(await opens(url)).toBe(404);
    expect((await downloadUrl(id, member.token)) ?? null).toBe(null);
  });

  test('has a running download ended within ten seconds', async () => {
    await expectWithin(10_000, async () => {
      const member = await editor();
      const url = await addressOfFile(member.token, new Uint8Array(64 * 1024 * 1024));
      const connected = once(service.server.server, 'connection');
      // A separate connection, so that its end can be observed.
      const request = get(`${base}${new URL(url).pathname}`, { agent: false });
      const [[socket], [answer]] = (await Promise.all([connected, once(request, 'response')])) as [
        [Socket],
        [IncomingMessage],
      ];
      // Nothing is read, so the rest of the file waits behind full buffers.
      expect([answer.statusCode, socket.destroyed]).toEqual([200, false]);
      const ended = once(socket, 'close');
      const elapsedMs = startStopwatch();
      await lose(member);
      await ended;
      const cutOffAfterMs = elapsedMs();
      await expect(answer.resume().toArray()).rejects.toThrow('aborted');
      return cutOffAfterMs;
    });
  });

  test('gets no more events of the workspace', async () => {
    const member = await editor();
    const stop = new AbortController();
    const headers = { authorization: `Token ${member.token}` };
    const answer = await fetch(`${base}/api/v2/events`, { headers, signal: stop.signal });
    const reader = (answer.body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream())
      .getReader();
    let heard = '';
    const until = async (fits: () => boolean): Promise<void> => {
      while (!fits()) {
        const { value, done } = await reader.read();
        if (done) return;
        heard += value;
      }
    };
    const before = await service.project();
    await until(() => heard.includes(before.id));
    await lose(member);
    const isSignedIn = (await service.ask('GET', '/api/v2/me', undefined, as(member.token))).status === 200;
    const after = await service.project();
    // The stream ends, or continues with events the member may still see.
    if (isSignedIn)
      await service.ask('POST', `${organization}/workspaces`, { name: randomUUID() }, as(service.token));
    await until(() => isSignedIn && heard.split('"organization"').length > 2);
    expect(heard).not.toContain(after.id);
    stop.abort();
  });
});

describe('sessions and access tokens', () => {
  const signedIn = async (token: string) =>
    (await service.ask('GET', '/api/v2/me', undefined, as(token))).status === 200;

  test.each([
    ['leaves the workspace', true],
    ['leaves the organization', false],
    ['is disabled', false],
    ['deletes the account', false],
  ] as const)('of a member who %s remain valid: %s', async (loss, goesOn) => {
    const member = await editor();
    const { body } = await service.ask<{ token: string }>(
      'POST',
      '/api/v2/accessTokens',
      { name: 't' },
      as(member.token),
    );
    await losses[loss](member);
    expect([await signedIn(member.token), await signedIn(body.token)]).toEqual([goesOn, goesOn]);
  });

  test('of a disabled account stop working, and do not come back when it is enabled again', async () => {
    const member = await editor();
    await losses['is disabled'](member);
    const login = () =>
      service.ask('POST', '/api/login', { email: member.email, password: 'correct horse battery' });
    expect((await login()).status).toBe(401);
    const url = `${organization}/members/${member.id}`;
    await service.ask('PATCH', url, { isDisabled: false }, as(service.token));
    expect((await login()).status).toBe(200);
    expect(await signedIn(member.token)).toBe(false);
  });

  test('remain when a member leaves one of two organizations', async () => {
    const member = await editor();
    const made = await service.ask('POST', '/api/v2/organizations', { name: 'Second' }, as(member.token));
    expect(made.status).toBe(201);
    await losses['leaves the organization'](member);
    expect(await signedIn(member.token)).toBe(true);
  });
});

test('a URL of bulk results stops working when access to one of its projects is lost', async () => {
  const member = await editor();
  const { id } = await results(member);
  const url = (await downloadUrl(id, member.token)) ?? '';
  expect(await opens(url)).toBe(200);
  const roles = [{ id: service.workspaceId, role: 'editor' }];
  await service.ask(
    'PATCH',
    `${organization}/members/${member.id}`,
    { workspaces: roles },
    as(service.token),
  );
  expect([await opens(url), await downloadUrl(id, member.token)]).toEqual([404, null]);
  const { body } = await service.ask<{ results: { id: string; downloadUrl: string | null }[] }>(
    'GET',
    '/api/v2/bulkRequests',
    undefined,
    as(member.token),
  );
  expect(body.results).toMatchObject([{ id, downloadUrl: null }]);
});

test('a URL depends only on the rights of the user it was created for', async () => {
  const [first, second] = [await editor(), await editor()];
  const url = await addressOfFile(first.token);
  await losses['leaves the workspace'](second);
  expect(await opens(url)).toBe(200);
  await losses['leaves the workspace'](first);
  expect(await opens(url)).toBe(404);
});

test('a URL created by an earlier version, without a user, is refused', async () => {
  const { signFile } = await import('#storage/blobs/signing.ts');
  const { signingSecret } = await import('#storage/db/settings.ts');
  const key = await blob();
  const subject = Buffer.from(JSON.stringify([key, 'model/stl', 0])).toString('base64url');
  const expiresAt = new Date(Date.now() + 60_000);
  const secret = await signingSecret(service.db);
  const { expires, signature } = signFile(secret, { subject, fileName: 'a.stl', expiresAt });
  expect(await opens(`http://x/api/files/${subject}.${expires}.${signature}/a.stl`)).toBe(404);
});

test('an export can no longer be cancelled after access to its project is lost', async () => {
  const member = await editor();
  const { id: projectId } = await service.project();
  const config = { exportMeshes: true, exportVolumes: false, exportRadiographs: false };
  const createdBy = await findUserId(member.email);
  const [{ id }] = await service.db.insert(exports).values({ projectId, config, createdBy }).returning();
  await losses['leaves the workspace'](member);
  const { status } = await service.ask('POST', `/api/v2/exports/${id}/cancel`, undefined, as(member.token));
  expect(status).toBe(404);
});

test('a download is logged once in the audit log, in however many ranges it is read; viewing a picture is not', async () => {
  const member = await editor();
  const url = await addressOfFile(member.token);
  const path = new URL(url).pathname;
  for (const range of ['bytes=0-1', 'bytes=2-4'])
    expect((await service.server.inject({ url: path, headers: { range } })).statusCode).toBe(206);
  const written = and(eq(auditLog.userEmail, member.email), eq(auditLog.action, 'download'));
  expect(await service.db.select().from(auditLog).where(written)).toMatchObject([
    { action: 'download', detail: { fileName: 'a.stl' }, address: '127.0.0.1' },
  ]);
});
