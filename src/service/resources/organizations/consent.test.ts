/** Nobody joins an organization without consent, and an organization's data about a member stays within it. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { AddedMember, Member, Organization } from '#contract/shapes/organization.ts';
import type { Me } from '#contract/shapes/session.ts';
import { viewState } from '#contract/testing/view-state.ts';
import { users } from '#storage/db/schema-accounts.ts';
import { password, type TestService, testService } from '../../testing/service.ts';

type Added = z.infer<typeof AddedMember>;

let service: TestService;
let base: string;
/** manager of another organization on the same installation */
let other: { token: string; organizationId: string; base: string };
beforeAll(async () => {
  service = await testService();
  base = `/api/v2/organizations/${service.organizationId}`;
  const stranger = await service.stranger();
  other = { ...stranger, base: `/api/v2/organizations/${stranger.organizationId}` };
});
afterAll(() => service.close());

const as = (token = service.token) => ({ token });
const me = async (token: string) => (await service.ask<Me>('GET', '/api/v2/me', undefined, as(token))).body;
/** Creates a member of both organizations, who accepted the second one's invitation. */
async function memberOfBoth() {
  const member = await service.member({ role: 'editor' });
  const invited = await service.ask<{ token: string }>(
    'POST',
    `${other.base}/invitations`,
    { email: member.email, sendMail: false },
    as(other.token),
  );
  const answer = { token: invited.body.token, password };
  expect((await service.ask('POST', '/api/invitation/accept', answer)).status).toBe(200);
  const list = await service.ask<{ results: Member[] }>(
    'GET',
    `${other.base}/members?page_size=200`,
    undefined,
    as(other.token),
  );
  const there = list.body.results.find(({ email }) => email === member.email) as Member;
  return { ...member, idThere: there.id };
}

describe('an account that exists', () => {
  test('is not added to an organization by its manager, who gets the same response as for an unknown address', async () => {
    const { email, token } = await service.member();
    const addresses = [email, email.toUpperCase(), 'nobody.yet@example.com'];
    const lists = ['members', 'invitations'];
    const answers = [];
    for (const address of addresses) {
      const body = { email: address, isManager: true };
      const added = await service.ask<Added>('POST', `${other.base}/members`, body, as(other.token));
      const { id, email: _, name, createdAt, initialPassword, token: secret, ...rest } = added.body;
      const counts = await Promise.all(
        lists.map((list) =>
          service.ask<{ count: number }>('GET', `${other.base}/${list}`, undefined, as(other.token)),
        ),
      );
      answers.push([
        added.status,
        rest,
        typeof initialPassword,
        typeof secret,
        counts.map((each) => each.body.count),
      ]);
      await service.ask('DELETE', `${other.base}/invitations/${id}`, undefined, as(other.token));
      if (address === email) {
        const login = { email, password: initialPassword };
        expect((await service.ask('POST', '/api/login', login)).status).toBe(401);
      }
    }
    expect(answers[0][0]).toBe(201);
    expect([answers[1], answers[2]]).toEqual([answers[0], answers[0]]);
    expect((await me(token)).organizations.map(({ id }) => id)).toEqual([service.organizationId]);
  });

  test('joins by the link given to the manager, with its own password', async () => {
    const { email, token } = await service.member();
    const added = await service.ask<Added>('POST', `${other.base}/members`, { email }, as(other.token));
    const answer = { token: added.body.token, password };
    expect((await service.ask('POST', '/api/invitation/accept', answer)).status).toBe(200);
    expect((await me(token)).organizations).toHaveLength(2);
  });

  test('joins only with its own password, not by a link alone or with a new password', async () => {
    const { email, token } = await service.member();
    const invited = await service.ask<{ token: string }>(
      'POST',
      `${other.base}/invitations`,
      { email, sendMail: false },
      as(other.token),
    );
    const answer = { token: invited.body.token, password: 'a password of the manager' };
    expect((await service.ask('POST', '/api/invitation/accept', answer)).body['field']).toBe('password');
    expect((await me(token)).organizations).toHaveLength(1);
    expect((await service.ask('POST', '/api/invitation/accept', { ...answer, password })).status).toBe(200);
    expect((await me(token)).organizations).toHaveLength(2);
  });
});

describe('an address without an account', () => {
  const add = (email: string, first: string, at = base, token = service.token) =>
    service.ask<Added>('POST', `${at}/members`, { email, password: first }, as(token));
  const signIn = (email: string, secret: string) =>
    service.ask<{ token: string }>('POST', '/api/login', { email, password: secret });

  test('gets one at the first sign-in, only once even with concurrent sign-ins', async () => {
    const email = 'at.once@example.com';
    const { body } = await add(email, 'the first password');
    expect(await service.db.select().from(users).where(eq(users.email, email))).toEqual([]);
    const answers = await Promise.all([1, 2, 3].map(() => signIn(email, 'the first password')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [row, ...others] = await service.db.select().from(users).where(eq(users.email, email));
    expect([row.email, others]).toEqual([email, []]);
    const url = `${base}/members/${body.id}`;
    expect((await service.ask('PATCH', url, { isManager: true }, as())).status).toBe(200);
  });

  test('does not belong to whoever adds it first: each initial password leads to its own organization', async () => {
    const email = 'wanted@example.com';
    await add(email, 'the one of this organization');
    await add(email, 'the one of another', other.base, other.token);
    expect((await signIn(email, 'some other password')).status).toBe(401);
    const { status, body } = await signIn(email, 'the one of this organization');
    expect([status, (await me(body.token)).organizations.map(({ id }) => id)]).toEqual([
      200,
      [service.organizationId],
    ]);
    expect((await signIn(email, 'the one of another')).status).toBe(401);
  });

  test('gets none after the invitation was revoked', async () => {
    const email = 'taken.back@example.com';
    const { body } = await add(email, 'the first password');
    expect((await service.ask('DELETE', `${base}/invitations/${body.id}`, undefined, as())).status).toBe(204);
    expect((await signIn(email, 'the first password')).status).toBe(401);
  });
});

describe('a name given by an organization', () => {
  test('applies only there; other organizations and the account keep their own', async () => {
    const { id, idThere, token, email } = await memberOfBoth();
    await service.ask('PATCH', '/api/v2/me', { name: 'Ida Inspector' }, as(token));
    const renamed = await service.ask<Member>('PATCH', `${base}/members/${id}`, { name: 'Number 7' }, as());
    expect(renamed.body.name).toBe('Number 7');
    const there = await service.ask<Member>('PATCH', `${other.base}/members/${idThere}`, {}, as(other.token));
    expect([there.body.name, (await me(token)).user.name]).toEqual(['Ida Inspector', 'Ida Inspector']);
    const back = await service.ask<Member>('PATCH', `${base}/members/${id}`, { name: null }, as());
    expect([back.body.name, back.body.email]).toEqual(['Ida Inspector', email]);
  });

  test('applies only there for a new account, too', async () => {
    const input = { email: 'new.one@example.com', name: 'The new one', password };
    const added = await service.ask<Added>('POST', `${base}/members`, input, as());
    expect(added.body.name).toBe('The new one');
    expect((await service.ask('POST', '/api/login', { email: input.email, password })).status).toBe(200);
    const [row] = await service.db.select().from(users).where(eq(users.email, input.email));
    expect(row.name).toBe('new.one');
  });

  test('is shown to colleagues beside a comment, but not to others', async () => {
    const { id, token } = await memberOfBoth();
    await service.ask('PATCH', `${base}/members/${id}`, { name: 'Number 8' }, as());
    const project = await service.project();
    const bookmark = await service.ask(
      'POST',
      '/api/v2/bookmarks',
      { projectId: project.id, name: 'b', viewState },
      as(token),
    );
    const url = `/api/v2/bookmarks/${bookmark.body['id']}/comments`;
    const made = await service.ask('POST', url, { text: 'hello' }, as(token));
    const read = await service.ask<{ results: unknown[] }>('GET', url, undefined, as());
    for (const comment of [made.body, read.body.results[0]])
      expect(comment).toMatchObject({ author: { name: 'Number 8' } });
    expect(bookmark.body['author']).toMatchObject({ name: 'Number 8' });
  });
});

describe('what a manager may do with an account', () => {
  const actions: [string, (id: string, at: string, token: string) => Promise<{ status: number }>][] = [
    [
      'reset its password',
      (id, at, token) => service.ask('POST', `${at}/members/${id}/passwordReset`, undefined, as(token)),
    ],
    [
      'disable it',
      (id, at, token) => service.ask('PATCH', `${at}/members/${id}`, { isDisabled: true }, as(token)),
    ],
    [
      'delete it',
      (id, at, token) => service.ask('DELETE', `${at}/members/${id}/account`, undefined, as(token)),
    ],
  ];

  test.each(actions)('ends when it belongs to another organization, too: nobody may %s', async (_, act) => {
    const { id, idThere, token } = await memberOfBoth();
    expect((await act(id, base, service.token)).status).toBe(409);
    expect((await act(idThere, other.base, other.token)).status).toBe(409);
    expect((await me(token)).organizations).toHaveLength(2);
    const list = await service.ask<{ results: Member[] }>(
      'GET',
      `${base}/members?page_size=200`,
      undefined,
      as(),
    );
    expect(list.body.results.find((each) => each.id === id)).toMatchObject({ isManagedHere: false });
  });

  test.each(actions)('is refused to members and to managers of other organizations: %s', async (_, act) => {
    const [{ id }, member] = [await service.member(), await service.member({ role: 'editor' })];
    expect((await act(id, base, member.token)).status).toBe(403);
    expect((await act(id, base, other.token)).status).toBe(404);
    expect((await act(id, other.base, other.token)).status).toBe(404);
  });

  test.each(actions)(
    'leaves the organization a manager: the last one stays, though somebody would %s',
    async (name, act) => {
      const mine = await service.ask<Organization>('POST', '/api/v2/organizations', { name }, as());
      const at = `/api/v2/organizations/${mine.body.id}`;
      const list = await service.ask<{ results: Member[] }>('GET', `${at}/members`, undefined, as());
      expect((await act(list.body.results[0].id, at, service.token)).status).toBe(409);
    },
  );

  test('creates a link that sets a new password once and ends every session', async () => {
    const { id, token, email } = await service.member();
    const url = `${base}/members/${id}/passwordReset`;
    const { status, body } = await service.ask('POST', url, undefined, as());
    expect([status, body['mail']]).toEqual([201, 'notSetUp']);
    const answer = { token: body['token'], newPassword: 'chosen by the member' };
    const weak = await service.ask('POST', '/api/passwordReset', { ...answer, newPassword: 'password123' });
    expect([weak.status, weak.body['field']]).toEqual([400, 'newPassword']);
    const results = await Promise.all([1, 2, 3].map(() => service.ask('POST', '/api/passwordReset', answer)));
    expect(results.map((each) => each.status).sort()).toEqual([204, 404, 404]);
    expect((await service.ask('GET', '/api/v2/me', undefined, as(token))).status).toBe(401);
    const login = (secret: string) => service.ask('POST', '/api/login', { email, password: secret });
    expect([(await login(password)).status, (await login(answer.newPassword)).status]).toEqual([401, 200]);
  });

  test('deletes it permanently: its comments and projects remain, its address can be used again', async () => {
    const { id, token, email } = await service.member({ role: 'editor' });
    const { body: project } = await service.ask(
      'POST',
      '/api/v2/projects',
      { workspaceId: service.workspaceId, name: 'Stays' },
      as(token),
    );
    expect((await service.ask('DELETE', `${base}/members/${id}/account`, undefined, as())).status).toBe(204);
    expect((await service.ask('GET', '/api/v2/me', undefined, as(token))).status).toBe(401);
    const read = await service.ask('GET', `/api/v2/projects/${project['id']}`, undefined, as());
    expect([read.status, read.body['createdBy']]).toEqual([200, null]);
    expect((await service.ask('POST', `${base}/members`, { email, password }, as())).status).toBe(201);
  });
});

describe('an organization', () => {
  test('can be created by any signed-in user, who becomes its only manager, with a workspace and all modules', async () => {
    const { token } = await service.member();
    const made = await service.ask<Organization>(
      'POST',
      '/api/v2/organizations',
      { name: 'Mine' },
      as(token),
    );
    expect([made.status, made.body]).toMatchObject([
      201,
      { name: 'Mine', isManager: true, memberCount: 1, workspaceCount: 1, projectCount: 0 },
    ]);
    const modules = `/api/v2/organizations/${made.body.id}/analysisModules`;
    const { body } = await service.ask<{ count: number }>('GET', modules, undefined, as(token));
    expect(body.count).toBeGreaterThan(3);
    const seen = await service.ask('GET', `/api/v2/organizations/${made.body.id}`, undefined, as());
    expect(seen.status).toBe(404);
  });

  test('is deleted with the account of its only member if it has no project, and prevents deletion if it has one', async () => {
    const { token, email } = await service.member();
    const made = await service.ask<Organization>(
      'POST',
      '/api/v2/organizations',
      { name: 'Alone' },
      as(token),
    );
    const workspaces = `/api/v2/organizations/${made.body.id}/workspaces`;
    const list = await service.ask<{ results: { id: string }[] }>('GET', workspaces, undefined, as(token));
    const input = { workspaceId: list.body.results[0].id, name: 'Kept' };
    const project = await service.ask<{ id: string }>('POST', '/api/v2/projects', input, as(token));
    const remove = () => service.ask('POST', '/api/v2/accountDeletion', { password }, as(token));
    expect([(await remove()).status, (await me(token)).user.email]).toEqual([409, email]);
    const { projects } = await import('#storage/db/schema-projects.ts');
    await service.db.delete(projects).where(eq(projects.id, project.body.id));
    expect((await remove()).status).toBe(204);
    expect((await service.ask('POST', '/api/login', { email, password })).status).toBe(401);
  });
});
