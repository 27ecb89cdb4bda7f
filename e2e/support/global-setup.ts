/** One service for all journeys that don't need one of their own; each makes its own projects in it. */
import { startService } from './service.ts';

export default async function globalSetup() {
  const service = await startService();
  process.env.E2E_URL = service.url;
  return () => service.stop();
}
