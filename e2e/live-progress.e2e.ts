import type { Page } from '@playwright/test';
import type { Operation } from '#contract/shapes/operation.ts';
import { type HeardEvent, listenToEvents } from './support/events.ts';
import { finished, scannedProject } from './support/scans.ts';
import { call, expect, serviceUrl, signIn, test } from './support/test.ts';

const boundMs = 1_000;

/** What the newest row of the open page says, each time that it changes. */
interface Shown {
  at: number;
  /** of the operation's row; -1 while there is none */
  progress: number;
}

/** Writes down in the page itself, with its clock, which is that of the test, what the row shows and when. */
const watchRow = (page: Page, title: string) =>
  page.evaluate((name) => {
    const shown: Shown[] = [];
    Object.assign(window, { shownProgress: shown });
    const look = () => {
      const table = [...document.querySelectorAll('table')].find(
        ({ caption }) => caption?.textContent === 'Operations of the project',
      );
      const row = [...(table?.querySelectorAll('tbody tr') ?? [])].find((each) =>
        each.textContent?.startsWith(name),
      );
      const bar = row?.querySelector('[role="progressbar"]');
      const done = row?.textContent?.includes('Completed');
      const progress = done ? 100 : bar ? Number(bar.getAttribute('aria-valuenow')) : -1;
      if (progress !== shown.at(-1)?.progress) shown.push({ at: Date.now(), progress });
    };
    look();
    new MutationObserver(look).observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
  }, title);
const shownIn = (page: Page) =>
  page.evaluate(() => (window as unknown as { shownProgress: Shown[] }).shownProgress);

test('the open page shows what an operation has reached within a second, told by events and not by asking', {
  tag: '@alone',
}, async ({ page }) => {
  const project = await scannedProject('Watched', { finer: 5, inSteps: true });
  const streaming = page.waitForResponse((response) => response.url().endsWith('/api/v2/events'));
  await signIn(page);
  expect((await streaming).headers()['content-type']).toContain('text/event-stream');
  const settled = page.waitForResponse((response) => response.url().endsWith('/api/v2/events'));
  await page.goto(`${serviceUrl()}/projects/${project.id}?tab=operations`);
  await expect(page.getByRole('table', { name: 'Operations of the project' })).toContainText('Import');
  await settled;
  await watchRow(page, 'Wall thickness');

  const asked: number[] = [];
  page.on('request', (request) => {
    if (request.url().includes(`/projects/${project.id}/operations`)) asked.push(Date.now());
  });
  // At each event another client reads what the row says by then: the page must be as far within a second.
  const heard: HeardEvent[] = [];
  const reached: Promise<{ at: number; progress: number }>[] = [];
  const stop = await listenToEvents((one) => {
    if (one.event.projectId !== project.id) return;
    heard.push(one);
    if (one.event.resource !== 'operation') return;
    const reading = call<Operation>('GET', `/api/v2/operations/${one.event.id}`);
    reached.push(reading.then(({ progress }) => ({ at: one.at, progress: progress * 100 })));
  });
  const postedAt = Date.now();
  await call('POST', `/api/v2/projects/${project.id}/runWallThickness`, { smoothing: 1 });
  const answeredAt = Date.now();
  await finished(project.id, 'runWallThickness');
  await expect(page.getByRole('row', { name: /^Wall thickness/ })).toContainText('Completed');
  stop();

  const shown = await shownIn(page);
  const first = shown.find(({ progress }) => progress >= 0);
  expect(first?.at).toBeGreaterThan(postedAt);
  expect((first?.at ?? Number.POSITIVE_INFINITY) - answeredAt, 'the operation appears').toBeLessThan(boundMs);
  const states = await Promise.all(reached);
  expect(states.length).toBeGreaterThan(2);
  for (const { at, progress } of states) {
    const when = shown.find((each) => each.progress >= progress - 0.5)?.at ?? Number.POSITIVE_INFINITY;
    expect(when - at, `${progress} % after its event`).toBeLessThan(boundMs);
  }
  // Between the first and the last there was a progress that is neither 0 nor 100.
  expect(shown.some(({ progress }) => progress > 0 && progress < 100)).toBe(true);
  // The page has asked because it was told: never without an event in the second before.
  expect(asked.length).toBeGreaterThan(0);
  for (const time of asked)
    expect(
      heard.some(({ at }) => at <= time + 50 && time - at < boundMs),
      `asked ${time - postedAt} ms after the start without an event`,
    ).toBe(true);
});

test.describe('without the stream of events', () => {
  test.use({ allowedConsoleErrors: [/\/api\/v2\/events/] });

  test('the page says that it asks every few seconds, stays true, and goes back to the events', async ({
    page,
  }) => {
    const project = await scannedProject('Not told', { finer: 2, inSteps: true });
    await page.route('**/api/v2/events', (route) => route.abort('connectionrefused'));
    await signIn(page);
    await page.goto(`${serviceUrl()}/projects/${project.id}?tab=operations`);
    await expect(page.getByRole('table', { name: 'Operations of the project' })).toContainText('Import');
    const notice = page.getByRole('status').filter({ hasText: 'Updates every 5\u2009s' });
    await expect(notice).toBeVisible();
    await call('POST', `/api/v2/projects/${project.id}/createMesh`, {});
    await expect(page.getByRole('row', { name: /^Mesh/ })).toContainText('Completed', { timeout: 30_000 });

    await page.unroute('**/api/v2/events');
    // From here on it does not ask by itself: what comes, it was told of.
    await expect(notice).toHaveCount(0, { timeout: 40_000 });
    await call('POST', `/api/v2/projects/${project.id}/createMesh`, { smoothing: 1 });
    await expect(page.getByRole('row', { name: /^Mesh/ })).toHaveCount(2);
  });
});
