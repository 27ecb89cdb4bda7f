import type { Page } from '@playwright/test';
import type { ViewerHooks } from '#web/viewer/test-hooks.ts';
import { analysedProject } from './support/scans.ts';
import { call, expect, expectAccessible, serviceUrl, storeSession, test } from './support/test.ts';

declare const window: { __scanwrightViewer?: ViewerHooks };

const viewport = { width: 1280, height: 800 };
test.use({ viewport });

const place = (page: Page) =>
  page.evaluate(() => {
    const state = window.__scanwrightViewer?.state();
    return state && { camera: state.camera, cursorMm: state.cursorMm, planes: state.planes };
  });

test('a colleague with the link sees camera and cursor live, until the presenter ends the session', async ({
  page,
  browser,
}) => {
  const { id: projectId } = await analysedProject('Tube looked at together');
  const { workspaceId } = await call<{ workspaceId: string }>('GET', `/api/v2/projects/${projectId}`);
  const { organizations } = await call<{ organizations: { id: string }[] }>('GET', '/api/v2/me');
  const account = { email: `looker-${Date.now()}@example.com`, password: 'a long enough password' };
  await call('POST', `/api/v2/organizations/${organizations[0].id}/members`, {
    ...account,
    name: 'Lena Looker',
    workspaces: [{ id: workspaceId, role: 'viewer' }],
  });
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects/${projectId}`);
  const viewer = page.getByTestId('scan-viewer');
  await expect(viewer).toHaveAttribute('data-ready', 'true', { timeout: 60_000 });
  await page.getByRole('button', { name: 'Share the view live' }).click();
  const bar = page.getByRole('region', { name: 'Shared view' });
  await expect(bar.getByText('Nobody is watching yet.')).toBeVisible();
  await expectAccessible(page);

  const presenterId = new URL(page.url()).searchParams.get('live');
  const second = await (await browser.newContext({ viewport })).newPage();
  await storeSession(second, account);
  await second.goto(`${serviceUrl()}/projects/${projectId}?live=${presenterId}`);
  await expect(second.getByTestId('scan-viewer')).toHaveAttribute('data-ready', 'true', { timeout: 60_000 });
  await expect(second.getByRole('region', { name: 'Shared view' }).getByText('You follow')).toBeVisible();
  await expect(bar.getByText('Lena Looker')).toBeVisible();

  await page.locator('[data-pane="xy"] canvas').first().focus();
  for (const key of ['PageUp', 'PageUp', '+', 'ArrowLeft']) await page.keyboard.press(key);
  await page.locator('[data-pane="3d"] canvas').first().focus();
  await page.keyboard.press('ArrowRight');
  const shown = await place(page);
  expect(shown?.camera).not.toBeNull();
  await expect.poll(() => place(second)).toEqual(shown);

  await test.step('a second screen of the presenter follows, too', async () => {
    const screen = await (await browser.newContext({ viewport })).newPage();
    await storeSession(screen);
    await screen.goto(`${serviceUrl()}/projects/${projectId}?live=${presenterId}`);
    await expect(screen.getByRole('region', { name: 'Shared view' }).getByText('You follow')).toBeVisible();
    await expect(screen.getByTestId('scan-viewer')).toHaveAttribute('data-ready', 'true', {
      timeout: 60_000,
    });
    await expect.poll(() => place(screen)).toEqual(shown);
    await screen.context().close();
    await expect(second.getByText('You follow')).toBeVisible();
  });

  await test.step('presenting continues after a reload', async () => {
    await page.reload();
    await expect(bar.getByText('You are presenting your view')).toBeVisible();
    await expect(bar.getByText('Lena Looker')).toBeVisible();
  });

  await bar.getByRole('button', { name: 'End' }).click();
  await expect(second.getByText(/has ended the shared view/)).toBeVisible();
  await expect(bar).toBeHidden();
  await second.context().close();
});
