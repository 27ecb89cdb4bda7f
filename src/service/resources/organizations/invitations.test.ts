import { eq } from 'drizzle-orm';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Invitation } from '#contract/shapes/organization.ts';
import { invitations } from '#storage/db/schema-accounts.ts';
import { password, type TestService, testService } from '../../testing/service.ts';

let service: TestService;
let mailServer: SMTPServer;
const mails: { to: string[]; text: string }[] = [];

beforeAll(async () => {
  mailServer = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const text = Buffer.concat(parts).toString().replaceAll('=\r\n', '').replaceAll('=3D', '=');
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => mailServer.listen(0, '127.0.0.1', resolve));
  const address = mailServer.server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  service = await testService({
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    PUBLIC_URL: 'https://scans.example.com',
  });
});
afterAll(async () => {
  await service.close();
  await new Promise<void>((resolve) => mailServer.close(() => resolve()));
});

const as = (token = service.token) => ({ token });
const url = () => `/api/v2/organizations/${service.organizationId}/invitations`;
const invite = (fields: Record<string, unknown>) =>
  service.ask<Invitation & { token: string; mail: string; field: string }>(
    'POST',
    url(),
    { sendMail: false, ...fields },
    as(),
  );
const accept = (body: Record<string, unknown>) =>
  service.ask<{ token: string; user: { id: string; email: string; name: string } }>(
    'POST',
    '/api/invitation/accept',
    body,
  );

test('an invited user sets a password and joins once, with the given roles', async () => {
  const workspaces = [{ id: service.workspaceId, role: 'viewer' }];
  const { status, body } = await invite({ email: 'new@example.com', workspaces, sendMail: true });
  expect([status, body.mail]).toEqual([201, 'sent']);
  const [{ to, text }] = mails;
  expect(to).toEqual(['new@example.com']);
  expect(text).toContain(`https://scans.example.com/invitation#${body.token}`);
  const read = await service.ask('POST', '/api/invitation/read', { token: body.token });
  expect([read.status, read.body]).toMatchObject([
    200,
    { email: 'new@example.com', invitedBy: service.email, hasAccount: false },
  ]);
  const short = await accept({ token: body.token, password: 'short' });
  expect([short.status, (short.body as unknown as { field: string }).field]).toEqual([400, 'password']);
  const joined = await accept({ token: body.token, password, name: 'New One' });
  expect([joined.status, joined.body.user]).toMatchObject([
    200,
    { email: 'new@example.com', name: 'New One' },
  ]);
  const me = await service.ask<{ organizations: { isManager: boolean; workspaces: object[] }[] }>(
    'GET',
    '/api/v2/me',
    undefined,
    as(joined.body.token),
  );
  expect(me.body.organizations).toMatchObject([{ isManager: false, workspaces: [{ role: 'viewer' }] }]);
  expect((await accept({ token: body.token, password })).status).toBe(404);
  const again = await invite({ email: 'NEW@example.com' });
  expect([again.status, again.body.field]).toEqual([409, 'email']);
});

test('an existing account joins with its own password', async () => {
  const { token: strange } = await service.stranger();
  const me = await service.ask<{ user: { email: string } }>('GET', '/api/v2/me', undefined, as(strange));
  const { email } = me.body.user;
  const { body } = await invite({ email });
  const wrong = await accept({ token: body.token, password: 'another long password' });
  expect([wrong.status, (wrong.body as unknown as { field: string }).field]).toEqual([400, 'password']);
  expect((await accept({ token: body.token, password })).status).toBe(200);
  const after = await service.ask<{ organizations: object[] }>('GET', '/api/v2/me', undefined, as(strange));
  expect(after.body.organizations).toHaveLength(2);
});

test('a revoked, replaced or expired invitation is no longer open', async () => {
  const first = (await invite({ email: 'gone@example.com' })).body;
  const second = (await invite({ email: 'gone@example.com' })).body;
  expect((await service.ask('POST', '/api/invitation/read', { token: first.token })).status).toBe(404);
  const list = await service.ask<{ results: Invitation[] }>('GET', url(), undefined, as());
  expect(list.body.results.filter(({ email }) => email === 'gone@example.com')).toHaveLength(1);
  expect(JSON.stringify(list.body)).not.toContain(second.token);
  expect((await service.ask('DELETE', `${url()}/${second.id}`, undefined, as())).status).toBe(204);
  expect((await service.ask('POST', '/api/invitation/read', { token: second.token })).status).toBe(404);
  const late = (await invite({ email: 'late@example.com' })).body;
  await service.db
    .update(invitations)
    .set({ expiresAt: new Date(Date.now() - 1000) })
    .where(eq(invitations.id, late.id));
  expect((await accept({ token: late.token, password })).status).toBe(404);
});

test('only managers create, see and revoke invitations; a stranger finds nothing', async () => {
  const member = await service.member({ role: 'editor' });
  const { token: strange } = await service.stranger();
  const { body } = await invite({ email: 'third@example.com' });
  for (const [token, status] of [
    [member.token, 403],
    [strange, 404],
  ] as const) {
    expect((await service.ask('GET', url(), undefined, as(token))).status).toBe(status);
    expect((await service.ask('POST', url(), { email: 'x@example.com' }, as(token))).status).toBe(status);
    expect((await service.ask('DELETE', `${url()}/${body.id}`, undefined, as(token))).status).toBe(status);
  }
  const elsewhere = [{ id: crypto.randomUUID(), role: 'viewer' }];
  const wrong = await invite({ email: 'fourth@example.com', workspaces: elsewhere });
  expect([wrong.status, wrong.body.field]).toEqual([400, 'workspaces.0.id']);
});

test('the audit log can be filtered by user, action and resource', async () => {
  const log = async (query: string, token = service.token) => {
    const path = `/api/v2/organizations/${service.organizationId}/auditLog${query}`;
    return service.ask<{ results: { action: string; actor: string; actorEmail: string }[] }>(
      'GET',
      path,
      undefined,
      as(token),
    );
  };
  const { body } = await log('?action=invite');
  expect(new Set(body.results.map(({ action }) => action))).toEqual(new Set(['invite']));
  expect(body.results[0].actorEmail).toBe(service.email);
  const joined = (await log('?action=acceptInvitation')).body.results;
  expect(joined.map(({ actorEmail }) => actorEmail)).toContain('new@example.com');
  const own = (await log(`?actor=${joined[joined.length - 1].actor}`)).body.results;
  expect(new Set(own.map(({ actorEmail }) => actorEmail)).size).toBe(1);
  expect((await log('?resource=nothing')).body.results).toEqual([]);
  const { token } = await service.member({ role: 'editor' });
  expect((await log('', token)).status).toBe(403);
});

test('a manager renames an organization; a workspace can be deleted only when it is empty', async () => {
  const path = `/api/v2/organizations/${service.organizationId}`;
  const { token } = await service.member({ role: 'editor' });
  expect((await service.ask('PATCH', path, { name: 'X' }, as(token))).status).toBe(403);
  const renamed = await service.ask('PATCH', path, { name: 'Foundry' }, as());
  expect([renamed.status, renamed.body['name']]).toEqual([200, 'Foundry']);
  const made = await service.ask<{ id: string; storageBytes: number }>(
    'POST',
    `${path}/workspaces`,
    { name: 'Short-lived' },
    as(),
  );
  expect(made.body.storageBytes).toBe(0);
  const workspace = `/api/v2/workspaces/${made.body.id}`;
  const project = await service.project({ workspaceId: made.body.id });
  const held = await service.ask('DELETE', workspace, undefined, as());
  expect([held.status, held.body['code']]).toEqual([409, 'CONFLICT']);
  const moved = { destinationWorkspaceId: service.workspaceId };
  expect((await service.ask('POST', `/api/v2/projects/${project.id}/move`, moved, as())).status).toBe(200);
  expect((await service.ask('DELETE', workspace, undefined, as(token))).status).toBe(403);
  expect((await service.ask('DELETE', workspace, undefined, as())).status).toBe(204);
  const list = await service.ask<{ results: { id: string }[] }>('GET', `${path}/workspaces`, undefined, as());
  expect(list.body.results.map(({ id }) => id)).not.toContain(made.body.id);
});

test('a member is notified of a new workspace, and can mark notifications as read', async () => {
  const member = await service.member();
  const path = `/api/v2/organizations/${service.organizationId}/members/${member.id}`;
  const workspaces = [{ id: service.workspaceId, role: 'editor' }];
  await service.ask('PATCH', path, { workspaces }, as());
  const unread = async () =>
    (
      await service.ask<{ results: { id: string; kind: string; text: string }[] }>(
        'GET',
        '/api/v2/notifications?unread=true',
        undefined,
        as(member.token),
      )
    ).body.results;
  const [told] = await unread();
  expect(told).toMatchObject({ kind: 'workspace.shared', resource: 'workspace' });
  const read = (body?: unknown, token = member.token) =>
    service.ask('POST', '/api/v2/notifications/read', body, as(token));
  // Nobody can mark another user's notifications.
  expect((await read({ ids: [told.id] }, service.token)).status).toBe(204);
  expect(await unread()).toHaveLength(1);
  expect((await read({ ids: ['x'] })).body['field']).toBe('ids.0');
  expect((await read({ ids: [told.id] })).status).toBe(204);
  expect(await unread()).toEqual([]);
  await service.ask('PATCH', path, { workspaces: [{ ...workspaces[0], role: 'viewer' }] }, as());
  expect(await unread()).toHaveLength(1);
  expect((await read()).status).toBe(204);
  expect(await unread()).toEqual([]);
});

test('the service logged no error', () => {
  expect(service.errors).toEqual([]);
});

test('a name with HTML and line breaks appears in an email as one line of text, and adds no header', async () => {
  const manager = await service.member({ isManager: true });
  const name =
    '<img src=x onerror=alert(1)>\r\nBcc: spy@example.com\r\n\r\nOpen https://evil.example at once';
  expect((await service.ask('PATCH', '/api/v2/me', { name }, as(manager.token))).status).toBe(200);
  const email = 'reader@example.com';
  const body = { email, sendMail: true };
  expect((await service.ask('POST', url(), body, as(manager.token))).body['mail']).toBe('sent');
  const mail = mails.find(({ to }) => to.includes(email));
  const [head, ...parts] = (mail?.text ?? '').split('\r\n\r\n');
  expect(mail?.to).toEqual([email]);
  expect(head).toMatch(/^Content-Type: text\/plain/m);
  expect(head).not.toMatch(/^Bcc:|multipart|text\/html/im);
  expect(parts.join('\n')).toContain(
    '<img src=x onerror=alert(1)> Bcc: spy@example.com Open https://evil.example at once asks you to join',
  );
});
