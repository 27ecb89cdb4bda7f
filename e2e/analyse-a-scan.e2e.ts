import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { unzipSync } from 'fflate';
import type { ViewerHooks } from '#web/viewer/test-hooks.ts';
import { noteHeadings, readHeadings } from './support/headings.ts';
import { tube, tubeNrrd, tubeVolumeMm3 } from './support/scans.ts';
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
import { readViewInAddress, smallWindow, viewerIsReady } from './support/viewer.ts';

const innerRadiusMm = tube.outerRadiusMm - tube.wallMm;
const tubeAreaMm2 =
  2 * Math.PI * (tube.outerRadiusMm + innerRadiusMm) * tube.heightMm +
  2 * Math.PI * (tube.outerRadiusMm ** 2 - innerRadiusMm ** 2);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

declare const window: { __scanwrightViewer?: ViewerHooks };

/** Share of the element's screen pixels that are coloured, and that are as bright as material. */
async function measurePixels(page: Page, element: Locator) {
  const png = (await element.screenshot()).toString('base64');
  return page.evaluate(async (encoded) => {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext('2d');
    if (!context) throw new Error('no 2D canvas');
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    let coloured = 0;
    let bright = 0;
    for (let i = 0; i < data.length; i += 4) {
      const [low, high] = [
        Math.min(data[i], data[i + 1], data[i + 2]),
        Math.max(data[i], data[i + 1], data[i + 2]),
      ];
      if (high - low > 40) coloured++;
      else if (low > 150) bright++;
    }
    return { coloured: coloured / (data.length / 4), bright: bright / (data.length / 4) };
  }, png);
}

/** Minimum and maximum distance from the centre of the slice to pixels in the colour of a planned surface. */
async function plannedRadii(page: Page): Promise<[number, number]> {
  return page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('[data-pane="xy"] canvas');
    const data = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height);
    if (!data) throw new Error('no slice');
    const radii: number[] = [];
    for (let i = 0; i < data.data.length; i += 4) {
      const [r, g, b] = data.data.subarray(i, i + 3);
      if (r < 245 || Math.abs(g - 197) > 12 || Math.abs(b - 61) > 25) continue;
      const x = ((i / 4) % data.width) + 0.5 - data.width / 2;
      radii.push(Math.hypot(x, Math.floor(i / 4 / data.width) + 0.5 - data.height / 2));
    }
    return [Math.min(...radii), Math.max(...radii)];
  });
}

/** The number in a row of figures: “1.200 mm” → 1.2. */
const figure = async (table: Locator, name: string) =>
  Number.parseFloat(
    (await table.getByRole('row', { name }).getByRole('cell').innerText()).replaceAll(',', ''),
  );

test.use({ contextOptions: { reducedMotion: 'no-preference' } });

test.use({ viewport: smallWindow });

test('a scan is uploaded, meshed and measured, and exported as an archive with correct checksums', async ({
  page,
}) => {
  test.slow();
  const workspace = await createWorkspace(`Analyse a scan ${Date.now()}`);
  const project = await createProject(workspace.id, 'Square tube', { partNumber: 'T-12' });
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects/${project.id}`);

  await test.step('the file is checked, uploaded and imported without further input', async () => {
    await expect(page.getByRole('heading', { name: 'Drop a scan here' })).toBeVisible();
    await page.evaluate(noteHeadings);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose files' }).click();
    await (await chooser).setFiles({
      name: 'tube.nrrd',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(await tubeNrrd()),
    });
    await expect(page.getByText('52 × 52 × 52 voxels')).toBeVisible();
    await expect(page.getByText('In the project')).toBeVisible({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Remove from list: tube.nrrd' }).click();
  });

  const scene = page.locator('[data-pane="3d"] canvas').first();
  await test.step('three slices show the grey values', async () => {
    await viewerIsReady(page);
    const seen = await readHeadings(page);
    expect(seen).toContain('Reading the scan…');
    expect(seen.slice(seen.indexOf('Reading the scan…')), 'nothing asks for a file then').not.toContain(
      'Drop a scan here',
    );
    const slice = await measurePixels(page, page.locator('[data-pane="xy"] canvas').first());
    expect(slice.bright).toBeGreaterThan(0.05);
    expect((await measurePixels(page, scene)).coloured).toBeLessThan(0.02);
  });

  await test.step('the mesh has the volume and the area of the body', async () => {
    await page.getByRole('button', { name: 'Run: mesh' }).click();
    // Before the run the slices preview the surface: the walls of the tube, and the part of them in a region.
    const planned = page.getByRole('dialog', { name: 'Mesh' });
    await expect(planned.getByText(/^On the slices: /)).toBeVisible();
    await viewerIsReady(page);
    const [inner, outer] = await plannedRadii(page);
    expect(Math.abs(outer / inner - tube.outerRadiusMm / innerRadiusMm)).toBeLessThan(0.08);
    await planned.getByText('Advanced').click();
    const sides = planned.getByRole('textbox', { name: /^Region/ });
    // The region is inside the bore: it contains no wall, and the box ends before it.
    for (const [i, mm] of [-2, -2, -4, 2, 2, 4].entries()) await sides.nth(i).fill(String(mm));
    await viewerIsReady(page);
    await expect.poll(async () => (await plannedRadii(page))[1]).toBeLessThan(inner);
    for (const i of Array(6).keys()) await sides.nth(i).fill('');
    await page.getByRole('form', { name: 'Parameters of mesh' }).getByText('STL', { exact: true }).click();
    await page.keyboard.press('Control+Enter');
    const figures = page.getByRole('table', { name: 'Mesh', exact: true });
    await expect(figures).toBeVisible({ timeout: 60_000 });
    expect(Math.abs((await figure(figures, 'Volume')) / tubeVolumeMm3 - 1)).toBeLessThan(0.005);
    expect(Math.abs((await figure(figures, 'Surface area')) / tubeAreaMm2 - 1)).toBeLessThan(0.03);
    await expect(figures.getByRole('row', { name: 'Watertight' })).toContainText('yes');
  });

  await test.step('a parameter outside its limits is reported at its field and not sent', async () => {
    await page.getByRole('button', { name: 'Run: wall thickness' }).click();
    const minimum = page.getByLabel('Minimum thickness');
    await minimum.fill('-1');
    await minimum.press('Tab');
    await expect(page.getByText('Must be above 0\u202fmm')).toBeVisible();
    await minimum.fill('2.5');
    await expect(page.getByText('Must be above 0\u202fmm')).toBeHidden();
    await page.getByRole('button', { name: 'Start wall thickness' }).click();
  });

  await test.step('the surface is coloured and the figures match the wall', async () => {
    const figures = page.getByRole('table', { name: 'Percentiles of wall thickness' });
    await expect(figures).toBeVisible({ timeout: 60_000 });
    expect(Math.abs((await figure(figures, '50th percentile')) - tube.wallMm)).toBeLessThan(
      tube.voxelSizeMm / 4,
    );
    await expect(
      page.getByRole('img', { name: /Histogram of wall thickness weighted by area/ }),
    ).toBeVisible();
    await viewerIsReady(page);
    await expect
      .poll(async () => (await measurePixels(page, scene)).coloured, { timeout: 30_000 })
      .toBeGreaterThan(0.08);
    const before = page.url();
    await page.getByRole('button', { name: /^Show region 1:/ }).click();
    await expect.poll(() => page.url()).not.toBe(before);
    await viewerIsReady(page);
  });

  await test.step('the address restores the same view', async () => {
    const view = await page.evaluate(() => window.__scanwrightViewer?.state());
    await expect.poll(() => readViewInAddress(page)).toEqual(view);
    await page.reload();
    await viewerIsReady(page);
    expect(await page.evaluate(() => window.__scanwrightViewer?.state())).toEqual(view);
  });

  await test.step('the result shows its provenance', async () => {
    await expect(page.getByRole('table', { name: 'Versions of the algorithms' })).toBeVisible();
    await expect(page.getByRole('table', { name: 'Parameters', exact: true })).toContainText('2.5\u202fmm');
    await expectAccessible(page);
  });

  await test.step('the downloaded archive matches the checksums shown', async () => {
    await page.getByRole('tab', { name: 'Exports' }).click();
    await page.getByLabel('Volumes').check();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const link = page.getByRole('link', { name: /^Download / });
    await expect(link).toBeVisible({ timeout: 60_000 });
    const downloading = page.waitForEvent('download');
    await link.click();
    const archive = await readFile(await (await downloading).path());
    const shown = await page
      .getByRole('table', { name: 'Exports of the project' })
      .getByTitle(/^[0-9a-f]{64}$/)
      .first()
      .getAttribute('title');
    expect(sha256(archive)).toBe(shown);
    const files = unzipSync(archive);
    const manifest = JSON.parse(Buffer.from(files['manifest.json']).toString('utf8'));
    expect(manifest.files.length).toBeGreaterThanOrEqual(5);
    for (const { path, sha256: stated } of manifest.files) expect(sha256(files[path]), path).toBe(stated);
    const data = await call<{ results: { files: { sha256: string }[] }[] }>(
      'GET',
      `/api/v2/projects/${project.id}/data`,
    );
    const sums = manifest.files.map((file: { sha256: string }) => file.sha256);
    for (const { files: own } of data.results) for (const file of own) expect(sums).toContain(file.sha256);
  });

  await test.step('a report of the project is created without a recipe', async () => {
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Report', exact: true }).click();
    const row = page.getByRole('row', { name: /Report \(PDF\)/ });
    const link = row.getByRole('link', { name: /^Download report_.*\.pdf/ });
    await expect(link).toBeVisible({ timeout: 60_000 });
    const downloading = page.waitForEvent('download');
    await link.click();
    const report = await readFile(await (await downloading).path());
    expect(report.subarray(0, 5).toString('latin1')).toBe('%PDF-');
    await page.getByRole('button', { name: 'More actions' }).click();
    await expect(page.getByRole('menuitem', { name: 'Report (PDF)' })).toBeEnabled();
    await page.keyboard.press('Escape');
  });
});
