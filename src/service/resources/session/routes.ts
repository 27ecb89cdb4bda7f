/** Sign in, sign out, who am I, another password. */
import { inTransaction } from '#storage/db/connection.ts';
import { hashPassword, verifyPassword } from '../../http/passwords.ts';
import { invalidField, Problem } from '../../http/problem.ts';
import { openSession } from '../../http/session.ts';
import { forgetFailures, noteFailure, refuseGuessing } from '../../http/throttle.ts';
import type { BindRoutes } from '../../services.ts';
import { changePassword, endToken, readMe, userByEmail, userById } from './store.ts';

/** what a token without an end shows as its end */
const ENDLESS = new Date('9999-12-31T23:59:59.000Z');

export const bindSession: BindRoutes = (binder, { db, config }) => {
  binder.bind('login', async ({ body, request }) => {
    const account = body.email.trim().toLowerCase();
    await refuseGuessing(db, request.ip, account);
    const user = await userByEmail(db, account);
    const isUsable = user !== undefined && user.disabledAt === null;
    const isRight = await verifyPassword(body.password, isUsable ? user.passwordHash : null);
    if (!isRight || user === undefined) {
      await noteFailure(db, request.ip, account);
      throw new Problem('INVALID_CREDENTIALS', 'e-mail and password do not belong together');
    }
    await forgetFailures(db, account);
    const { token, expiresAt } = await openSession(db, user.id, config.tokenLifetimeHours);
    const { id, email, name } = user;
    return { token, expiresAt: expiresAt.toISOString(), user: { id, email, name } };
  });

  binder.bind('logout', ({ caller }) => endToken(db, caller.tokenId));

  binder.bind('passwordChange', async ({ body, caller, request }) => {
    const account = caller.email.toLowerCase();
    await refuseGuessing(db, request.ip, account);
    const user = await userById(db, caller.userId);
    if (!(await verifyPassword(body.oldPassword, user.passwordHash))) {
      await noteFailure(db, request.ip, account);
      throw invalidField('oldPassword', 'is not the present password');
    }
    if (body.newPassword === body.oldPassword)
      throw invalidField('newPassword', 'is the same as the old one');
    if (body.newPassword.toLowerCase() === account)
      throw invalidField('newPassword', 'is the e-mail address');
    const passwordHash = await hashPassword(body.newPassword);
    await inTransaction(db, (tx) => changePassword(tx, user.id, passwordHash, caller.tokenId));
  });

  binder.bind('readMe', ({ caller }) => readMe(db, caller, ENDLESS));
};
