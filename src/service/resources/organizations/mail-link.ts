/** Mails that hold a link which works once. */
import { canSendMail, sendMail } from '#storage/send-mail.ts';
import type { Services } from '../../services.ts';

interface LinkMail {
  to: string;
  subject: string;
  intro: string[];
  /** its secret stands behind #: a browser sends that part to nobody, so that it stands in no log */
  link: string;
}

/** @returns what became of the mail; the link is shown to the manager in any case */
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
