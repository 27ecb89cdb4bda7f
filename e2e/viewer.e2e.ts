import type { Locator, Page } from '@playwright/test';
import { analysedProject } from './support/scans.ts';
import { expect, serviceUrl, storeSession, test } from './support/test.ts';
import { viewerIsReady } from './support/viewer.ts';

/** RGBA of the pixels of what is on the screen, row by row. */
async function pixelsOf(
  page: Page,
  element: Locator,
): Promise<{ width: number; height: number; rgba: Uint8ClampedArray }> {
  const png = (await element.screenshot()).toString('base64');
  return page.evaluate(async (encoded) => {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    if (!context) throw new Error('no 2D canvas');
    context.drawImage(bitmap, 0, 0);
    const { width, height, data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    return { width, height, rgba: data };
  }, png);
}

/** Counts the calls of WebGL from now on; `smoothed` are those of frames without a surface, for their four samples a pixel. */
const countDraws = (page: Page) =>
  page.addInitScript(() => {
    const count = { draws: 0, surfaces: 0, smoothed: 0 };
    Object.assign(window, { count });
    const context = WebGL2RenderingContext.prototype;
    const watch = (name: 'drawArrays' | 'drawElements' | 'blitFramebuffer', add: () => void) => {
      const own = context[name] as (...values: unknown[]) => void;
      context[name] = function (...values: unknown[]) {
        add();
        own.apply(this, values);
      };
    };
    watch('drawArrays', () => count.draws++);
    watch('drawElements', () => count.surfaces++);
    watch('blitFramebuffer', () => {
      if (count.surfaces === 0) count.smoothed++;
    });
  });

/** What was counted until everything was loaded and drawn, and what is drawn in the frames after that. */
const readDraws = (page: Page) =>
  page.evaluate(async () => {
    await window.__scanwrightViewer?.whenIdle();
    const { count } = window as unknown as { count: Record<'draws' | 'surfaces' | 'smoothed', number> };
    const opened = { ...count };
    for (let frame = 0; frame < 30; frame++) await new Promise(requestAnimationFrame);
    return { opened, later: count.draws - opened.draws };
  });

test('a project opens: nothing says that the volume is missing while it loads, and sliders have a track', async ({
  page,
}) => {
  const project = await analysedProject('Opened tube');
  await countDraws(page);
  await storeSession(page);

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

  await test.step('3D is smoothed once there is something to see, and then drawn no more until it changes', async () => {
    const { opened, later } = await readDraws(page);
    expect(opened.surfaces).toBeGreaterThan(0);
    expect(opened.smoothed).toBe(0);
    expect(later).toBe(0);
  });

  await test.step('the list of keys has those of the viewer too', async () => {
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Shortcuts' });
    await expect(dialog).toContainText('next slice (Shift: ten)');
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
  });

  await test.step('what helps to see shapes is switched in the view, and off where colours are exact', async () => {
    const scene = () => page.evaluate(() => window.__scanwrightViewer?.state().scene);
    // Occlusion is for graphics cards, unless it is asked for.
    expect(await scene()).toEqual({ edges: true, occlusion: null, gradient: true });
    await page.getByRole('button', { name: 'Surface', exact: true }).click();
    const hollows = page.getByLabel('Darker hollows (ambient occlusion)');
    await expect(hollows).not.toBeChecked();
    await hollows.check();
    await page.getByLabel('Edges and silhouettes').uncheck();
    expect(await scene()).toEqual({ edges: false, occlusion: true, gradient: true });
    await page.getByLabel('Exact colours (no shading)').check();
    for (const name of ['Edges and silhouettes', 'Gradient background'])
      await expect(page.getByLabel(name)).toBeDisabled();
    await page.getByLabel('Opacity, %').fill('40');
    await page.getByLabel('Opacity, %').press('Enter');
    expect(await page.evaluate(() => window.__scanwrightViewer?.state().surface.opacity)).toBe(0.4);
    await page.getByRole('button', { name: 'Surface', exact: true }).click();
    await expect(hollows).toHaveCount(0);
    await viewerIsReady(page);
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
