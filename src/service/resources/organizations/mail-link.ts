/** Emails containing a link that works once. */
import { canSendMail, sendMail } from '#storage/send-mail.ts';
import type { Services } from '../../services.ts';

interface LinkMail {
  to: string;
  subject: string;
  intro: string[];
  /** its secret is in the fragment, which browsers never send, so it appears in no log */
  link: string;
}

/** @returns the outcome of the email; the manager sees the link in any case */
export async function mailLink(
  { config, log }: Pick<Services, 'config' | 'log'>,
  { to, subject, intro, link }: LinkMail,
): Promise<'sent' | 'failed' | 'notSetUp'> {
  if (!canSendMail(config)) return 'notSetUp';
  const text = [...intro, '', link, '', 'Anyone with the link can use it once: do not pass it on.'].join(
    '\n',
  );
  try {
    await sendMail(config, { to, subject, text });
    return 'sent';
  } catch (err) {
    log.warn({ err, to }, 'a link could not be mailed');
    return 'failed';
  }
}
