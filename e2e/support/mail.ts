/** The post office of the journeys: a real SMTP server, which the shared service sends its mail to. */
import { SMTPServer } from 'smtp-server';

export interface Mail {
  to: string[];
  subject: string;
  text: string;
}

const portOfMail = () => Number(process.env.E2E_SMTP_PORT);

/** What came, in plain text: lines that were broken for the way are whole again. */
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

/** Receives until it is closed; `mails` grows as they come. */
export async function openPostOffice(): Promise<{ mails: Mail[]; close: () => Promise<void> }> {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        mails.push(readMail(to, Buffer.concat(parts).toString()));
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(portOfMail(), '127.0.0.1', () => resolve()));
  return { mails, close: () => new Promise((resolve) => server.close(() => resolve())) };
}
