/** One service and one mail server for all journeys that don't need their own; each creates its own projects in it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostOffice } from './mail.ts';
import { requestSamples } from './samples.ts';
import { startService } from './service.ts';

export default async function globalSetup() {
  const mailDir = await mkdtemp(join(tmpdir(), 'scanwright-mail-'));
  const post = await openPostOffice(mailDir);
  const service = await startService({ SMTP_URL: post.url });
  process.env.E2E_URL = service.url;
  process.env.E2E_MAIL_DIR = mailDir;
  const { samples, ready } = await requestSamples(service);
  process.env.E2E_SAMPLES = JSON.stringify(samples);
  // A failure to create samples is reported at the end, together with the journeys that waited for them.
  const outcome = ready.then(
    () => undefined,
    (error: Error) => error,
  );
  return async () => {
    const error = await outcome;
    await service.stop();
    await post.close();
    await rm(mailDir, { recursive: true, force: true });
    if (error) throw error;
  };
}
