/** What journeys ask of a viewer. */
import { expect, type Page } from '@playwright/test';
import { decodeViewState } from '#web/viewer/state/url-codec.ts';
import type { ViewerHooks } from '#web/viewer/test-hooks.ts';

declare const window: { __scanwrightViewer?: ViewerHooks };

/** Waits until everything that the viewer shows has been loaded and drawn. */
export async function viewerIsReady(page: Page): Promise<void> {
  await expect(page.getByTestId('scan-viewer')).toHaveAttribute('data-ready', 'true', { timeout: 60_000 });
  await page.evaluate(() => window.__scanwrightViewer?.whenIdle());
}

/** The view that a reload would open: the address follows what is seen a moment later. */
export const readViewInAddress = (page: Page) =>
  decodeViewState(new URL(page.url()).hash.replace('#view=', ''));
