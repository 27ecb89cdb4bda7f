import { createTransport } from 'nodemailer';
import type SMTPTransport from 'nodemailer/lib/smtp-transport/index.js';
import type { Config } from './config.ts';

export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Whether this installation can send mail. */
export const canSendMail = ({ smtpUrl }: Pick<Config, 'smtpUrl'>): boolean => smtpUrl !== undefined;

/** A name that a user gave, as part of a line: it begins no line of its own, where it would read as ours. */
export const inOneLine = (name: string): string =>
  name.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();

/**
 * Sends one mail of plain text through SMTP_URL; names in it are not read as HTML.
 *
 * @throws what the mail server said
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
