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

/**
 * Sends one plain-text mail through SMTP_URL.
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
