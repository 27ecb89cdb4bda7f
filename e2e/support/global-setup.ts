/** One service and one post office for all journeys that don't need their own; each makes its own projects in it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostOffice } from './mail.ts';
import { startService } from './service.ts';

export default async function globalSetup() {
  const mailDir = await mkdtemp(join(tmpdir(), 'scanwright-mail-'));
  const post = await openPostOffice(mailDir);
  const service = await startService({ SMTP_URL: post.url });
  process.env.E2E_URL = service.url;
  process.env.E2E_MAIL_DIR = mailDir;
  return async () => {
    await service.stop();
    await post.close();
    await rm(mailDir, { recursive: true, force: true });
  };
}
