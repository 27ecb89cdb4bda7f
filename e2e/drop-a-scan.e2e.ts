import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import {
  apiToken,
  createProject,
  createWorkspace,
  expect,
  expectAccessible,
  follow,
  serviceUrl,
  storeSession,
  test,
} from './support/test.ts';
import { uploadBytes } from './support/upload.ts';

/** 60 × 50 × 40 voxels of 16 bit: a block in air. */
const edge = [60, 50, 40] as const;

/** Files as dragged in from the desktop; created in the page, because a drop event requires objects of the page. */
const dragged = (page: Page, name: string, [nx, ny, nz]: readonly [number, number, number]) =>
  page.evaluateHandle(
    ([fileName, x, y, z]) => {
      const values = new Uint16Array(x * y * z).fill(900);
      for (let k = 10; k < z - 10; k++)
        for (let j = 10; j < y - 10; j++) values.fill(40_000, (k * y + j) * x + 10, (k * y + j) * x + x - 10);
      const transfer = new DataTransfer();
      transfer.items.add(new File([values], fileName));
      return transfer;
    },
    [name, nx, ny, nz] as const,
  );

const blockInAir = (side: number) =>
  Uint8Array.from({ length: side ** 3 }, (_, i) =>
    [i % side, Math.floor(i / side) % side, Math.floor(i / side ** 2)].every((at) => at > 9 && at < side - 10)
      ? 200
      : 10,
  );

test('a scan is dropped on the page, asks for missing information, shows its import time, and is imported', async ({
  page,
}) => {
  const workspace = await createWorkspace(`Dropped ${Date.now()}`);
  const project = await createProject(workspace.id, 'Dropped');
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects/${project.id}`);
  await expect(page.getByRole('heading', { name: 'Drop a scan here' })).toBeVisible();
  const uploads: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/v2/uploads')) uploads.push(request.method());
  });

  const files = await dragged(page, 'block.raw', edge);
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: files });
  await expect(page.getByText('Drop to upload into this project')).toBeVisible();
  await page.dispatchEvent('body', 'dragleave', { dataTransfer: files });
  await expect(page.getByText('Drop to upload into this project')).toHaveCount(0);
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: files });
  await page.dispatchEvent('body', 'drop', { dataTransfer: files });
  await expect(page.getByText('Drop to upload into this project')).toHaveCount(0);

  const form = page.getByRole('form', { name: 'Missing information: block.raw' });
  await expect(form).toBeVisible();
  await expectAccessible(page);
  for (const [index, axis] of ['x', 'y', 'z'].entries())
    await form.getByLabel(`Voxels along ${axis}`).fill(String(edge[index]));
  await form.getByRole('combobox', { name: 'Grey values' }).click();
  await page.getByRole('option', { name: '16 bit unsigned' }).click();
  await form.getByLabel('Voxel size along x in mm').fill('0.05');
  await form.getByLabel('Voxel size along x in mm').press('Tab');
  expect(uploads, 'nothing was sent before all was known').not.toContain('POST');
  await page.keyboard.press('Control+Enter');

  await expect(page.getByText('60 × 50 × 40 voxels')).toBeVisible();
  await expect(page.getByText('In the project')).toBeVisible({ timeout: 60_000 });
  expect(uploads).toContain('POST');
});

test('a scan dropped on the list creates its project, named after the file', async ({ page }) => {
  const name = `Dropped on the list ${Date.now()}`;
  const workspace = await createWorkspace(name);
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects?workspace=${workspace.id}`);
  await expect(page.getByRole('heading', { name: 'Projects', level: 1 })).toBeVisible();
  const files = await dragged(page, 'H-77_dropped_block.raw', edge);
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: files });
  await expect(page.getByText('Drop to create a project')).toBeVisible();
  await page.dispatchEvent('body', 'drop', { dataTransfer: files });
  const dialog = page.getByRole('dialog', { name: 'New project' });
  await expect(dialog.getByLabel('Name')).toHaveValue('H-77 dropped block');
  await expect(dialog.getByLabel('Part number')).toHaveValue('H-77');
  await expect(dialog.getByText('H-77_dropped_block.raw will be uploaded into it.')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('heading', { name: 'H-77 dropped block', level: 1 })).toBeVisible();
  await expect(page.getByRole('form', { name: 'Missing information: H-77_dropped_block.raw' })).toBeVisible();

  await follow(page, '/projects');
  await page.getByRole('button', { name: 'New project' }).click();
  await expect(dialog.getByRole('combobox', { name: 'Workspace' })).toHaveValue(name);
  await dialog.getByLabel('Lot').fill('L-7');
  await page.dispatchEvent('body', 'drop', { dataTransfer: files });
  await expect(dialog.getByLabel('Name')).toHaveValue('H-77 dropped block');
  await expect(dialog.getByLabel('Lot'), 'what was typed stays').toHaveValue('L-7');
});

test('the empty project shows why an import failed, and asks for missing information', async ({ page }) => {
  const workspace = await createWorkspace(`Not imported ${Date.now()}`);
  const project = await createProject(workspace.id, 'Not imported');
  const token = await apiToken();
  const upload = (filename: string, bytes: Uint8Array) =>
    uploadBytes(serviceUrl(), token, bytes, { projectId: project.id, filename });
  // Decompressed it has many times the bytes.
  await upload('block.raw.gz', gzipSync(blockInAir(40)));
  await upload('part.step', Buffer.from('ISO-10303-21;\nHEADER;\n'));
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects/${project.id}`);
  const stopped = page.getByRole('region', { name: 'Not imported' });
  await expect(stopped.getByText('Failed')).toBeVisible();
  await expect(stopped.getByText(/part\.step is cut off/)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Drop a scan here' })).toBeVisible();
  await expectAccessible(page);

  await test.step('the page stops waiting for an uploaded file that turns out to be unreadable', async () => {
    const header =
      'NRRD0004\ntype: float\ndimension: 3\nsizes: 4 4 4\nendian: little\nencoding: raw\nspacings: 1 1 1\n\n';
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose files' }).click();
    await (await chooser).setFiles({
      name: 'nothing.nrrd',
      mimeType: 'application/octet-stream',
      buffer: Buffer.concat([Buffer.from(header), Buffer.alloc(4 * 64, 0xff)]),
    });
    const uploads = page.getByRole('region', { name: 'Uploads' });
    await expect(uploads.getByRole('alert')).toHaveText(/no finite grey value/, { timeout: 60_000 });
    await expect(page.getByRole('heading', { name: 'Drop a scan here' })).toBeVisible();
  });

  await test.step('the missing information about the grey values is entered, and the volume is imported', async () => {
    const form = stopped.getByRole('form', { name: 'Missing information: block.raw.gz' });
    for (const axis of ['x', 'y', 'z']) await form.getByLabel(`Voxels along ${axis}`).fill('40');
    await form.getByRole('combobox', { name: 'Grey values' }).click();
    await page.getByRole('option', { name: '8 bit unsigned' }).click();
    await form.getByLabel('Voxel size along x in mm').fill('0.05');
    await form.getByLabel('Voxel size along x in mm').press('Tab');
    await form.getByRole('button', { name: 'Import' }).click();
    await expect(page.getByRole('tab', { name: 'Data 1' })).toBeVisible({ timeout: 60_000 });
    await expect(stopped).toHaveCount(0);
  });
});
