/** One service for all journeys that don't need one of their own; each makes its own projects in it. */
import { freePort, startService } from './service.ts';

export default async function globalSetup() {
  // Nobody listens there but a journey that waits for mail.
  process.env.E2E_SMTP_PORT = String(await freePort());
  const service = await startService({ SMTP_URL: `smtp://127.0.0.1:${process.env.E2E_SMTP_PORT}` });
  process.env.E2E_URL = service.url;
  return () => service.stop();
}
