import type { Page } from '@playwright/test';
import type { ViewerHooks } from '#web/viewer/test-hooks.ts';
import { putFingers } from './support/fingers.ts';
import { scannedProject } from './support/scans.ts';
import { expect, expectAccessible, serviceUrl, storeSession, test } from './support/test.ts';
import { readViewInAddress, smallWindow, viewerIsReady } from './support/viewer.ts';

declare const window: { __scanwrightViewer?: ViewerHooks };

const readState = async (page: Page) => {
  const state = await page.evaluate(() => window.__scanwrightViewer?.state());
  if (!state) throw new Error('no viewer');
  return state;
};

const measureWidth = async (page: Page, pane: string) =>
  Math.round((await page.locator(`[data-pane="${pane}"]`).boundingBox())?.width ?? 0);

test.use({ viewport: smallWindow });

test('3D is the large pane; its size is changed by keys and pointer and remembered; any pane can be maximized', async ({
  page,
}) => {
  const project = await scannedProject('Tube in panes');
  const address = `${serviceUrl()}/projects/${project.id}`;
  await storeSession(page);
  await page.goto(address);
  await viewerIsReady(page);
  const viewer = await page.getByTestId('scan-viewer').boundingBox();
  const at = (await measureWidth(page, '3d')) / (viewer?.width ?? 1);
  expect(at).toBeGreaterThan(0.65);

  await test.step('in the strip the slider of a slice is long enough to be dragged', async () => {
    const usual = page.viewportSize();
    if (!usual) throw new Error('no window');
    for (const width of [1280, 1920]) {
      await page.setViewportSize({ ...usual, width });
      const slider = page.getByRole('slider', { name: 'Slice along x' });
      await expect.poll(async () => (await slider.boundingBox())?.width ?? 0).toBeGreaterThanOrEqual(100);
    }
    await page.setViewportSize(usual);
  });

  const line = page.getByRole('separator', { name: 'Line before the strip of slices' });
  const before = await measureWidth(page, '3d');
  await line.focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowLeft');
  await expect.poll(() => measureWidth(page, '3d')).toBeLessThan(before - 40);
  await page.keyboard.press('Tab');
  const share = page.getByRole('textbox', { name: 'Line before the strip of slices, %' });
  await expect(share).toBeFocused();
  await page.keyboard.type('50');
  await page.keyboard.press('Enter');
  await expect.poll(() => measureWidth(page, '3d')).toBe(Math.round((viewer?.width ?? 0) / 2));
  const narrower = await measureWidth(page, '3d');
  await page.reload();
  await viewerIsReady(page);
  await expect.poll(() => measureWidth(page, '3d')).toBe(narrower);
  const box = await line.boundingBox();
  if (!box) throw new Error('no line');
  await page.mouse.move(box.x + 4, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 84, box.y + 200, { steps: 3 });
  await page.mouse.up();
  await expect.poll(() => measureWidth(page, '3d')).toBeGreaterThan(narrower + 60);
  await line.dblclick();
  await expect.poll(() => measureWidth(page, '3d')).toBe(before);

  await page.locator('[data-pane="xz"] canvas').focus();
  await page.keyboard.press('f');
  await expect(page.locator('[data-pane="3d"]')).toBeHidden();
  await expect.poll(async () => (await readState(page)).layout).toBe('xz');
  await expect(page).toHaveURL(/#view=/);
  await page.keyboard.press('Escape');
  await expect(page.locator('[data-pane="3d"]')).toBeVisible();
  await page.getByRole('button', { name: 'Four equal panes' }).click();
  await expect
    .poll(async () => (await measureWidth(page, '3d')) - (await measureWidth(page, 'xy')))
    .toBeLessThan(2);
  await expectAccessible(page);

  await test.step('a value is pinned, restored from the address, and removed, by keyboard', async () => {
    await page.mouse.move(2, 2);
    await page.locator('[data-pane="xy"] canvas').focus();
    await page.keyboard.press('p');
    await expect.poll(async () => (await readState(page)).labels.length).toBe(1);
    const [label] = (await readState(page)).labels;
    expect(label?.value).not.toBeNull();
    await expect.poll(async () => (await readViewInAddress(page))?.labels.length).toBe(1);
    await page.reload();
    await viewerIsReady(page);
    await expect.poll(async () => (await readState(page)).labels).toEqual([label]);
    await page.getByRole('button', { name: 'Pinned labels 1' }).focus();
    await page.keyboard.press('Enter');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Remove label 1' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await readState(page)).labels).toEqual([]);
  });

  await test.step('the value under the pointer is pinned wherever the focus is', async () => {
    const box = await page.locator('[data-pane="xy"] canvas').boundingBox();
    if (!box) throw new Error('The slice is not visible.');
    await page.getByRole('button', { name: 'Run analysis' }).focus();
    await page.mouse.move(box.x + 0.4 * box.width, box.y + 0.6 * box.height);
    await expect(page.getByTestId('probe')).toContainText(/^XY\d/);
    await page.keyboard.press('p');
    await expect.poll(async () => (await readState(page)).labels.length).toBe(1);
    const [label] = (await readState(page)).labels;
    expect(label?.pointMm).not.toEqual((await readState(page)).cursorMm);
    await page.getByRole('button', { name: 'Remove label 1' }).click();
    await expect.poll(async () => (await readState(page)).labels).toEqual([]);
  });

  await test.step('another project opens in the arrangement used last', async () => {
    await page.goto('about:blank');
    await page.goto(address);
    await viewerIsReady(page);
    expect((await readState(page)).layout).toBe('grid');
  });

  await test.step('without WebGL slices are shown in place of 3D', async () => {
    await page.addInitScript(() => {
      const original = HTMLCanvasElement.prototype.getContext as (...args: unknown[]) => unknown;
      HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, ...args: unknown[]) {
        return args[0] === 'webgl2' ? null : original.apply(this, args);
      } as typeof HTMLCanvasElement.prototype.getContext;
    });
    await page.reload();
    await expect(page.getByText('3D needs WebGL 2')).toBeVisible();
    await expect(page.locator('[data-pane="3d"]')).toBeHidden();
    // What only 3D shows is not offered.
    await expect(page.getByTitle('Oblique plane')).toBeVisible();
    for (const title of ['Volume in 3D', 'Cut open in 3D', /^Cut the part open/])
      await expect(page.getByTitle(title)).toHaveCount(0);
    for (const pane of ['xy', 'xz', 'yz'])
      await expect(page.locator(`[data-pane="${pane}"] canvas`)).toBeVisible();
    await expect
      .poll(async () => (await measureWidth(page, 'xy')) / (await measureWidth(page, 'xz')))
      .toBeGreaterThan(2);
  });
});

test('on a phone one pane is visible at a time, two fingers zoom and move it, and the results are below', async ({
  browser,
}) => {
  const project = await scannedProject('Tube on a phone');
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true });
  const page = await context.newPage();
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects/${project.id}`);
  await viewerIsReady(page);
  await expect(page.locator('[data-pane="3d"]')).toBeVisible();
  await expect(page.locator('[data-pane="xy"]')).toBeHidden();
  await page.getByRole('button', { name: 'Show XY alone' }).tap();
  const slice = page.locator('[data-pane="xy"] canvas');
  await expect(slice).toBeVisible();
  const results = await page.getByRole('heading', { name: 'Results' }).boundingBox();
  const viewer = await page.getByTestId('scan-viewer').boundingBox();
  expect(results?.y).toBeGreaterThan((viewer?.y ?? 0) + (viewer?.height ?? 0));
  // The part has most of the screen: at most a fifth is above it.
  expect(viewer?.y).toBeLessThan(844 / 5);

  await test.step('the viewer scrolls into view when a measurement is started below it, with the next step', async () => {
    await page.getByRole('button', { name: 'Measure', exact: true }).tap();
    await expect(page.getByRole('menu')).toBeInViewport({ ratio: 1 });
    await page.getByRole('menuitem', { name: /^Distance\s?between/ }).tap();
    await expect(slice).toBeInViewport({ ratio: 0.9 });
    const hint = page.getByTestId('probe').getByText('Distance: Place 2 more points');
    await expect(hint).toBeInViewport({ ratio: 1 });
    const pane = await slice.boundingBox();
    if (!pane) throw new Error('no slice');
    for (const share of [0.3, 0.7])
      await page.touchscreen.tap(pane.x + pane.width * share, pane.y + pane.height / 2);
    await expect(page.getByRole('button', { name: /^Distance 1/ })).toBeVisible();
    await page.getByRole('button', { name: 'Cancel' }).tap();
  });

  const touch = await putFingers(page, slice);
  const readPlane = async () => (await readState(page)).planes?.xy ?? { heightMm: 0, centerMm: [0, 0, 0] };
  await touch('touchStart', 60, 0);
  await touch('touchMove', 90, 0);
  await expect.poll(async () => (await readPlane()).heightMm).toBeGreaterThan(0);
  const before = await readPlane();
  await touch('touchMove', 180, 0);
  await expect.poll(async () => before.heightMm / (await readPlane()).heightMm).toBeCloseTo(2, 2);
  const zoomed = await readPlane();
  await touch('touchMove', 180, 40);
  await expect.poll(async () => zoomed.centerMm[0] - (await readPlane()).centerMm[0]).toBeGreaterThan(0.1);
  expect((await readPlane()).heightMm).toBeCloseTo(zoomed.heightMm, 4);
  await touch('touchEnd');

  await test.step('fingers that zoom neither move the cursor nor place a point of a measurement', async () => {
    await page.getByRole('button', { name: 'Measure', exact: true }).tap();
    await page.getByRole('menuitem', { name: /^Distance\s?between/ }).tap();
    const { cursorMm } = await readState(page);
    const zoom = await putFingers(page, slice);
    const { heightMm } = await readPlane();
    await zoom('touchStart', 180);
    await zoom('touchMove', 90);
    await zoom('touchEnd');
    await expect.poll(async () => (await readPlane()).heightMm).toBeGreaterThan(1.5 * heightMm);
    expect((await readState(page)).cursorMm).toEqual(cursorMm);
    const hint = page.getByTestId('probe').getByText('Distance: Place 2 more points');
    await expect(hint).toBeVisible();
    await page.getByRole('button', { name: 'Cancel' }).tap();
  });

  await test.step('the part in 3D, too', async () => {
    await page.getByRole('button', { name: 'Show 3D alone' }).tap();
    const touchPart = await putFingers(page, page.locator('[data-pane="3d"] canvas').first());
    const readCamera = async () => (await readState(page)).camera ?? { heightMm: 0, target: [0, 0, 0] };
    await touchPart('touchStart', 60);
    await touchPart('touchMove', 90);
    await expect.poll(async () => (await readCamera()).heightMm).toBeGreaterThan(0);
    const first = await readCamera();
    await touchPart('touchMove', 180, 40);
    await expect.poll(async () => first.heightMm / (await readCamera()).heightMm).toBeCloseTo(2, 2);
    expect((await readCamera()).target).not.toEqual(first.target);
    await touchPart('touchEnd');
  });
  await context.close();
});
