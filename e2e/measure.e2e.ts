import { readFile } from 'node:fs/promises';
import type { Measurement } from '#contract/shapes/measurement.ts';
import { finished, scannedProject, tube } from './support/scans.ts';
import { call, expect, expectAccessible, serviceUrl, storeSession, test } from './support/test.ts';
import { smallWindow, viewerIsReady } from './support/viewer.ts';

const measured = async (projectId: string) =>
  (await call<{ results: Measurement[] }>('GET', `/api/v2/projects/${projectId}/measurements`)).results;

test.use({ viewport: smallWindow });

test('a bore is measured in a slice, a length by typing alone; both are saved, changed and undone', async ({
  page,
}) => {
  const project = await scannedProject('Measured tube');
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects/${project.id}`);
  await viewerIsReady(page);
  const panel = page.getByRole('region', { name: 'Measurements' });

  await test.step('clicks near the edge snap to it: the diameter is right within 0.1 %', async () => {
    await page.getByRole('button', { name: 'Show XY alone' }).first().click();
    await viewerIsReady(page);
    const canvas = page.locator('[data-pane="xy"] canvas').first();
    await canvas.focus();
    await page.keyboard.press('m');
    await page.keyboard.press('r');
    await expect(panel.getByRole('group', { name: 'New: circle' })).toBeVisible();
    const box = await canvas.boundingBox();
    if (!box) throw new Error('no pane');
    const extentMm = tube.dimensions * tube.voxelSizeMm;
    const pixelsPerMm = 1 / ((Math.max(extentMm, (extentMm * box.height) / box.width) * 1.12) / box.height);
    // Enough points that no two are at the same position relative to the voxels.
    for (let i = 0; i < 17; i++) {
      const angle = (2 * Math.PI * (i + 0.3)) / 17;
      const beside = (tube.outerRadiusMm + 0.12 * Math.sin(5 * i)) * pixelsPerMm;
      await page.mouse.click(
        box.x + box.width / 2 + beside * Math.cos(angle),
        box.y + box.height / 2 - beside * Math.sin(angle),
      );
    }
    const points = panel.getByRole('group', { name: /^Point \d+$/ });
    await page.keyboard.press('Control+z');
    await expect(points).toHaveCount(16);
    await page.keyboard.press('Control+Shift+z');
    await expect(points).toHaveCount(17);
    await page.keyboard.press('s');
    await expect(panel.getByRole('button', { name: /^Circle 1/ })).toBeVisible();
    const [{ result, placement }] = await measured(project.id);
    expect(placement).toBe('edge');
    expect(Math.abs(result.values[0].value / (2 * tube.outerRadiusMm) - 1)).toBeLessThan(1e-3);
    expect(result.values[0].uncertainty?.expanded).toBeGreaterThan(0);
    await expect(panel).toContainText(/10\.0\d+ ± 0\.\d+\smm|9\.99\d* ± 0\.\d+\smm/);
    await page.keyboard.press('Escape');
    await expect(panel.getByRole('group', { name: 'New: circle' })).toHaveCount(0);
  });

  await test.step('without a pointer: points are typed, saved, moved, and moved back', async () => {
    await page.getByRole('button', { name: 'Measure', exact: true }).press('Enter');
    await expect(page.getByRole('menu')).toBeVisible();
    // Keys right after Escape count: the menu is gone by then.
    for (const key of ['Escape', 'm', 'd']) await page.keyboard.press(key);
    const draft = panel.getByRole('group', { name: 'New: distance' });
    await page.keyboard.press('Tab');
    await expect(panel.getByRole('button', { name: 'Save measurement' })).toBeFocused();
    for (let i = 0; i < 2; i++) {
      await panel.getByRole('button', { name: 'Add point' }).focus();
      await page.keyboard.press('Enter');
    }
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await expect(draft.getByLabel('Point 1 X, mm')).toHaveCount(0);
    await page.keyboard.press('Control+Shift+z');
    await page.keyboard.press('Control+Shift+z');
    await expect(draft.getByLabel('Point 2 X, mm')).toBeVisible();
    for (const [point, place] of [
      [1, [0, 0, 0]],
      [2, [0, 3, 4]],
    ] as const)
      for (const [k, axis] of ['X', 'Y', 'Z'].entries()) {
        await draft.getByLabel(`Point ${point} ${axis}, mm`).focus();
        await page.keyboard.press('Control+A');
        await page.keyboard.type(`${place[k]}`);
        await page.keyboard.press('Enter');
      }
    await expect(panel.getByLabel('Measured so far')).toHaveText(/^5\.000\smm$/);
    await expect(draft).toContainText('No ±: the points are not on the determined surface.');
    await panel.getByRole('button', { name: 'Save measurement' }).focus();
    await page.keyboard.press('Enter');
    const row = panel.getByRole('button', { name: /^Distance 1/ });
    await expect(row).toHaveText(/5\.000\smm/);
    await panel.getByRole('button', { name: 'Cancel' }).click();
    await expect(row).toHaveAttribute('aria-expanded', 'true');
    await panel.getByLabel('Point 2 Z, mm').fill('0');
    await page.keyboard.press('Enter');
    await expect(row).toHaveText(/3\.000\smm/);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(row).toHaveText(/5\.000\smm/);
  });

  await test.step('a link restores the selected measurement; a deleted one is restored, too', async () => {
    await expect.poll(() => page.url()).toContain('view=');
    await page.reload();
    await viewerIsReady(page);
    const row = panel.getByRole('button', { name: /^Distance 1/ });
    await expect(row).toHaveAttribute('aria-expanded', 'true');
    await expectAccessible(page);
    await panel.getByRole('button', { name: 'Delete Distance 1' }).click();
    await expect(row).toHaveCount(0);
    await page.keyboard.press('Control+z');
    await expect(page.getByText('Undone: “Distance 1” deleted')).toBeVisible();
    await expect(row).toHaveText(/5\.000\smm/);
    // The restored one has another id, which later steps follow.
    await page.keyboard.press('Control+Shift+z');
    await expect(page.getByText('Repeated: “Distance 1” deleted')).toBeVisible();
    await expect(row).toHaveCount(0);
    await page.keyboard.press('Control+z');
    await expect(row).toHaveText(/5\.000\smm/);
    const names = async () => (await measured(project.id)).map(({ name }) => name).sort();
    await expect.poll(names).toEqual(['Circle 1', 'Distance 1']);
  });
});

test('on the surface a wall is measured along its normal, and a whole face is fitted', async ({ page }) => {
  const project = await scannedProject('Felt tube');
  await call('POST', `/api/v2/projects/${project.id}/createMesh`, {});
  await finished(project.id, 'createMesh');
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects/${project.id}`);
  await viewerIsReady(page);
  const panel = page.getByRole('region', { name: 'Measurements' });
  await page.getByLabel('Look from').selectOption('front');
  await viewerIsReady(page);
  const box = await page.locator('[data-pane="3d"] canvas').first().boundingBox();
  if (!box) throw new Error('no pane');
  for (const kind of ['Wall thickness', 'Cylinder']) {
    await page.getByRole('button', { name: 'Measure', exact: true }).click();
    await expectAccessible(page, '[role="menu"]');
    await page.getByRole('menuitem', { name: new RegExp(`^${kind}`) }).click();
    await page.mouse.click(box.x + box.width / 2 + 10, box.y + box.height / 2 + 15);
    await expect(panel.getByRole('button', { name: new RegExp(`^${kind} 1`) })).toBeVisible();
  }
  const [wall, cylinder] = (await measured(project.id)).map(({ result }) => result.values[0]);
  // A fiftieth of a voxel, which is 0.25 mm.
  expect(Math.abs(wall.value - tube.wallMm)).toBeLessThan(0.005);
  // The mesh of such a coarse scan has a larger error than the fit; the interval includes it.
  const error = Math.abs(cylinder.value - 2 * tube.outerRadiusMm);
  expect(error).toBeLessThan(0.0025 * 2 * tube.outerRadiusMm);
  expect(error).toBeLessThan(cylinder.uncertainty?.expanded ?? 0);

  await test.step('a point typed near the surface is moved onto it by key, gets an uncertainty, and is moved back', async () => {
    const { results } = await call<{ results: { id: string; kind: string }[] }>(
      'GET',
      `/api/v2/projects/${project.id}/data`,
    );
    const typed = tube.outerRadiusMm + 0.1;
    await call('POST', `/api/v2/projects/${project.id}/measurements`, {
      dataObjectId: results.find(({ kind }) => kind === 'volume')?.id,
      name: 'Across',
      kind: 'distance',
      points: [
        [typed, 0, 0],
        [-typed, 0, 0],
      ],
    });
    const row = panel.getByRole('button', { name: /^Across/ });
    await row.focus();
    await page.keyboard.press('Enter');
    await expect(row).toHaveText(/10\.200\smm/);
    await panel.getByRole('button', { name: 'Snap to surface' }).focus();
    await page.keyboard.press('Enter');
    await expect(row).toHaveText(/(10\.0|9\.9)\d* ± 0\.\d+\smm/);
    await page.keyboard.press('Control+z');
    await expect(row).toHaveText(/10\.200\smm/);
    await page.keyboard.press('Control+z');
    await expect(panel.getByRole('button', { name: /^Cylinder 1/ })).toHaveCount(0);
    await expect(panel.getByRole('button', { name: /^Wall thickness 1/ })).toBeVisible();
  });
});

test('grey values along a line are plotted with axes, read, enlarged and saved as CSV and picture', async ({
  page,
}) => {
  const project = await scannedProject('Tube with a profile');
  const { results } = await call<{ results: { id: string }[] }>('GET', `/api/v2/projects/${project.id}/data`);
  await call('POST', `/api/v2/projects/${project.id}/measurements`, {
    dataObjectId: results[0].id,
    name: 'Across the wall',
    kind: 'profile',
    points: [
      [0, 0, 0],
      [6, 0, 0],
    ],
  });
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects/${project.id}`);
  await viewerIsReady(page);
  await page.getByRole('button', { name: /^Across the wall/ }).click();
  const plot = page.getByRole('img', { name: /^Grey values along the line/ });
  await expect(plot.locator('canvas')).toBeVisible();
  await plot.hover({ position: { x: 200, y: 60 } });
  await expect(page.getByText(/^\d\.\d+\smm: [\d,]+$/)).toBeVisible();
  await expectAccessible(page);
  const table = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Grey profile as CSV' }).click();
  const rows = (await readFile(await (await table).path(), 'utf8'))
    .trim()
    .split('\n')
    .slice(1)
    .map((row) => row.split(',').map(Number));
  const greyAt = (mm: number) => rows.find(([placeMm]) => placeMm >= mm)?.[1] ?? 0;
  const middleMm = tube.outerRadiusMm - tube.wallMm / 2;
  expect(greyAt(middleMm)).toBeGreaterThan(2 * greyAt(middleMm - tube.wallMm));
  expect(greyAt(middleMm)).toBeGreaterThan(2 * greyAt(middleMm + tube.wallMm * 0.9));
  const picture = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Grey profile as PNG' }).click();
  expect((await readFile(await (await picture).path())).readUInt32BE(16)).toBeGreaterThanOrEqual(1200);
  await page.getByRole('button', { name: 'Enlarge the grey profile' }).click();
  const dialog = page.getByRole('dialog', { name: 'Grey profile' });
  await expect(dialog.getByRole('img', { name: /^Grey values/ }).locator('canvas')).toBeVisible();
  await expectAccessible(page);
});
