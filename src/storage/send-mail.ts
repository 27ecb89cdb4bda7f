import { createTransport } from 'nodemailer';
import type SMTPTransport from 'nodemailer/lib/smtp-transport/index.js';
import type { Config } from './config.ts';

export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Whether this installation can send email. */
export const canSendMail = ({ smtpUrl }: Pick<Config, 'smtpUrl'>): boolean => smtpUrl !== undefined;

/** Puts a name given by a user on one line, so that it can't start a new line that would look like ours. */
export const inOneLine = (name: string): string =>
  name.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();

/**
 * Sends an email in plain text through SMTP_URL, so that names in it are not interpreted as HTML.
 *
 * @throws the mail server's error
 */
export async function sendMail(
  { smtpUrl, mailFrom, publicUrl }: Pick<Config, 'smtpUrl' | 'mailFrom' | 'publicUrl'>,
  mail: Mail,
): Promise<void> {
  const host = publicUrl ? new URL(publicUrl).hostname : 'scanwright.local';
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: 15_000,
    socketTimeout: 30_000,
  } satisfies SMTPTransport.Options);
  try {
    await transport.sendMail({ from: mailFrom ?? `Scanwright <no-reply@${host}>`, ...mail });
  } finally {
    transport.close();
  }
}
