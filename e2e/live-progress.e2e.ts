import type { Operation } from '#contract/shapes/operation.ts';
import { isCompleted, isUnderWay, signInTo } from './support/client.ts';
import { finished, scannedFiner, tubeNrrd } from './support/scans.ts';
import { holdWork, letWorkGo, startService } from './support/service.ts';
import { call, expect, serviceUrl, storeSession, test } from './support/test.ts';

test('the open page shows what an operation has reached, told by events and not by asking', async ({
  page,
}) => {
  // A service of its own, whose worker can be held up.
  const service = await startService();
  const client = await signInTo(service);
  const projectId = await client.createProject('Watched');
  await client.upload(projectId, await tubeNrrd(3, true), { filename: 'tube.nrrd' });
  await client.operation(projectId, 'ingest', isCompleted);
  await page.clock.install();
  await storeSession(page, service, service.url);
  const opened = page.waitForResponse((response) => response.url().endsWith('/api/v2/events'));
  await page.goto(`${service.url}/projects/${projectId}?tab=operations`);
  expect((await opened).headers()['content-type']).toContain('text/event-stream');
  await expect(page.getByRole('table', { name: 'Operations of the project' })).toContainText('Import');
  const path = `/api/v2/projects/${projectId}/operations`;
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().includes(path)) asked++;
  });

  await client.call('POST', `/api/v2/projects/${projectId}/runWallThickness`, { smoothing: 1 });
  const newest = async () => (await client.call<{ results: Operation[] }>('GET', path)).results[0];
  await holdWork(service.dataDir, async () => isUnderWay(await newest()));
  const row = page.getByRole('row', { name: /^Wall thickness/ });
  try {
    const percent = (await newest()).progress * 100;
    await expect(row.getByRole('progressbar')).toHaveAttribute('aria-valuenow', String(percent));
    expect(asked).toBeGreaterThan(0);
    // Where nothing happens the page asks for nothing, however long that lasts.
    const before = asked;
    await page.clock.fastForward(30_000);
    await page.evaluate(() => fetch('/livez'));
    expect(asked).toBe(before);
  } finally {
    letWorkGo(service.dataDir);
  }
  await client.operation(projectId, 'runWallThickness', isCompleted);
  await expect(row).toContainText('Completed');
  // An open page would miss its stream of events when the service ends.
  await page.close();
  await service.stop();
});

test.describe('without the stream of events', () => {
  test.use({ allowedConsoleErrors: [/\/api\/v2\/events/] });

  test('the page says that it asks every few seconds, stays true, and goes back to the events', async ({
    page,
  }) => {
    const project = await scannedFiner('Not told', 2, true);
    await page.route('**/api/v2/events', (route) => route.abort('connectionrefused'));
    await page.clock.install();
    await storeSession(page);
    await page.goto(`${serviceUrl()}/projects/${project.id}?tab=operations`);
    await expect(page.getByRole('table', { name: 'Operations of the project' })).toContainText('Import');
    const notice = page.getByRole('status').filter({ hasText: 'Updates every 5\u2009s' });
    await expect(notice).toBeVisible();
    await call('POST', `/api/v2/projects/${project.id}/createMesh`, {});
    await finished(project.id, 'createMesh');
    await page.clock.fastForward(5_000);
    await expect(page.getByRole('row', { name: /^Mesh/ })).toContainText('Completed');

    await page.unroute('**/api/v2/events');
    // The longest that it waits before it tries the stream again.
    await page.clock.fastForward(30_000);
    // From here on it does not ask by itself: what comes, it was told of.
    await expect(notice).toHaveCount(0);
    await call('POST', `/api/v2/projects/${project.id}/createMesh`, { smoothing: 1 });
    await expect(page.getByRole('row', { name: /^Mesh/ })).toHaveCount(2);
  });
});
