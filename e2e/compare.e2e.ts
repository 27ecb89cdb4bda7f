import type { Locator, Page } from '@playwright/test';
import { drawByService, measureApart } from './support/comparisons.ts';
import { putFingers } from './support/fingers.ts';
import { analysedProject, finished, scannedProject, tube } from './support/scans.ts';
import { call, expect, expectAccessible, follow, serviceUrl, storeSession, test } from './support/test.ts';
import { readViewInAddress } from './support/viewer.ts';

// The journey requests a scan that does not exist.
test.use({
  viewport: { width: 1280, height: 800 },
  allowedConsoleErrors: [/404 \(Not Found\) \S+\/api\/v2\/projects\//],
});

/** Brightness along the middle row of a pane: the visible part of the scan. */
const readRow = (canvas: Locator): Promise<number[]> =>
  canvas.evaluate((element: HTMLCanvasElement) => {
    const data = element.getContext('2d')?.getImageData(0, element.height >> 1, element.width, 1).data ?? [];
    return Array.from({ length: 64 }, (_, k) => data[4 * Math.floor(((k + 0.5) / 64) * element.width)] ?? 0);
  });

/** The brightest byte in the middle of a picture. */
const readBrightest = (page: Page, address: string): Promise<number> =>
  page.evaluate(async (from) => {
    const picture = await createImageBitmap(await (await fetch(from)).blob());
    const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
    context?.drawImage(picture, 0, 0);
    return Math.max(
      ...(context?.getImageData(0, picture.height >> 1, picture.width, 1).data ?? []).filter(
        (_, k) => k % 4 === 0,
      ),
    );
  }, address);

test('two scans are compared side by side and overlaid, and a link restores the comparison', async ({
  page,
}) => {
  const [nameA, nameB] = ['A', 'B'].map((each) => `Compared tube ${each} ${Date.now()}`);
  const one = await analysedProject(nameA);
  const other = await scannedProject(nameB);
  await storeSession(page);
  await test.step('selected projects open side by side', async () => {
    await page.goto(`${serviceUrl()}/projects?search=Compared`);
    for (const name of [nameA, nameB]) await page.getByRole('checkbox', { name: new RegExp(name) }).check();
    await page.getByRole('button', { name: 'Compare…' }).click();
    await expect(page.getByRole('heading', { name: 'Compare', level: 1 })).toBeVisible();
  });
  const panes = page.locator('[data-compare-pane]');
  await expect(panes).toHaveCount(2);
  await expect(page.getByText('Loading the scan…')).toHaveCount(0, { timeout: 60_000 });
  await expect.poll(async () => Math.max(...(await readRow(panes.first())))).toBeGreaterThan(150);
  expect(await readRow(panes.nth(1))).toEqual(await readRow(panes.first()));
  await expectAccessible(page);

  await test.step('without any alignment the switch is off and states why', async () => {
    const aligned = page.getByRole('switch', { name: 'Aligned', exact: true });
    await expect(aligned).toHaveAttribute('aria-disabled', 'true');
    await expect(aligned).not.toBeChecked();
    await expect(aligned).toHaveAccessibleDescription(/No scan has been aligned yet/);
  });

  await test.step('each pane shows all of its scan, however narrow it is', async () => {
    for (const width of [1280, 900]) {
      await page.setViewportSize({ width, height: 800 });
      const seen = async () => {
        const { width: across = 0, height: up = 1 } = (await panes.first().boundingBox()) ?? {};
        const heightMm = Number(await page.getByLabel('Height of the panes in mm').inputValue());
        return Math.min(heightMm, (heightMm * across) / up);
      };
      await expect.poll(seen).toBeCloseTo(1.1 * tube.dimensions * tube.voxelSizeMm, 0);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await test.step('scans have the same scale even if one header is taller, as with a choice of volumes', async () => {
    const head = page.locator('section:has([data-compare-pane]) > header').first();
    const heights = async () =>
      Promise.all([0, 1].map(async (n) => (await panes.nth(n).boundingBox())?.height));
    const [before] = await heights();
    await head.evaluate((element) => {
      element.style.paddingBlock = '12px';
    });
    await expect.poll(async () => (await heights())[0]).toBeLessThan(before ?? 0);
    const [one, other] = await heights();
    expect(other).toBe(one);
    await head.evaluate((element) => element.style.removeProperty('padding-block'));
  });

  await test.step('on a phone panes are stacked, and wide enough to show the whole part', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const boxes = () => Promise.all([0, 1].map(async (index) => await panes.nth(index).boundingBox()));
    await expect
      .poll(async () => {
        const [first, second] = await boxes();
        return (second?.y ?? 0) - (first?.y ?? 0) - (first?.height ?? 0);
      })
      .toBeGreaterThan(0);
    for (const box of await boxes()) expect(box?.width).toBeGreaterThan((box?.height ?? 0) - 2);
    // The bar leaves space for the panes, and shows its number fields on request.
    const bar = page.getByRole('toolbar', { name: 'Comparison' });
    expect((await bar.boundingBox())?.height).toBeLessThan(150);
    await expect(page.getByLabel('Cursor X in mm')).toBeHidden();
    await bar.getByRole('button', { name: 'Numbers' }).click();
    await expect(page.getByLabel('Cursor X in mm')).toBeVisible();
    await bar.getByRole('button', { name: 'Numbers' }).click();
    // An overlay shows both names, and the picture stays on the screen.
    await bar.getByText('Swipe', { exact: true }).click();
    await expect(panes).toHaveCount(1);
    const over = await panes.boundingBox();
    expect((over?.x ?? 0) + (over?.width ?? 0)).toBeLessThanOrEqual(390);
    await bar.getByText('Side by side', { exact: true }).click();
    await expect(panes).toHaveCount(2);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await test.step('keys in one pane move all of them, and the address is updated', async () => {
    await panes.first().focus();
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('+');
    const before = page.getByLabel('Cursor X in mm');
    await expect(before).toHaveValue('2.5');
    await expect(page).toHaveURL(/height=.*cursor=|cursor=.*height=/);
    expect(await readRow(panes.nth(1))).toEqual(await readRow(panes.first()));
  });
  await test.step('two fingers on one pane zoom and move all of them', async () => {
    const height = page.getByLabel('Height of the panes in mm');
    const readHeight = async () => Number(await height.inputValue());
    const first = await readHeight();
    const touch = await putFingers(page, panes.first());
    await touch('touchStart', 60);
    await touch('touchMove', 90);
    await expect.poll(readHeight).toBeLessThan(first);
    const before = await readHeight();
    await touch('touchMove', 180);
    await expect.poll(async () => before / (await readHeight())).toBeCloseTo(2, 2);
    const readMiddle = () => Number(new URL(page.url()).searchParams.get('middle'));
    await expect(page).toHaveURL(/middle=/);
    const middle = readMiddle();
    await touch('touchMove', 180, 40);
    await expect.poll(() => middle - readMiddle()).toBeGreaterThan(0.1);
    await touch('touchEnd');
    expect(await readRow(panes.nth(1))).toEqual(await readRow(panes.first()));
    await panes.first().focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('+');
  });
  await test.step('number fields show what a Shift + drag moves', async () => {
    await page.getByRole('button', { name: 'Numbers' }).press('Enter');
    const middle = page.getByLabel('X of the middle in mm');
    const rowBefore = await readRow(panes.first());
    await middle.fill('2');
    await expect(page).toHaveURL(/middle=2&middle=0/);
    await expect.poll(() => readRow(panes.first())).not.toEqual(rowBefore);
    await panes.first().focus();
    await page.keyboard.press('Home');
    await expect(middle).not.toHaveValue('2');
    await page.keyboard.press('+');
    await page.getByRole('button', { name: 'Numbers' }).click();
    await expect(middle).toHaveCount(0);
  });
  await test.step('one scan is blended over the other; the link restores it', async () => {
    await page.getByText('Blend', { exact: true }).click();
    await expect(panes).toHaveCount(1);
    await page.getByRole('slider', { name: 'Opacity of the second' }).focus();
    await page.keyboard.press('ArrowRight');
    await expect(page).toHaveURL(/share=0\.51/);
    const bar = page.getByRole('toolbar', { name: 'Comparison' });
    expect((await bar.boundingBox())?.height, 'one line').toBeLessThan(50);
    await page.getByRole('button', { name: 'Numbers' }).press('Enter');
    await page.getByLabel('Opacity of the second in %').fill('62');
    await expect(page).toHaveURL(/share=0\.62/);
    await page.getByRole('button', { name: 'Numbers' }).press('Enter');
    const row = await readRow(panes.first());
    await page.reload();
    await expect(panes).toHaveCount(1);
    await expect.poll(() => readRow(panes.first()), { timeout: 60_000 }).toEqual(row);
    await expectAccessible(page);
  });
  await test.step('the surfaces are shown side by side in 3D with one camera', async () => {
    await page.getByText('3D', { exact: true }).click();
    await page.getByText('Side by side', { exact: true }).click();
    // The page shows the result of an analysis that ends meanwhile.
    const isMissing = page.getByText('No surface yet: run the mesh analysis on it.');
    await expect(isMissing).toHaveCount(1);
    await call('POST', `/api/v2/projects/${other.id}/createMesh`, {});
    await finished(other.id, 'createMesh');
    await expect(isMissing).toHaveCount(0);
    await expect(page.getByText('Loading the surface…')).toHaveCount(0, { timeout: 60_000 });
    const parts = page.getByRole('application', { name: /in 3D/ });
    await expect(parts).toHaveCount(2);
    await parts.first().focus();
    await page.keyboard.press('ArrowRight');
    await expect(page).toHaveURL(/camera=/);
    await page.getByRole('button', { name: 'Numbers' }).press('Enter');
    const numbers = page.getByRole('group', { name: 'Camera' });
    const azimuth = numbers.getByLabel(/^Direction of view about Z/);
    await azimuth.fill('0');
    await azimuth.press('Enter');
    const height = numbers.getByLabel('Height of the picture, mm');
    await height.fill('20');
    await height.press('Enter');
    await expect.poll(() => decodeURIComponent(page.url())).toMatch(/"heightMm":20[,}]/);
    await parts.first().focus();
    await page.keyboard.press('ArrowRight');
    await expect(azimuth).not.toHaveValue('0.0');
    const readHeight = async () => Number(await height.inputValue());
    const touch = await putFingers(page, parts.nth(1));
    await touch('touchStart', 60);
    await touch('touchMove', 90);
    await expect.poll(readHeight).toBeLessThan(20);
    const before = await readHeight();
    await touch('touchMove', 180);
    await expect.poll(async () => before / (await readHeight())).toBeCloseTo(2, 2);
    await touch('touchEnd');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Numbers' }).click();
  });
  await test.step('a bookmark saves the comparison with swipe, position and grey window, and later changes stay in the link', async () => {
    await follow(
      page,
      `/compare?projects=${one.id}&projects=${other.id}&mode=swipe&share=0.4&view=xz&height=9`,
    );
    await expect(page.getByText('Loading the scan…')).toHaveCount(0, { timeout: 60_000 });
    await page.getByRole('button', { name: 'Save bookmark' }).click();
    await page.getByLabel('Name').fill('Both tubes');
    await page.keyboard.press('Control+Enter');
    await expect(page.getByText('“Both tubes” saved')).toBeVisible();
    const { results } = await call<{ results: { id: string; thumbnailUrl: string }[] }>(
      'GET',
      `/api/v2/bookmarks?project=${one.id}`,
    );
    expect(await readBrightest(page, new URL(results[0].thumbnailUrl, serviceUrl()).href)).toBeGreaterThan(
      150,
    );
    await page.goto(`${serviceUrl()}/projects/${one.id}?bookmark=${results[0].id}`);
    await expect(panes).toHaveCount(1);
    await expect
      .poll(async () => Math.max(...(await readRow(panes.first()))), { timeout: 60_000 })
      .toBeGreaterThan(150);
    await expect(page.getByRole('slider', { name: 'Width of the second' })).toHaveAttribute(
      'aria-valuenow',
      '0.4',
    );
    const bar = page.getByRole('toolbar', { name: 'Comparison' });
    await bar.getByRole('button', { name: 'Numbers' }).click();
    await expect(page.getByLabel('Height of the panes in mm')).toHaveValue('9');
    await expect(bar.getByText('X', { exact: true }), 'the cursor fields have captions').toBeVisible();
    await bar.getByRole('button', { name: 'Numbers' }).click();
    // Until a window is set for all scans, the fields show the automatic window of the first.
    await expect(page.getByLabel('Level, the same for all')).toHaveValue(/^\d+/);
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect
      .poll(async () => (await bar.boundingBox())?.height, 'two lines beside the results')
      .toBeLessThan(80);
    await expectAccessible(page);
    await page.getByText('Blink', { exact: true }).click();
    // With reduced motion the user switches by hand until blinking is started.
    await expect(bar.getByRole('button', { name: 'Blink', exact: true })).toBeVisible();
    await bar.getByRole('button', { name: 'Blink', exact: true }).click();
    await expect(bar.getByRole('button', { name: 'Pause' })).toBeVisible();
    await page.getByRole('button', { name: 'Show the other' }).click();
    await expect(bar.getByRole('button', { name: 'Pause' })).toHaveCount(0);
    const seen = page.locator('section:has([data-compare-pane])').last();
    const held = (await seen.getAttribute('aria-label')) ?? '';
    const heldInAddress = async () => (await readViewInAddress(page))?.compare?.held;
    await expect.poll(heldInAddress).toBeDefined();
    const heldFirst = await heldInAddress();
    const link = new URL(page.url());
    await page.getByRole('button', { name: 'Show the other' }).click();
    await expect(seen).not.toHaveAttribute('aria-label', held);
    await expect.poll(heldInAddress).toBe(heldFirst === 'other' ? 'first' : 'other');
    const turned = page.url();
    await page.reload();
    await expect(page.getByRole('button', { name: 'Show the other' })).toBeVisible();
    await expect(seen, 'the link keeps which of the two is seen').not.toHaveAttribute('aria-label', held);
    await follow(page, link.href.replace(link.origin, ''));
    await expect(seen).toHaveAttribute('aria-label', held);
    await expect(page).not.toHaveURL(turned);
    await bar.getByRole('button', { name: 'Numbers' }).click();
    await expect(page.getByLabel('Height of the panes in mm')).toHaveValue('9');
    await page.getByRole('button', { name: 'Close comparison' }).click();
    await expect(page.getByRole('region', { name: 'Slice XY' })).toBeVisible();
    await expect(panes).toHaveCount(0);
  });
  await test.step('the service renders the same picture as the viewer, in each comparison mode', async () => {
    const drawn: string[] = [];
    for (const way of ['mode=side', 'mode=blend&share=0.3', 'mode=swipe&share=0.4&view=xz', 'view=3d']) {
      await follow(page, `/compare?projects=${one.id}&projects=${other.id}&cursor=%5B1%2C1%2C0%5D&${way}`);
      await expect(page.getByText(/Loading the/)).toHaveCount(0, { timeout: 60_000 });
      await page.getByRole('button', { name: 'Save bookmark' }).click();
      await page.getByLabel('Name').fill(way);
      await page.keyboard.press('Control+Enter');
      await expect(page.getByText(`“${way}” saved`)).toBeVisible();
      const { results } = await call<{ results: { id: string; name: string; thumbnailUrl: string }[] }>(
        'GET',
        `/api/v2/bookmarks?project=${one.id}`,
      );
      const saved = results.find(({ name }) => name === way);
      const viewers = new URL(saved?.thumbnailUrl ?? '', serviceUrl()).href;
      drawn.push(viewers);
      const services = await drawByService(saved?.id ?? '');
      expect(await measureApart(page, [viewers, services]), way).toBeLessThan(3);
    }
    const [side = '', blend = ''] = drawn;
    expect(await measureApart(page, [side, blend])).toBeGreaterThan(10);
  });
  await test.step('a project offers the comparison, and a missing one is reported in its pane', async () => {
    await follow(page, `/compare?projects=${one.id}&projects=${crypto.randomUUID()}`);
    await expect(page.getByText(/not exist|not found|no such/i).first()).toBeVisible();
    await follow(page, `/compare?projects=${one.id}&projects=${other.id.slice(0, 30)}&projects=${other.id}`);
    await expect(panes).toHaveCount(3);
    await expect(page.getByText(`“${other.id.slice(0, 30)}” in the link names no scan.`)).toBeVisible();
    await page.getByRole('button', { name: 'Remove it from the comparison' }).click();
    await expect(panes).toHaveCount(2);
    await expect.poll(async () => Math.max(...(await readRow(panes.nth(1))))).toBeGreaterThan(150);
    await follow(page, `/projects/${one.id}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Compare with…' }).click();
    await expect(panes).toHaveCount(1);
    await page.getByRole('button', { name: 'Add scan' }).click();
    await page.getByPlaceholder('Search a project').fill(nameB);
    await page.getByRole('option', { name: nameB }).click();
    await page.keyboard.press('Control+Enter');
    await expect(panes).toHaveCount(2);
  });
  await test.step('the deviation between two surfaces can be measured from here, for scans of two projects', async () => {
    await page.getByRole('link', { name: 'Deviation' }).click();
    await expect(page.getByRole('heading', { name: nameA, level: 1 })).toBeVisible();
    await expect(page.getByRole('combobox', { name: 'Reference' })).toHaveValue(`tube of ${nameB}`);
    await page.getByRole('combobox', { name: 'Reference' }).click();
    // The mesh is listed as well after that request.
    await expect(page.getByRole('option', { name: `tube ${nameB}` })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('listbox'), 'the list alone').toHaveCount(0);
    await page.getByRole('button', { name: 'Start' }).click();
    await finished(one.id, 'runMeshCompare');
    await expect(page.getByRole('heading', { name: 'Surface comparison' })).toBeVisible();
  });
});
