/**
 * The mail server of the journeys: a real SMTP server that receives the shared service's mail. It runs as long as the
 * service, so that parallel journeys need not take turns.
 */
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { freePort } from './service.ts';

export interface Mail {
  to: string[];
  subject: string;
  text: string;
}

/** Parses a mail to plain text: soft line breaks are removed. */
function readMail(to: string[], raw: string): Mail {
  const [head, ...body] = raw.split('\r\n\r\n');
  const subject = /^Subject: (.*)$/m.exec(head)?.[1] ?? '';
  const text = body.join('\r\n\r\n');
  const isQuoted = /^Content-Transfer-Encoding: quoted-printable/im.test(head);
  const whole = text
    .replaceAll('=\r\n', '')
    .replaceAll(/(=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString());
  return { to, subject, text: isQuoted ? whole : text };
}

/** Receives mail until it is closed, and stores each message in the folder, where every journey finds its own. */
export async function openPostOffice(folder: string): Promise<{ url: string; close: () => Promise<void> }> {
  let received = 0;
  const keep = async (mail: Mail) => {
    const name = join(folder, String(++received));
    await writeFile(name, JSON.stringify(mail));
    // Renamed when complete, so that readers never see a partial file.
    await rename(name, `${name}.json`);
  };
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        keep(readMail(to, Buffer.concat(parts).toString())).then(() => done(), done);
      });
    },
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  return {
    url: `smtp://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The mail to a recipient with this subject, if it has arrived. */
export async function findMail(to: string, subject: string | RegExp): Promise<Mail | undefined> {
  const folder = process.env.E2E_MAIL_DIR;
  if (!folder) throw new Error('no post office: the global setup did not run');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const mails = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as Mail),
  );
  return mails.find((mail) => mail.to.includes(to) && mail.subject.match(subject) !== null);
}
