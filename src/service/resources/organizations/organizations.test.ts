import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Member, Organization, Workspace } from '#contract/shapes/organization.ts';
import { password, type TestService, testService } from '../../testing/service.ts';

let service: TestService;
let base: string;
beforeAll(async () => {
  service = await testService();
  base = `/api/v2/organizations/${service.organizationId}`;
});
afterAll(() => service.close());
const as = () => ({ token: service.token });
type List<Item> = { count: number; results: Item[] };

test('an organization counts its workspaces, members, projects and bytes', async () => {
  await service.project();
  const { body } = await service.ask<Organization>('GET', base, undefined, as());
  expect(body).toMatchObject({
    isManager: true,
    workspaceCount: 1,
    memberCount: 1,
    projectCount: 1,
    storageBytes: 0,
  });
});

test('a member sees workspaces with a role, a manager sees all', async () => {
  const made = await service.ask<Workspace>('POST', `${base}/workspaces`, { name: 'Second' }, as());
  expect([made.status, made.body.role]).toEqual([201, 'editor']);
  const { token } = await service.member({ role: 'viewer' });
  const read = async (who: string) =>
    (await service.ask<List<Workspace>>('GET', `${base}/workspaces`, undefined, { token: who })).body.results;
  expect((await read(token)).map(({ name, role }) => [name, role])).toEqual([['Inspection', 'viewer']]);
  const manager = await service.member({ isManager: true });
  expect((await read(manager.token)).map(({ role }) => role)).toEqual([null, null]);
});

test('two workspaces of an organization can’t have the same name, ignoring case', async () => {
  const { status, body } = await service.ask('POST', `${base}/workspaces`, { name: 'inspection' }, as());
  expect([status, body['code'], body['field']]).toEqual([409, 'CONFLICT', 'name']);
});

describe('members', () => {
  test('a new account gets an initial password, which is returned once and works', async () => {
    const input = { email: 'New.One@example.com', workspaces: [{ id: service.workspaceId, role: 'editor' }] };
    const { status, body } = await service.ask<Member & { initialPassword: string }>(
      'POST',
      `${base}/members`,
      input,
      as(),
    );
    expect([status, body.name, body.isManager]).toEqual([201, 'New.One', false]);
    const login = await service.ask('POST', '/api/login', {
      email: 'new.one@example.com',
      password: body.initialPassword,
    });
    expect(login.status).toBe(200);
    const again = await service.ask('POST', `${base}/members`, input, as());
    expect([again.status, again.body['code']]).toEqual([409, 'CONFLICT']);
  });

  test('can be added only by managers, and only to workspaces of their organization', async () => {
    const { token } = await service.member({ role: 'editor' });
    const refused = await service.ask('POST', `${base}/members`, { email: 'a@example.com' }, { token });
    expect([refused.status, refused.body['code']]).toEqual([403, 'PERMISSION_DENIED']);
    const { workspaceId } = await service.stranger();
    const input = { email: 'b@example.com', workspaces: [{ id: workspaceId, role: 'viewer' }] };
    const wrong = await service.ask('POST', `${base}/members`, input, as());
    expect([wrong.status, wrong.body['field']]).toEqual([400, 'workspaces.0.id']);
  });

  test('the only manager can’t be removed; a removed member loses all access', async () => {
    const { body } = await service.ask<List<Member>>('GET', `${base}/members?page_size=200`, undefined, as());
    const me = body.results.find(({ email }) => email === service.email) as Member;
    for (const other of body.results.filter(({ isManager, id }) => isManager && id !== me.id))
      await service.ask('PATCH', `${base}/members/${other.id}`, { isManager: false }, as());
    expect((await service.ask('PATCH', `${base}/members/${me.id}`, { isManager: false }, as())).status).toBe(
      409,
    );
    expect((await service.ask('DELETE', `${base}/members/${me.id}`, undefined, as())).status).toBe(409);
    const { id, token, email } = await service.member({ role: 'viewer' });
    expect((await service.ask('DELETE', `${base}/members/${id}`, undefined, as())).status).toBe(204);
    expect((await service.ask('GET', base, undefined, { token })).status).toBe(401);
    const login = await service.ask<{ token: string }>('POST', '/api/login', { email, password });
    expect(login.status).toBe(200);
    const again = { token: login.body.token };
    expect((await service.ask('GET', base, undefined, again)).status).toBe(404);
    const projects = await service.ask<List<unknown>>('GET', '/api/v2/projects', undefined, again);
    expect(projects.body.count).toBe(0);
  });
});

test('managers can read the audit log', async () => {
  const { body } = await service.ask<List<{ action: string; actorEmail: string }>>(
    'GET',
    `${base}/auditLog`,
    undefined,
    as(),
  );
  expect(body.results.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['createWorkspace', 'addMember', 'removeMember', 'createProject']),
  );
  expect(body.results[0].actorEmail).toBe(service.email);
  const { token } = await service.member({ role: 'editor' });
  expect((await service.ask('GET', `${base}/auditLog`, undefined, { token })).status).toBe(403);
});

test('the service logged no error', () => {
  expect(service.errors).toEqual([]);
});
