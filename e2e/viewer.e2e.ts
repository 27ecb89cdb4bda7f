import type { Locator, Page } from '@playwright/test';
import type { ViewerHooks } from '#web/viewer/test-hooks.ts';
import { analysedProject } from './support/scans.ts';
import { expect, serviceUrl, signIn, test } from './support/test.ts';

declare const window: { __scanwrightViewer?: ViewerHooks };

/** Waits until everything that the viewer shows has been loaded and drawn. */
async function viewerIsReady(page: Page) {
  await expect(page.getByTestId('scan-viewer')).toHaveAttribute('data-ready', 'true', { timeout: 60_000 });
  await page.evaluate(() => window.__scanwrightViewer?.whenIdle());
}

/** RGBA of the pixels of what is on the screen, row by row. */
async function pixelsOf(
  page: Page,
  element: Locator,
): Promise<{ width: number; height: number; rgba: number[] }> {
  const png = (await element.screenshot()).toString('base64');
  return page.evaluate(async (encoded) => {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    if (!context) throw new Error('no 2D canvas');
    context.drawImage(bitmap, 0, 0);
    const { width, height, data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    return { width, height, rgba: [...data] };
  }, png);
}

test('a project opens: nothing says that the volume is missing while it loads, and sliders have a track', async ({
  page,
}) => {
  const project = await analysedProject('Opened tube');
  await signIn(page);

  await test.step('while what is known of the volume is on its way', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/resolution(\?|$)/, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${serviceUrl()}/projects/${project.id}`);
    await expect(page.getByText('Loading the volume…').first()).toBeVisible();
    await expect(page.getByText('No volume here yet.')).toHaveCount(0);
    release();
    await viewerIsReady(page);
    await expect(page.getByText('Loading the volume…')).toHaveCount(0);
  });

  for (const scheme of ['light', 'dark'] as const) {
    await test.step(`the track of a slider stands out, ${scheme}`, async () => {
      await page.emulateMedia({ colorScheme: scheme });
      await viewerIsReady(page);
      const { width, height, rgba } = await pixelsOf(page, page.getByLabel('Slice along Z'));
      const grey = (x: number, y: number) => rgba[4 * (y * width + x)];
      const [ground, track] = [grey(4, 1), grey(4, Math.floor(height / 2))];
      expect(Math.abs(track - ground)).toBeGreaterThan(24);
    });
  }
});
