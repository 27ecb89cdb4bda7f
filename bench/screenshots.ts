/**
 * Takes the pictures of README and docs: starts the product with its demo, waits until all its parts are analysed, and
 * photographs pages as a user sees them. `npm run screenshots`
 */
import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Page } from '@playwright/test';
import { browserArguments, findBrowser } from '../e2e/support/browser.ts';
import { startService } from '../e2e/support/service.ts';
import { demoParts } from '../src/worker/demo/parts.ts';

/** One entry per picture: its file, the project, and the result that is selected there. */
const pictures = [
  { file: 'projects', project: null, result: null },
  { file: 'project', project: 'Valve housing', result: 'Show wall thickness' },
  { file: 'defects', project: 'Cast rod', result: 'Show integrity' },
];
const viewport = { width: 1440, height: 900 };
/** until slices, surface and contours are loaded and transitions have ended */
const SETTLE_MS = 10_000;

const service = await startService({ DEMO: '1' });
try {
  const signedIn = await fetch(`${service.url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: service.email, password: service.password }),
  });
  const { token, expiresAt } = (await signedIn.json()) as { token: string; expiresAt: string };
  const read = async <T>(address: string) => {
    const answer = await fetch(`${service.url}/api/v2/${address}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return (await answer.json()) as T;
  };
  type Projects = { results: { id: string; disposition: object | null }[] };
  const isReady = async () => {
    const { results } = await read<Projects>('projects');
    const operations = await read<{ results: { finishedAt: string | null }[] }>('operations?page_size=100');
    const isDone = operations.results.every(({ finishedAt }) => finishedAt !== null);
    // The disposition is recorded once all analyses have been requested.
    const isRequested = results.some(({ disposition }) => disposition !== null);
    return results.length === demoParts.length && isRequested && isDone;
  };
  while (!(await isReady())) await delay(1000);

  const browser = await chromium.launch({ executablePath: await findBrowser(), args: browserArguments });
  const page: Page = await browser.newPage({ viewport, colorScheme: 'light' });
  await page.goto(`${service.url}/livez`);
  await page.evaluate(
    (session) => localStorage.setItem('scanwright.session:same-origin', session),
    JSON.stringify({ token, expiresAt }),
  );
  for (const { file, project, result } of pictures) {
    const found = project && (await read<Projects>(`projects?search=${encodeURIComponent(project)}`));
    await page.goto(`${service.url}/projects${found ? `/${found.results[0].id}` : ''}`);
    if (result) await page.getByLabel(result).click();
    await delay(SETTLE_MS);
    await page.screenshot({ path: `docs/${file}.png` });
    console.log(`docs/${file}.png`);
  }
  await browser.close();
} finally {
  await service.stop();
}
