import type { ViewerHooks } from '#web/viewer/test-hooks.ts';
import { plainView } from './support/one-of-each.ts';
import { analysedProject } from './support/scans.ts';
import { call, expect, expectAccessible, serviceUrl, storeSession, test } from './support/test.ts';

declare const window: { __scanwrightViewer?: ViewerHooks };

test.use({ viewport: { width: 1280, height: 800 } });

test('bookmarks beside the view are reordered by keys and presented with the arrow keys', async ({
  page,
}) => {
  const { id: projectId } = await analysedProject('Tube of a story');
  const { results } = await call<{ results: { id: string; kind: string }[] }>(
    'GET',
    `/api/v2/projects/${projectId}/data`,
  );
  const meshId = results.find(({ kind }) => kind === 'wallThickness')?.id;
  const volumeId = results.find(({ kind }) => kind === 'volume')?.id;
  for (const [index, name] of ['Overview', 'Thin wall', 'Upper rim'].entries()) {
    const viewState = { ...plainView, layout: 'grid', volumeId, meshId, cursorMm: [index, 0, 0] };
    await call('POST', '/api/v2/bookmarks', {
      projectId,
      name,
      description: `What ${name} shows`,
      viewState,
    });
  }
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects/${projectId}`);
  const viewer = page.getByTestId('scan-viewer');
  await expect(viewer).toHaveAttribute('data-ready', 'true', { timeout: 60_000 });
  const cursorX = () => page.evaluate(() => window.__scanwrightViewer?.state().cursorMm?.[0]);

  await page.keyboard.press('B');
  const story = page.getByRole('list', { name: 'Story' });
  const names = () => story.locator('[data-slide]').allTextContents();
  await expect.poll(names).toEqual(['1Overview', '2Thin wall', '3Upper rim']);
  await test.step('a slide restores its view without leaving the page', async () => {
    await story
      .getByRole('button', { name: /Upper rim$/ })
      .first()
      .click();
    await expect.poll(cursorX).toBe(2);
    await expect(page.getByRole('heading', { name: 'Upper rim' })).toBeVisible();
    await expectAccessible(page);
  });
  await test.step('keys and the pointer move it, and a reload keeps its position', async () => {
    await page.keyboard.press('Alt+ArrowUp');
    await expect(page.getByRole('status').filter({ hasText: '2 of 3' })).toHaveText(/Upper rim/);
    await expect.poll(names).toEqual(['1Overview', '2Upper rim', '3Thin wall']);
    const slides = story.getByRole('listitem');
    await slides.nth(2).dragTo(slides.nth(0));
    await expect.poll(names).toEqual(['1Thin wall', '2Overview', '3Upper rim']);
    const kept = await call<{ bookmarks: { name: string }[] }>('GET', `/api/v2/projects/${projectId}/story`);
    expect(kept.bookmarks.map(({ name }) => name)).toEqual(['Thin wall', 'Overview', 'Upper rim']);
    await page.reload();
    await expect.poll(names).toEqual(['1Thin wall', '2Overview', '3Upper rim']);
    await expect(viewer).toHaveAttribute('data-ready', 'true', { timeout: 60_000 });
  });
  await test.step('it is presented from the current slide on, with arrow keys, until Escape', async () => {
    await page.getByRole('button', { name: 'Present', exact: true }).click();
    const bar = page.getByRole('region', { name: 'Presenting' });
    await expect(bar.getByText('3 / 3')).toBeVisible();
    await page.keyboard.press('ArrowLeft');
    await expect(bar.getByText('What Overview shows')).toBeVisible();
    await expect.poll(cursorX).toBe(0);
    await page.keyboard.press('ArrowLeft');
    await expect(bar.getByText('1 / 3')).toBeVisible();
    await expect.poll(cursorX).toBe(1);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await expect(bar).toBeHidden();
    await expect(page.getByRole('button', { name: 'Present', exact: true })).toBeFocused();
  });
  await test.step('a note is pinned to the cursor and drawn there', async () => {
    await page.getByRole('button', { name: 'Pinned labels' }).click();
    await page.getByLabel('Note at the cursor').fill('Cold shut?');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: /Cold shut/ })).toBeVisible();
    await expect
      .poll(() => page.evaluate(() => window.__scanwrightViewer?.state().labels[0]?.note))
      .toBe('Cold shut?');
  });
});
