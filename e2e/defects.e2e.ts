import type { Page } from '@playwright/test';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { collect } from '#formats/testing/collect.ts';
import { fitHeightMm, planeAxes, planeToPane } from '#kernels/grid/plane-transform.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { porousBlock, scatterPores } from '#kernels/testing/bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import type { ViewerHooks } from '#web/viewer/test-hooks.ts';
import { finished, uploadScan } from './support/scans.ts';
import {
  call,
  createProject,
  createWorkspace,
  expect,
  expectAccessible,
  serviceUrl,
  storeSession,
  test,
} from './support/test.ts';
import { readViewInAddress, smallWindow } from './support/viewer.ts';

declare const window: { __scanwrightViewer?: ViewerHooks };

const pores = scatterPores([8, 8, 8], 6, [0.45, 1.1], 3).sort((a, b) => b.radiusMm - a.radiusMm);
const volume = renderBody(porousBlock([8, 8, 8], pores), {
  dimensions: [48, 48, 48],
  voxelSizeMm: [0.2, 0.2, 0.2],
});

const readState = async (page: Page) => {
  await expect(page.getByTestId('scan-viewer')).toHaveAttribute('data-ready', 'true', { timeout: 30_000 });
  return page.evaluate(async () => {
    await window.__scanwrightViewer?.whenIdle();
    return window.__scanwrightViewer?.state();
  });
};
const capturePicture = (page: Page) =>
  page.evaluate(async () => {
    const taken = await window.__scanwrightViewer?.capture({ width: 480, height: 360 });
    return String(new Uint8Array((await taken?.arrayBuffer()) ?? []));
  });

test.use({ viewport: smallWindow });

test('table, 3D, slices and histogram of defects are linked, and a link restores them', async ({ page }) => {
  const workspace = await createWorkspace(`Defects ${Date.now()}`);
  const project = await createProject(workspace.id, 'Block with pores');
  await uploadScan(project.id, 'block.nrrd', await collect(writeNrrd(makeSlabs(volume))));
  await call('POST', `/api/v2/projects/${project.id}/runIntegrityAnalysis`, {});
  const [output] = (await finished(project.id, 'runIntegrityAnalysis')).outputDataObjectIds;
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects/${project.id}?data=${output}`);
  await page.getByRole('button', { name: 'Defects', exact: true }).click();
  const dock = page.getByRole('region', { name: 'All defects' });
  const table = dock.getByRole('table', { name: 'All defects' });
  await expect(table).toHaveAttribute('aria-rowcount', String(pores.length + 1));

  await test.step('the tools are in one row on every screen', async () => {
    const bar = page.getByRole('toolbar', { name: 'Viewer' });
    const size = page.viewportSize();
    for (const width of [1920, 1760, 1600, 1440, 1366, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(async () => (await bar.boundingBox())?.height, `at ${width}`).toBeLessThan(45);
    }
    if (size) await page.setViewportSize(size);
  });

  await test.step('the table is beside the panes, which keep their height', async () => {
    const readHeight = async () => (await page.locator('[data-pane=xz]').boundingBox())?.height;
    const height = await readHeight();
    await page.getByRole('button', { name: 'Defects', exact: true }).click();
    await expect(dock).toHaveCount(0);
    await expect(page.getByRole('heading', { name: 'Results' })).toBeVisible();
    expect(await readHeight()).toBe(height);
    await page.getByRole('button', { name: 'Defects', exact: true }).click();
  });

  await test.step('a key selects the next defect everywhere, with its body in the middle', async () => {
    await table.locator('..').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('n');
    await expect(table.getByRole('row', { selected: true })).toContainText('2');
    const state = await readState(page);
    expect(state).toMatchObject({ selectedDefectId: '2', camera: { target: state?.cursorMm } });
    for (const k of [0, 1, 2])
      expect(Math.abs((state?.cursorMm?.[k] ?? 9) - pores[1].centerMm[k])).toBeLessThan(0.1);
    const chosen = await capturePicture(page);
    await table.getByRole('row', { selected: true }).click();
    await expect(table.getByRole('row', { selected: true })).toHaveCount(0);
    await expect.poll(() => capturePicture(page)).not.toBe(chosen);
  });

  await test.step('the keys work from the toolbar and from the page itself, and are typed in a field', async () => {
    const chosenRow = table.getByRole('row', { selected: true });
    const button = page.getByRole('button', { name: 'Smooth between voxels' });
    await button.focus();
    await page.keyboard.press('n');
    await expect(chosenRow).toContainText(/^1/);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('n');
    await expect(chosenRow).toContainText(/^2/);
    await page.keyboard.press('Shift+N');
    await expect(chosenRow).toContainText(/^1/);
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Shortcuts' })).toContainText('Next defect');
    await page.keyboard.press('n');
    await page.keyboard.press('Escape');
    await expect(chosenRow).toContainText(/^1/);
    await page.locator('[data-pane=xy]').getByLabel('Position along Z').last().focus();
    await page.keyboard.press('n');
    await expect(chosenRow).toContainText(/^1/);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('n');
    await expect(chosenRow).toContainText(/^2/);
    await chosenRow.click();
    await expect(chosenRow).toHaveCount(0);
  });

  await test.step('a click on a slice selects the defect that it cuts', async () => {
    const pane = page.locator('[data-pane=xy] canvas');
    const box = await pane.boundingBox();
    if (!box) throw new Error('no pane');
    const size = { widthPx: box.width, heightPx: box.height };
    const heightMm = fitHeightMm(volume, planeAxes.xy, box.width, box.height);
    const [x, y] = pores[1].centerMm;
    const [px, py] = planeToPane({ centreU: 0, centreV: 0, heightMm, ...size }, x, y);
    await pane.click({ position: { x: px, y: py } });
    await expect(table.getByRole('row', { selected: true })).toContainText('2');
  });

  await test.step('limits filter table, surface and slices', async () => {
    const before = await capturePicture(page);
    const [third, fourth] = [2, 3].map((i) => (4 / 3) * Math.PI * pores[i].radiusMm ** 3);
    await dock.getByRole('textbox', { name: 'Volume from' }).fill(String((third + fourth) / 2));
    await page.keyboard.press('Enter');
    await expect(dock.getByRole('status')).toHaveText(`3 of ${pores.length}`);
    await expect(table).toHaveAttribute('aria-rowcount', '4');
    await expect.poll(() => capturePicture(page)).not.toBe(before);
    await table.getByRole('button', { name: /^Volume mm/ }).click();
    await table.getByRole('button', { name: /^Volume mm/ }).click();
    await expect(table.getByRole('row').nth(1)).toContainText('3');
  });

  await test.step('the position is a column like any other: shown, sorted and filtered by', async () => {
    const kept = pores.slice(0, 3).map(({ centerMm: [x] }) => x);
    await table.getByRole('button', { name: /^X mm/ }).click();
    const [name] = await table.getByRole('row').nth(1).getByRole('cell').allInnerTexts();
    expect(name).toBe(String(kept.indexOf(Math.max(...kept)) + 1));
    await dock.getByRole('combobox', { name: 'Column of the histogram' }).selectOption('X');
    await expect(dock.getByRole('checkbox', { name: 'Log' })).toHaveCount(0);
    await dock.getByRole('textbox', { name: 'X from' }).fill(String(Math.max(...kept) - 0.2));
    await page.keyboard.press('Enter');
    await expect(dock.getByRole('status')).toHaveText(`1 of ${pores.length}`);
    await dock.getByRole('button', { name: /^Remove: X/ }).click();
    await table.getByRole('button', { name: /^Volume mm/ }).click();
    await table.getByRole('button', { name: /^Volume mm/ }).click();
  });

  await test.step('the link restores the same, and both themes are accessible', async () => {
    await dock.getByRole('combobox', { name: 'Column of the histogram' }).selectOption('Diameter');
    await dock.getByRole('checkbox', { name: 'Log' }).uncheck();
    await expect.poll(async () => (await readState(page))?.defects.order?.descending).toBe(false);
    const [picture, state] = [await capturePicture(page), await readState(page)];
    await expect.poll(() => readViewInAddress(page)).toEqual(state);
    await page.reload();
    expect(await readState(page)).toEqual(state);
    await expect(dock.getByRole('status')).toHaveText(`3 of ${pores.length}`);
    await expect(table.getByRole('row', { selected: true })).toContainText('2');
    const column = dock.getByRole('combobox', { name: 'Column of the histogram' });
    await expect(column.getByRole('option', { selected: true })).toHaveText('Diameter');
    await expect(dock.getByRole('checkbox', { name: 'Log' })).not.toBeChecked();
    await expect.poll(() => capturePicture(page)).toBe(picture);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
    }
  });

  await test.step('a range is selected in the histogram, a limit is removed, and the order is kept', async () => {
    await dock.getByRole('button', { name: /^Remove: Volume/ }).click();
    await dock.getByRole('checkbox', { name: 'Log' }).check();
    await dock.getByRole('combobox', { name: 'Column of the histogram' }).selectOption('Volume');
    await expect(dock.getByRole('status')).toHaveText(String(pores.length));
    const box = await dock.getByRole('img', { name: /^Volume from/ }).boundingBox();
    if (!box) throw new Error('no histogram');
    const byDiameter = table.getByRole('columnheader', { name: /^Diameter/ });
    await byDiameter.getByRole('button').click();
    await page.mouse.move(box.x + box.width * 0.88, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.82, box.y + 40);
    await page.mouse.up();
    await expect(dock.getByRole('status')).toHaveText(new RegExp(`^[1-5] of ${pores.length}$`));
    await expect(byDiameter).toHaveAttribute('aria-sort', 'descending');
  });
});
