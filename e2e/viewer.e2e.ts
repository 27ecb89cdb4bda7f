import type { Locator, Page } from '@playwright/test';
import { analysedProject } from './support/scans.ts';
import { expect, expectAccessible, serviceUrl, storeSession, test } from './support/test.ts';
import { readPicture, smallWindow, viewerIsReady } from './support/viewer.ts';

/** Screen pixels of the element as RGBA, row by row. */
async function readPixels(
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

/**
 * Counts WebGL calls from now on; `smoothed` are those of antialiased frames without a surface (four samples per
 * pixel).
 */
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

/** The counts until everything was loaded and drawn, and the draw calls of the frames after that. */
const readDraws = (page: Page) =>
  page.evaluate(async () => {
    await window.__scanwrightViewer?.whenIdle();
    const { count } = window as unknown as { count: Record<'draws' | 'surfaces' | 'smoothed', number> };
    const opened = { ...count };
    for (let frame = 0; frame < 30; frame++) await new Promise(requestAnimationFrame);
    return { opened, later: count.draws - opened.draws };
  });

/** Colours painted over the part and beside it: axes, scale bar, legend. */
const readPainted = (page: Page): Promise<string[]> =>
  page
    .locator('[data-pane="3d"] canvas')
    .evaluateAll((canvases: HTMLCanvasElement[]) =>
      canvases.filter((canvas) => canvas.getContext('2d') !== null).map((canvas) => canvas.toDataURL()),
    );

test.use({ viewport: smallWindow });

test('while a project opens no missing volume is reported, and sliders have a track', async ({ page }) => {
  const project = await analysedProject('Opened tube');
  await countDraws(page);
  await storeSession(page);

  await test.step('while the description of the volume is loading', async () => {
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

  await test.step('3D is antialiased once there is something to show, and not drawn again until it changes', async () => {
    const { opened, later } = await readDraws(page);
    expect(opened.surfaces).toBeGreaterThan(0);
    expect(opened.smoothed).toBe(0);
    expect(later).toBe(0);
  });

  await test.step('a measurement is drawn over the part, which is not drawn again', async () => {
    const before = await readDraws(page);
    await page.keyboard.press('m');
    await page.keyboard.press('d');
    await expect(page.getByRole('group', { name: 'New: distance' })).toBeVisible();
    for (const pane of ['xy', '3d']) await page.locator(`[data-pane="${pane}"] canvas`).first().hover();
    await page.mouse.move(2, 2);
    expect((await readDraws(page)).opened.surfaces).toBe(before.opened.surfaces);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByRole('group', { name: 'New: distance' })).toHaveCount(0);
  });

  await test.step('the shortcut list includes those of the viewer', async () => {
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Shortcuts' });
    await expect(dialog).toContainText('Next slice (Shift: ten)');
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
  });

  await test.step('shading aids are switched in the view, and are off where colours are exact', async () => {
    const scene = () => page.evaluate(() => window.__scanwrightViewer?.state().scene);
    // Ambient occlusion is on by default only with a graphics card.
    expect(await scene()).toEqual({ edges: true, occlusion: null, gradient: true });
    await page.getByRole('button', { name: 'Surface', exact: true }).click();
    const hollows = page.getByLabel('Ambient occlusion');
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

  await test.step('the camera is set by numbers, which follow when the part is rotated', async () => {
    await page.getByLabel('Look from').selectOption('front');
    await page.getByRole('button', { name: 'Camera in numbers' }).press('Enter');
    const numbers = page.getByRole('group', { name: 'Camera' });
    const azimuth = numbers.getByLabel(/^Direction of view about Z/);
    await expect(azimuth).toHaveValue('-90.0');
    await azimuth.fill('0');
    await azimuth.press('Enter');
    const height = numbers.getByLabel('Height of the picture, mm');
    await height.fill('20');
    await height.press('Enter');
    const camera = await page.evaluate(() => window.__scanwrightViewer?.state().camera);
    expect(camera?.heightMm).toBe(20);
    expect((camera?.position[0] ?? 0) - (camera?.target[0] ?? 0)).toBeGreaterThan(30);
    expect(Math.abs((camera?.position[1] ?? 0) - (camera?.target[1] ?? 0))).toBeLessThan(1e-3);
    await page.locator('[data-pane="3d"] canvas').first().focus();
    await page.keyboard.press('ArrowRight');
    await expect(azimuth).not.toHaveValue('0.0');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Camera in numbers' }).click();
    await expect(numbers).toHaveCount(0);
  });

  await test.step('so is the view of a slice', async () => {
    await page.getByRole('button', { name: 'View of XZ in numbers' }).press('Enter');
    const numbers = page.getByRole('group', { name: 'View of XZ' });
    for (const [label, value] of [
      ['Height of the picture, mm', '5'],
      ['Z of the middle of the picture, mm', '1.5'],
    ] as const) {
      await numbers.getByLabel(label).fill(value);
      await numbers.getByLabel(label).press('Enter');
    }
    const seen = () => page.evaluate(() => window.__scanwrightViewer?.state().planes?.xz);
    expect(await seen()).toMatchObject({
      heightMm: 5,
      centerMm: [expect.anything(), expect.anything(), 1.5],
    });
    await page.locator('[data-pane="xz"] canvas').first().focus();
    await page.keyboard.press('-');
    await expect(numbers.getByLabel('Height of the picture, mm')).toHaveValue('6.250');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'View of XZ in numbers' }).click();
    await expect(numbers).toHaveCount(0);
  });

  for (const scheme of ['light', 'dark'] as const) {
    await test.step(`the track of a slider is visible, ${scheme}`, async () => {
      await page.emulateMedia({ colorScheme: scheme });
      await viewerIsReady(page);
      const { width, height, rgba } = await readPixels(page, page.getByLabel('Slice along Z'));
      const grey = (x: number, y: number) => rgba[4 * (y * width + x)];
      const [ground, track] = [grey(4, 1), grey(4, Math.floor(height / 2))];
      expect(Math.abs(track - ground)).toBeGreaterThan(24);
    });
  }

  await test.step('a change of theme under the open view replaces all colours of the previous one', async () => {
    const live = await readPainted(page);
    expect(live.length).toBeGreaterThan(1);
    await page.reload();
    await viewerIsReady(page);
    expect(await readPainted(page)).toEqual(live);
  });

  await test.step('a lost graphics context is reported, and restored without a warning', async () => {
    const warnings: string[] = [];
    page.on('console', (message) => {
      // Chromium warns about the wait for the GPU at every readback.
      if (message.type() === 'warning' && !message.text().includes('ReadPixels'))
        warnings.push(message.text());
    });
    const read = async () => (await readPicture(page, 200)).join();
    const before = await read();
    const card = await page
      .locator('[data-pane="3d"] canvas[role="application"]')
      .evaluateHandle((canvas: HTMLCanvasElement) => {
        const extension = canvas.getContext('webgl2')?.getExtension('WEBGL_lose_context');
        extension?.loseContext();
        return extension;
      });
    await expect(page.getByText('The browser lost its connection to the graphics card')).toBeVisible();
    await card.evaluate((extension) => extension?.restoreContext());
    await expect(page.getByText('The browser lost its connection to the graphics card')).toHaveCount(0);
    await viewerIsReady(page);
    expect(await read()).toBe(before);
    // The change of size makes the renderer release and allocate its resources.
    await page.setViewportSize({ width: 1300, height: 860 });
    await viewerIsReady(page);
    expect(warnings).toEqual([]);
  });
});
