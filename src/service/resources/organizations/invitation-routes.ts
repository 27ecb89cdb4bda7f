/** Inviting by link or mail, and answering an invitation. */
import { passwordLength } from '#contract/shapes/session.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import { canSendMail, sendMail } from '#storage/send-mail.ts';
import { baseAddress, pageOfResults } from '../../http/page.ts';
import { hashPassword, verifyPassword } from '../../http/passwords.ts';
import { invalidField, Problem } from '../../http/problem.ts';
import { newToken, openSession } from '../../http/session.ts';
import { forgetFailures, noteFailure, refuseGuessing } from '../../http/throttle.ts';
import { writeAudit } from '../../http/write-audit.ts';
import type { BindRoutes } from '../../services.ts';
import * as store from './invitation-store.ts';
import * as members from './members.ts';

const changed = (id: string) => ({ type: 'updated', resource: 'organization', id, organizationId: id });

export const bindInvitations: BindRoutes = (binder, { db, config, log }) => {
  binder.bind('listInvitations', async ({ organization, query, request }) => {
    const { count, results } = await store.listInvitations(db, organization.id, query);
    return pageOfResults(request, baseAddress(request, config.publicUrl), query, count, results);
  });

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
    // Behind #: a browser sends that part to nobody, so that it stands in no log.
    const link = `${baseAddress(request, config.publicUrl)}/invitation#${token}`;
    const mail = isMailed ? await mailInvitation(email, caller.name || caller.email, link) : 'notSetUp';
    return { ...store.invitationShape(row, caller.email), token, mail };
  });

  async function mailInvitation(to: string, by: string, link: string) {
    if (!canSendMail(config)) return 'notSetUp' as const;
    const text = [
      `${by} asks you to join Scanwright, the workbench for industrial CT scans.`,
      '',
      'Open this link within 14 days, choose a password, and you are in:',
      '',
      link,
      '',
      'Who has the link can use it once: do not pass it on.',
    ].join('\n');
    try {
      await sendMail(config, { to, subject: `${by} invites you to Scanwright`, text });
      return 'sent' as const;
    } catch (err) {
      log.warn({ err, to }, 'an invitation could not be mailed');
      return 'failed' as const;
    }
  }

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

  binder.bind('readInvitation', async ({ body, request }) => {
    await refuseGuessing(db, request.ip, 'an invitation');
    const found = await findOrCount(body.token, request.ip);
    return {
      organizationName: found.organizationName,
      email: found.invitation.email,
      invitedBy: found.invitedBy,
      hasAccount: found.account !== null,
      expiresAt: found.invitation.expiresAt.toISOString(),
    };
  });

  /** Guessing tokens is slowed down by address, as guessing passwords is. */
  async function findOrCount(token: string, address: string) {
    try {
      return await store.findInvitation(db, token);
    } catch (error) {
      if (error instanceof Problem && error.code === 'NOT_FOUND')
        await noteFailure(db, address, `an invitation at ${address}`);
      throw error;
    }
  }

  binder.bind('acceptInvitation', async ({ body, request }) => {
    await refuseGuessing(db, request.ip, 'an invitation');
    const { invitation, account } = await findOrCount(body.token, request.ip);
    const address = invitation.email.toLowerCase();
    if (account) {
      await refuseGuessing(db, request.ip, address);
      const isUsable = account.disabledAt === null;
      if (!(await verifyPassword(body.password, isUsable ? account.passwordHash : null))) {
        await noteFailure(db, request.ip, address);
        throw invalidField('password', 'is not the password of this account');
      }
      await forgetFailures(db, address);
    } else {
      if (body.password.length < passwordLength.min)
        throw invalidField('password', `must have at least ${passwordLength.min} characters`);
      if (body.password.toLowerCase() === address) throw invalidField('password', 'is the e-mail address');
    }
    const { organizationId, email } = invitation;
    const name = body.name ?? email.split('@')[0];
    const passwordHash = account ? '' : await hashPassword(body.password);
    const user = await inTransaction(db, async (tx) => {
      // Deleting it first lets one of two answers in, and no second one.
      await store.deleteInvitation(tx, organizationId, invitation.id);
      const made = account ?? {
        ...(await members.findOrMakeUser(tx, { email, name, passwordHash })),
        email,
        name,
      };
      const memberId = await members.insertMember(tx, organizationId, made.id, invitation.isManager);
      // Workspaces may have been removed since the invitation was written.
      const grants = await members.existingGrants(tx, organizationId, invitation.workspaces);
      await members.setGrants(tx, organizationId, made.id, grants);
      const who = { userId: made.id, email: made.email };
      await writeAudit(tx, who, {
        organizationId,
        action: 'acceptInvitation',
        resource: 'member',
        resourceId: memberId,
        detail: { member: email },
      });
      await notify(tx, changed(organizationId));
      return { id: made.id, email: made.email, name: made.name };
    });
    const { token, expiresAt } = await openSession(db, user.id, config.tokenLifetimeHours);
    return { token, expiresAt: expiresAt.toISOString(), user };
  });
};
