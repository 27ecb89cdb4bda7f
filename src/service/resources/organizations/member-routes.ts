/** Members of an organization: adding, changing and removing them, and managing their accounts. */
import {
  deleteAccount,
  endTokens,
  endTokensWithoutMembership,
  lockAccount,
  memberName,
  openPasswordReset,
} from '#storage/access/accounts.ts';
import { inTransaction, type Transaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { inOneLine } from '#storage/send-mail.ts';
import { nameFromEmail, setGrants } from '../../access/join-organization.ts';
import { generatePassword } from '../../first-start.ts';
import { refuseWeakPassword } from '../../http/password-strength.ts';
import { hashPassword } from '../../http/passwords.ts';
import { Problem } from '../../http/problem.ts';
import { hashToken, newToken } from '../../http/session.ts';
import { writeAudit } from '../../http/write-audit.ts';
import type { BindRoutes } from '../../services.ts';
import { insertInvitation } from './invitation-store.ts';
import { mailLink } from './mail-link.ts';
import * as members from './members.ts';

const RESET_LIFETIME_SECONDS = 24 * 3_600;

const changed = (id: string) => ({ type: 'updated', resource: 'organization', id, organizationId: id });

/** @throws Problem CONFLICT for an account that also belongs to another organization */
async function requireManagedHere(tx: Transaction, member: { userId: string; isManagedHere: boolean }) {
  await lockAccount(tx, member.userId);
  if (!(await members.isMemberElsewhere(tx, member.userId))) return;
  throw new Problem(
    'CONFLICT',
    'this account belongs to another organization too, so that only its owner manages it; remove the member instead',
  );
}

export const bindMembers: BindRoutes = (binder, services) => {
  const { db } = services;

  binder.bindList('listMembers', ({ organization, query }) => members.listMembers(db, organization, query));

  binder.bind('addMember', async ({ organization, caller, body }) => {
    const organizationId = organization.id;
    const email = body.email.trim();
    if (body.password !== undefined) await refuseWeakPassword('password', body.password, email);
    const initialPassword = body.password === undefined ? generatePassword() : null;
    const passwordHash = await hashPassword(body.password ?? initialPassword ?? '');
    const token = newToken();
    const { isManager, name = null, workspaces } = body;
    // Does not check whether the address has an account, which would reveal it to the manager.
    const row = await inTransaction(db, async (tx) => {
      const input = { email, name, passwordHash, isManager, workspaces };
      const made = await insertInvitation(tx, organizationId, input, token, caller.userId);
      const event = { organizationId, action: 'addMember', resource: 'invitation', resourceId: made.id };
      await writeAudit(tx, caller, { ...event, detail: { member: email, isManager } });
      await notify(tx, changed(organizationId));
      return made;
    });
    return {
      id: row.id,
      email,
      name: name ?? nameFromEmail(email),
      isManager,
      isDisabled: false,
      isManagedHere: false,
      workspaces: row.workspaces,
      createdAt: row.createdAt.toISOString(),
      initialPassword,
      token,
    };
  });

  binder.bind('patchMember', async ({ organization, caller, params, body }) => {
    const organizationId = organization.id;
    const memberId = params['memberId'];
    return inTransaction(db, async (tx) => {
      const before = await members.readMember(tx, organizationId, memberId);
      const { userId, email } = before;
      if (body.isManager === false || body.isDisabled)
        await members.keepAManager(tx, organizationId, memberId);
      if (body.isManager !== undefined) await members.setManager(tx, memberId, body.isManager);
      if (body.name !== undefined) await members.setName(tx, memberId, body.name);
      if (body.isDisabled !== undefined && body.isDisabled !== before.isDisabled) {
        await requireManagedHere(tx, before);
        await members.setDisabled(tx, userId, body.isDisabled);
        if (body.isDisabled) await endTokens(tx, userId);
      }
      if (body.workspaces !== undefined) {
        await setGrants(tx, organizationId, userId, body.workspaces);
        if (userId !== caller.userId) {
          const by = await findName(tx, organizationId, caller);
          await members.announceRoles(tx, organizationId, userId, before.workspaces, by);
        }
      }
      const event = { organizationId, action: 'changeMember', resource: 'member', resourceId: memberId };
      await writeAudit(tx, caller, { ...event, detail: { member: email, ...body } });
      await notify(tx, changed(organizationId));
      const { userId: _, ...member } = await members.readMember(tx, organizationId, memberId);
      return member;
    });
  });

  binder.bind('removeMember', async ({ organization, caller, params }) => {
    const organizationId = organization.id;
    const memberId = params['memberId'];
    await inTransaction(db, async (tx) => {
      const { userId, email } = await members.readMember(tx, organizationId, memberId);
      await members.keepAManager(tx, organizationId, memberId);
      await setGrants(tx, organizationId, userId, []);
      await members.deleteMember(tx, memberId);
      await endTokensWithoutMembership(tx, userId);
      const event = { organizationId, action: 'removeMember', resource: 'member', resourceId: memberId };
      await writeAudit(tx, caller, { ...event, detail: { member: email } });
      await notify(tx, changed(organizationId));
    });
  });

  bindMemberAccounts(binder, services);
};

/** Actions of managers on accounts that belong to no other organization. */
const bindMemberAccounts: BindRoutes = (binder, services) => {
  const { db } = services;

  binder.bind('resetMemberPassword', async ({ organization, caller, params, request }) => {
    const organizationId = organization.id;
    const resourceId = params['memberId'];
    const token = newToken();
    const { email, by, expiresAt } = await inTransaction(db, async (tx) => {
      const member = await members.readMember(tx, organizationId, resourceId);
      await requireManagedHere(tx, member);
      if (member.isDisabled) throw new Problem('CONFLICT', 'the account is disabled; enable it first');
      const hash = hashToken(token);
      const expiresAt = await openPasswordReset(tx, member.userId, hash, RESET_LIFETIME_SECONDS);
      const event = { organizationId, action: 'resetMemberPassword', resource: 'member', resourceId };
      await writeAudit(tx, caller, { ...event, detail: { member: member.email } });
      return { email: member.email, by: await findName(tx, organizationId, caller), expiresAt };
    });
    const mail = await mailLink(services, {
      to: email,
      subject: 'A new password for Scanwright',
      intro: [
        `${inOneLine(by)} made you a link to a new password for Scanwright.`,
        '',
        'Open it within a day:',
      ],
      link: `${request.baseAddress}/reset-password#${token}`,
    });
    return { token, mail, expiresAt: expiresAt.toISOString() };
  });

  binder.bind('deleteMemberAccount', async ({ organization, caller, params }) => {
    const organizationId = organization.id;
    const memberId = params['memberId'];
    await inTransaction(db, async (tx) => {
      const member = await members.readMember(tx, organizationId, memberId);
      await members.keepAManager(tx, organizationId, memberId);
      await requireManagedHere(tx, member);
      await deleteAccount(tx, member.userId);
      const event = { organizationId, action: 'deleteAccount', resource: 'member', resourceId: memberId };
      await writeAudit(tx, caller, { ...event, detail: { member: member.email } });
      await notify(tx, changed(organizationId));
    });
  });
};

const findName = (tx: Transaction, organizationId: string, { userId }: { userId: string }) =>
  memberName(tx, organizationId, userId);
