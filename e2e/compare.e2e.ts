import type { Locator } from '@playwright/test';
import { analysedProject } from './support/scans.ts';
import { expect, expectAccessible, serviceUrl, signIn, test } from './support/test.ts';

// The scan that is not there is asked for.
test.use({
  viewport: { width: 1280, height: 800 },
  allowedConsoleErrors: [/404 \(Not Found\) \S+\/api\/v2\/projects\//],
});

/** How bright a pane is in its middle row, over its width: what of the part is seen there. */
const readRow = (canvas: Locator): Promise<number[]> =>
  canvas.evaluate((element: HTMLCanvasElement) => {
    const data = element.getContext('2d')?.getImageData(0, element.height >> 1, element.width, 1).data ?? [];
    return Array.from({ length: 64 }, (_, k) => data[4 * Math.floor(((k + 0.5) / 64) * element.width)] ?? 0);
  });

test('two scans are compared side by side and over each other, and a link brings just that back', async ({
  page,
}) => {
  const [nameA, nameB] = ['A', 'B'].map((each) => `Compared tube ${each} ${Date.now()}`);
  const one = await analysedProject(nameA);
  await analysedProject(nameB);
  await signIn(page);
  await test.step('selected projects are opened side by side', async () => {
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

  await test.step('keys in one pane move all of them, and the address follows', async () => {
    await panes.first().focus();
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('+');
    const before = page.getByLabel('Cursor X in mm');
    await expect(before).toHaveValue('2.5');
    await expect(page).toHaveURL(/height=.*cursor=|cursor=.*height=/);
    expect(await readRow(panes.nth(1))).toEqual(await readRow(panes.first()));
  });
  await test.step('one is blended over the other; the link restores it', async () => {
    await page.getByText('Blend', { exact: true }).click();
    await expect(panes).toHaveCount(1);
    await page.getByRole('slider', { name: 'Opacity of the second' }).focus();
    await page.keyboard.press('ArrowRight');
    await expect(page).toHaveURL(/share=0\.51/);
    const row = await readRow(panes.first());
    await page.reload();
    await expect(panes).toHaveCount(1);
    await expect.poll(() => readRow(panes.first()), { timeout: 60_000 }).toEqual(row);
    await expectAccessible(page);
  });
  await test.step('their surfaces stand side by side in 3D, under one camera', async () => {
    await page.getByText('3D', { exact: true }).click();
    await expect(page.getByText('Loading the surface…')).toHaveCount(0, { timeout: 60_000 });
    const parts = page.getByRole('application', { name: /in 3D/ });
    await expect(parts).toHaveCount(2);
    await parts.first().focus();
    await page.keyboard.press('ArrowRight');
    await expect(page).toHaveURL(/camera=/);
    await expectAccessible(page);
  });
  await test.step('a project offers to be compared, and one that is not there says so in its pane', async () => {
    await page.goto(`${serviceUrl()}/compare?projects=${one.id}&projects=${crypto.randomUUID()}`);
    await expect(page.getByText(/not exist|not found|no such/i).first()).toBeVisible();
    await page.goto(`${serviceUrl()}/projects/${one.id}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Compare with…' }).click();
    await expect(panes).toHaveCount(1);
    await page.getByRole('button', { name: 'Add scan' }).click();
    await page.getByPlaceholder('Search a project').fill(nameB);
    await page.getByRole('option', { name: nameB }).click();
    await page.getByRole('button', { name: 'Add to the comparison' }).click();
    await expect(panes).toHaveCount(2);
  });
});
