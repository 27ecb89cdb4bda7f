/** Creating invitations, sent as a link or by email, and accepting them. */
import { memberName } from '#storage/access/accounts.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { inOneLine } from '#storage/send-mail.ts';
import { acceptInvitation, nameFromEmail } from '../../access/join-organization.ts';
import { refuseWeakPassword } from '../../http/password-strength.ts';
import { hashPassword } from '../../http/passwords.ts';
import { invalidField } from '../../http/problem.ts';
import { tryPassword } from '../../http/rate-limit.ts';
import { newToken, openSession } from '../../http/session.ts';
import { writeAudit } from '../../http/write-audit.ts';
import type { BindRoutes } from '../../services.ts';
import * as store from './invitation-store.ts';
import { mailLink } from './mail-link.ts';

const changed = (id: string) => ({ type: 'updated', resource: 'organization', id, organizationId: id });

export const bindInvitations: BindRoutes = (binder, services) => {
  const { db, config } = services;

  binder.bindList('listInvitations', ({ organization, query }) =>
    store.listInvitations(db, organization.id, query),
  );

  binder.bind('createInvitation', async ({ organization, caller, body, request }) => {
    const organizationId = organization.id;
    const token = newToken();
    const { sendMail: isMailed, ...input } = body;
    const email = body.email.trim();
    const row = await inTransaction(db, async (tx) => {
      const made = await store.insertInvitation(
        tx,
        organizationId,
        { ...input, email },
        token,
        caller.userId,
      );
      const event = { organizationId, action: 'invite', resource: 'invitation', resourceId: made.id };
      await writeAudit(tx, caller, { ...event, detail: { member: email, isManager: body.isManager } });
      await notify(tx, changed(organizationId));
      return made;
    });
    const by = inOneLine(await memberName(db, organizationId, caller.userId));
    const mail = isMailed
      ? await mailLink(services, {
          to: email,
          subject: `${by} invites you to Scanwright`,
          intro: [
            `${by} asks you to join Scanwright, the workbench for industrial CT scans.`,
            '',
            'Open this link within 14 days, choose a password, and you are in:',
          ],
          link: `${request.baseAddress}/invitation#${token}`,
        })
      : 'notSetUp';
    return { ...store.invitationShape(row, caller.email), token, mail };
  });

  binder.bind('revokeInvitation', ({ organization, caller, params }) =>
    inTransaction(db, async (tx) => {
      const organizationId = organization.id;
      const resourceId = params['invitationId'];
      const email = await store.deleteInvitation(tx, organizationId, resourceId);
      const event = { organizationId, action: 'revokeInvitation', resource: 'invitation', resourceId };
      await writeAudit(tx, caller, { ...event, detail: { member: email } });
      await notify(tx, changed(organizationId));
    }),
  );

  binder.bind('readInvitation', async ({ body }) => {
    const found = await store.findInvitation(db, body.token);
    return {
      organizationName: found.organizationName,
      email: found.invitation.email,
      invitedBy: found.invitedBy,
      hasAccount: found.account !== null,
      expiresAt: found.invitation.expiresAt.toISOString(),
    };
  });

  binder.bind('acceptInvitation', async ({ body, request }) => {
    const { invitation, account } = await store.findInvitation(db, body.token);
    const address = invitation.email.toLowerCase();
    if (account) {
      const hash = account.disabledAt === null ? account.passwordHash : null;
      if (!(await tryPassword(db, { address: request.ip, account: address }, body.password, hash)))
        throw invalidField('password', 'is not the password of this account');
    } else {
      await refuseWeakPassword('password', body.password, address);
    }
    const name = body.name ?? nameFromEmail(invitation.email);
    const passwordHash = account ? '' : await hashPassword(body.password);
    const user = await inTransaction(db, (tx) =>
      acceptInvitation(tx, invitation, account, { name, passwordHash }, request.ip),
    );
    const { token, expiresAt } = await openSession(db, user.id, config.tokenLifetimeHours, request);
    return { token, expiresAt: expiresAt.toISOString(), user };
  });
};
