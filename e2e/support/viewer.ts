/** Helpers for journeys that use the viewer. */
import { expect, type Page } from '@playwright/test';
import { decodeViewState } from '#web/viewer/state/url-codec.ts';
import type { ViewerHooks } from '#web/viewer/test-hooks.ts';

declare const window: { __scanwrightViewer?: ViewerHooks };

/** The smallest window in which everything fits, because software rendering computes each pixel. */
export const smallWindow = { width: 1280, height: 800 };

/** Waits until everything that the viewer shows has been loaded and drawn. */
export async function viewerIsReady(page: Page): Promise<void> {
  await expect(page.getByTestId('scan-viewer')).toHaveAttribute('data-ready', 'true', { timeout: 60_000 });
  await page.evaluate(() => window.__scanwrightViewer?.whenIdle());
}

/**
 * The viewer's content as a square picture, RGBA. Transferred as binary: as a list of numbers it would take seconds of
 * processor time.
 */
export const readPicture = (page: Page, edge: number) =>
  page.evaluate(async (size) => {
    await window.__scanwrightViewer?.whenIdle();
    const blob = await window.__scanwrightViewer?.capture({ width: size, height: size });
    if (!blob) throw new Error('no viewer');
    const context = new OffscreenCanvas(size, size).getContext('2d');
    if (!context) throw new Error('no 2D canvas');
    context.drawImage(await createImageBitmap(blob), 0, 0);
    return context.getImageData(0, 0, size, size).data;
  }, edge);

/** The view that a reload would open: the address is updated a moment after the view. */
export const readViewInAddress = (page: Page) =>
  decodeViewState(new URL(page.url()).hash.replace('#view=', ''));
