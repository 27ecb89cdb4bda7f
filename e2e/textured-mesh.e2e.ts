import type { Locator } from '@playwright/test';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { readPng } from '#formats/png/read-png.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { hollowCylinder } from '#kernels/testing/bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import type { ViewerHooks } from '#web/viewer/test-hooks.ts';
import { finished } from './support/scans.ts';
import {
  apiToken,
  call,
  createProject,
  createWorkspace,
  expect,
  expectAccessible,
  serviceUrl,
  storeSession,
  test,
} from './support/test.ts';
import { uploadBytes } from './support/upload.ts';

declare const window: { __scanwrightViewer?: ViewerHooks };

/** A tube that is denser towards its upper end, as NRRD. */
async function gradedTube(): Promise<Uint8Array> {
  const dimensions: [number, number, number] = [40, 40, 44];
  const volume = renderBody(hollowCylinder(4.5, 2.5, 10), { dimensions, voxelSizeMm: [0.25, 0.25, 0.25] });
  const plane = 40 * 40;
  for (let i = 0; i < volume.data.length; i++) {
    const above = Math.floor(i / plane) - 21.5;
    volume.data[i] = 8000 + Math.round((volume.data[i] - 8000) * (1 + above / 100));
  }
  const parts: Uint8Array[] = [];
  for await (const part of writeNrrd(makeSlabs(volume))) parts.push(part);
  return Buffer.concat(parts);
}

/** Whether large parts of the picture are darker or lighter than a plain surface can be. */
async function measureShares(element: Locator): Promise<{ dark: boolean; light: boolean }> {
  const { width, height, channels, samples } = await readPng(await element.screenshot());
  let [dark, light] = [0, 0];
  for (let i = 0; i < samples.length; i += channels) {
    const [low, high] = [Math.min(...samples.subarray(i, i + 3)), Math.max(...samples.subarray(i, i + 3))];
    if (high < 45) dark++;
    if (low > 215 && low < 245) light++;
  }
  return { dark: dark > 0.02 * width * height, light: light > 0.01 * width * height };
}

test('a scan becomes a textured mesh, which the viewer shows', async ({ page }) => {
  const workspace = await createWorkspace(`Textured mesh ${Date.now()}`);
  const project = await createProject(workspace.id, 'Graded tube');
  await uploadBytes(serviceUrl(), await apiToken(), await gradedTube(), {
    projectId: project.id,
    filename: 'graded tube.nrrd',
  });
  await finished(project.id, 'ingest');
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects/${project.id}`);
  await page.getByRole('button', { name: 'Run: textured mesh' }).click();
  const form = page.getByRole('form', { name: 'Parameters of textured mesh' });
  await form.getByLabel('Texture size').fill('512');
  await page.keyboard.press('Control+Enter');
  const texture = page.getByRole('table', { name: 'Texture', exact: true });
  await expect(texture).toBeVisible({ timeout: 60_000 });
  await expect(texture.getByRole('row', { name: 'Picture' })).toContainText('512 × 512 pixels');
  await expect(page.getByTestId('scan-viewer')).toHaveAttribute('data-ready', 'true', { timeout: 60_000 });
  await page.evaluate(() => window.__scanwrightViewer?.whenIdle());
  expect(await page.evaluate(() => window.__scanwrightViewer?.state().surface)).toMatchObject({
    scalar: 'grayValue',
    map: 'gray',
  });
  // The lower end is drawn nearly black and the upper one nearly white, unlike any shading of a plain surface.
  const scene = page.locator('[data-pane="3d"] canvas').first();
  await expect.poll(() => measureShares(scene)).toMatchObject({ dark: true, light: true });
  await expectAccessible(page);
  const data = await call<{ results: { files: { fileName: string }[] }[] }>(
    'GET',
    `/api/v2/projects/${project.id}/data?kind=mesh`,
  );
  const names = data.results[0].files.map(({ fileName }) => fileName);
  expect(names.sort()).toEqual(['texture.png', 'textured-mesh.glb']);
});
