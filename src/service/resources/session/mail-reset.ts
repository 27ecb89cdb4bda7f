/** The email with a link for setting a new password. */
import { openPasswordReset } from '#storage/access/accounts.ts';
import { sendMail } from '#storage/send-mail.ts';
import { reserveTry } from '../../http/rate-limit.ts';
import { hashToken, newToken } from '../../http/session.ts';
import { writeAccountAudit } from '../../http/write-audit.ts';
import type { Services } from '../../services.ts';
import { userByEmail } from './store.ts';

/** Maximum number of emails to one account per hour, so that nobody can flood a mailbox. */
const MAILS = { count: 3, seconds: 3600 };
const LIFETIME_SECONDS = 3_600;

/** Emails the link to the owner of the account; does nothing when no enabled account exists. */
export async function mailPasswordReset(
  { db, config }: Pick<Services, 'db' | 'config'>,
  email: string,
  from: { address: string; base: string },
): Promise<void> {
  const user = await userByEmail(db, email.trim());
  if (!user || user.disabledAt !== null) return;
  await reserveTry(db, [{ key: `mail password reset ${user.id}`, ...MAILS }]);
  const token = newToken();
  await openPasswordReset(db, user.id, hashToken(token), LIFETIME_SECONDS);
  await writeAccountAudit(db, user, from, { action: 'requestPasswordReset' });
  const text = [
    'Someone, probably you, requested a new password for Scanwright.',
    '',
    'Open this link within an hour to choose one:',
    '',
    // In the fragment, which browsers never send, so it appears in no log.
    `${from.base}/reset-password#${token}`,
    '',
    'If it was not you, do nothing: your password stays as it is.',
  ].join('\n');
  await sendMail(config, { to: user.email, subject: 'A new password for Scanwright', text });
}
