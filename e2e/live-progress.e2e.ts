import { finished, scannedFiner } from './support/scans.ts';
import { call, expect, serviceUrl, storeSession, test } from './support/test.ts';

test.describe('without the stream of events', () => {
  test.use({ allowedConsoleErrors: [/\/api\/v2\/events/] });

  test('without events the page says that it polls, stays up to date, and returns to events later', async ({
    page,
  }) => {
    const project = await scannedFiner('Not told', 2, true);
    await page.route('**/api/v2/events', (route) => route.abort('connectionrefused'));
    await page.clock.install();
    await storeSession(page);
    await page.goto(`${serviceUrl()}/projects/${project.id}?tab=operations`);
    await expect(page.getByRole('table', { name: 'Operations of the project' })).toContainText('Import');
    const notice = page.getByRole('status').filter({ hasText: 'Updates every 5\u202fs' });
    await expect(notice).toBeVisible();
    await call('POST', `/api/v2/projects/${project.id}/createMesh`, {});
    await finished(project.id, 'createMesh');
    await page.clock.fastForward(5_000);
    await expect(page.getByRole('row', { name: /^Mesh/ })).toContainText('Completed');

    await page.unroute('**/api/v2/events');
    // The longest wait before it reconnects to the stream.
    await page.clock.fastForward(30_000);
    // From here on it does not poll: updates come from events.
    await expect(notice).toHaveCount(0);
    await call('POST', `/api/v2/projects/${project.id}/createMesh`, { smoothing: 1 });
    await expect(page.getByRole('row', { name: /^Mesh/ })).toHaveCount(2);
  });
});
