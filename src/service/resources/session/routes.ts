/** Sign-in, sign-out, own account, sessions, password change and account deletion. */

import { deleteAccount, endTokens, lockAccount } from '#storage/access/accounts.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { takeRow } from '#storage/db/take-row.ts';
import { canSendMail } from '#storage/send-mail.ts';
import {
  acceptInvitation,
  type InvitationRow,
  invitationsWithPassword,
  nameFromEmail,
} from '../../access/join-organization.ts';
import { refuseWeakPassword } from '../../http/password-strength.ts';
import { hashPassword } from '../../http/passwords.ts';
import { invalidField, Problem } from '../../http/problem.ts';
import { findPassword, tryPassword } from '../../http/rate-limit.ts';
import { openSession } from '../../http/session.ts';
import { writeAccountAudit } from '../../http/write-audit.ts';
import type { BindRoutes } from '../../services.ts';
import { mailPasswordReset } from './mail-reset.ts';
import * as store from './store.ts';

export const bindSession: BindRoutes = (binder, services) => {
  const { db, config, log } = services;

  binder.bind('login', async ({ body, request }) => {
    const account = body.email.trim().toLowerCase();
    // Read before the account: among concurrent first sign-ins, one consumes the invitation and creates the account.
    const invitations = await invitationsWithPassword(db, account);
    const user = await store.userByEmail(db, account);
    const isUsable = user !== undefined && user.disabledAt === null;
    const from = { address: request.ip, account };
    const invited = user === undefined ? invitations : [];
    const own = isUsable ? user.passwordHash : null;
    const hashes = own === null ? invited.map(({ passwordHash }) => passwordHash) : [own];
    const found = await findPassword(db, from, body.password, hashes);
    if (found < 0) {
      const reason =
        user === undefined ? 'unknown account' : isUsable ? 'wrong password' : 'the account is disabled';
      noteFailedSignIn(account, user, request.ip, reason);
      throw new Problem('INVALID_CREDENTIALS', 'the email address or the password is wrong');
    }
    const signedIn = user ?? (await joinByFirstPassword(takeRow(invited.slice(found)), request.ip));
    const { id, email, name } = signedIn;
    const { token, expiresAt } = await inTransaction(db, async (tx) => {
      await writeAccountAudit(tx, signedIn, { userId: id, email, address: request.ip }, { action: 'signIn' });
      return openSession(tx, id, config.tokenLifetimeHours, request);
    });
    return { token, expiresAt: expiresAt.toISOString(), user: { id, email, name } };
  });

  /** The first sign-in with the initial password counts as consent to join. */
  async function joinByFirstPassword(
    invitation: InvitationRow & { passwordHash: string },
    address: string,
  ): Promise<{ id: string; email: string; name: string }> {
    const { email, passwordHash } = invitation;
    const fresh = { name: nameFromEmail(email), passwordHash };
    try {
      return await inTransaction(db, (tx) => acceptInvitation(tx, invitation, null, fresh, address));
    } catch (error) {
      // With concurrent sign-ins, the second finds the account created by the first.
      const made = await store.userByEmail(db, email);
      if (made?.passwordHash === passwordHash) return made;
      throw error;
    }
  }

  /** Runs after the response, which would otherwise take longer than for an unknown account. */
  function noteFailedSignIn(
    account: string,
    user: store.UserRow | undefined,
    address: string,
    reason: string,
  ): void {
    const event = { action: 'signInFailed', detail: { reason } };
    setImmediate(() => {
      // Also in the service's log, because users without an organization appear in no audit log.
      log.warn({ account, address, reason }, 'a sign-in failed');
      if (user === undefined) return;
      writeAccountAudit(db, user, { address }, event).catch((err: unknown) =>
        log.warn({ err }, 'a failed sign-in could not be written down'),
      );
    });
  }

  binder.bind('logout', ({ caller }) => store.endToken(db, caller.tokenId));

  binder.bind('passwordChange', async ({ body, caller }) => {
    const { address, email } = caller;
    const user = await store.userById(db, caller.userId);
    if (!(await tryPassword(db, { address, account: email }, body.oldPassword, user.passwordHash)))
      throw invalidField('oldPassword', 'is not the current password');
    if (body.newPassword === body.oldPassword)
      throw invalidField('newPassword', 'is the same as the old one');
    await refuseWeakPassword('newPassword', body.newPassword, email);
    const passwordHash = await hashPassword(body.newPassword);
    await inTransaction(db, async (tx) => {
      await store.setPassword(tx, user.id, passwordHash);
      await endTokens(tx, user.id, caller.tokenId);
      await writeAccountAudit(tx, user, caller, { action: 'changePassword' });
    });
  });

  bindOwnAccount(binder, services);
  bindPasswordReset(binder, services);
};

const bindOwnAccount: BindRoutes = (binder, { db }) => {
  binder.bind('readMe', ({ caller }) => store.readMe(db, caller));
  binder.bind('patchMe', async ({ caller, body }) => {
    await store.renameUser(db, caller.userId, body.name);
    return store.readMe(db, { ...caller, name: body.name });
  });

  binder.bindList('listSessions', ({ caller, query }) => store.listSessions(db, caller, query));
  binder.bind('endSession', ({ id, caller }) =>
    inTransaction(db, async (tx) => {
      await store.endToken(tx, id);
      await writeAccountAudit(tx, { id: caller.userId, email: caller.email }, caller, {
        action: 'endSession',
      });
    }),
  );
  binder.bind('endOtherSessions', ({ caller }) =>
    inTransaction(db, async (tx) => {
      await store.endOtherSessions(tx, caller.userId, caller.tokenId);
      await writeAccountAudit(tx, { id: caller.userId, email: caller.email }, caller, {
        action: 'endSession',
      });
    }),
  );

  binder.bind('deleteAccount', async ({ caller, body }) => {
    const { address, email, userId } = caller;
    const user = await store.userById(db, userId);
    if (!(await tryPassword(db, { address, account: email }, body.password, user.passwordHash)))
      throw invalidField('password', 'is not the password of this account');
    await inTransaction(db, async (tx) => {
      // With concurrent requests, the second must find the account completely deleted.
      await lockAccount(tx, userId);
      await store.userById(tx, userId);
      const organizationIds = await writeAccountAudit(tx, user, caller, { action: 'deleteAccount' });
      const abandoned = await deleteAccount(tx, userId);
      if (abandoned !== undefined)
        throw new Problem(
          'CONFLICT',
          `you are the only manager of “${abandoned}”: make somebody else a manager first`,
        );
      for (const id of organizationIds)
        await notify(tx, { type: 'updated', resource: 'organization', id, organizationId: id });
    });
  });
};

const bindPasswordReset: BindRoutes = (binder, services) => {
  const { db, config, log } = services;

  binder.bind('requestPasswordReset', async ({ body, request }) => {
    if (!canSendMail(config)) return;
    // After the response, so that it takes equally long for an unknown account.
    setImmediate(() => {
      mailPasswordReset(services, body.email, { address: request.ip, base: request.baseAddress }).catch(
        (err: unknown) => log.warn({ err }, 'a link to a new password could not be mailed'),
      );
    });
  });

  binder.bind('readPasswordReset', async ({ body }) => {
    const { email, expiresAt } = await store.findPasswordReset(db, body.token);
    return { email, expiresAt: expiresAt.toISOString() };
  });

  binder.bind('resetPassword', async ({ body, request }) => {
    const { userId, email } = await store.findPasswordReset(db, body.token);
    await refuseWeakPassword('newPassword', body.newPassword, email);
    const passwordHash = await hashPassword(body.newPassword);
    await inTransaction(db, async (tx) => {
      await store.takePasswordReset(tx, body.token);
      await store.setPassword(tx, userId, passwordHash);
      await endTokens(tx, userId);
      const account = { id: userId, email };
      await writeAccountAudit(
        tx,
        account,
        { userId, email, address: request.ip },
        { action: 'resetPassword' },
      );
    });
  });
};
