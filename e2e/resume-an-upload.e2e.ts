import type { Page } from '@playwright/test';
import { createProject, createWorkspace, expect, serviceUrl, storeSession, test } from './support/test.ts';

const edge = { x: 160, y: 160, z: 160 };
const voxels = edge.x * edge.y * edge.z;

/** Grey values of a block in air, 16 bit, without a header. */
function blockRaw(): Buffer {
  const values = new Uint16Array(voxels).fill(1_000);
  for (let z = 40; z < 120; z++)
    for (let y = 40; y < 120; y++) values.fill(30_000, (z * 160 + y) * 160 + 40, (z * 160 + y) * 160 + 120);
  return Buffer.from(values.buffer);
}
const header = [
  'NRRD0004',
  'type: uint16',
  'dimension: 3',
  'space dimension: 3',
  'space units: "mm" "mm" "mm"',
  'space directions: (0.1,0,0) (0,0.1,0) (0,0,0.1)',
  'space origin: (0,0,0)',
  'sizes: 160 160 160',
  'encoding: raw',
  'endian: little',
  '',
  '',
].join('\n');

const chooseFile = async (page: Page, button: string, name: string, buffer: Buffer) => {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: button, exact: true }).click();
  await (await chooser).setFiles({ name, mimeType: 'application/octet-stream', buffer });
};

/** Returns a function that limits the upload bandwidth in bytes per second; null = no limit. */
async function openNetworkLimit(page: Page) {
  const session = await page.context().newCDPSession(page);
  return (bytesPerSecond: number | null) =>
    session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: bytesPerSecond ?? -1,
    });
}

const share = async (page: Page, name: string) =>
  Number(await page.getByRole('progressbar', { name }).getAttribute('aria-valuenow'));

async function openNewProject(page: Page, name: string) {
  const workspace = await createWorkspace(`${name} ${Date.now()}`);
  const project = await createProject(workspace.id, name);
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects/${project.id}`);
  await expect(page.getByRole('heading', { name: 'Drop a scan here' })).toBeVisible();
}

test.describe('An upload', () => {
  // The journey itself cuts the connection.
  test.use({ allowedConsoleErrors: [/ERR_CONNECTION_RESET/] });

  test('resumes after a pause, a lost connection and a reload', async ({ page }) => {
    test.slow();
    page.on('dialog', (dialog) => void dialog.accept());
    await openNewProject(page, 'Interrupted');
    const file = Buffer.concat([Buffer.from(header), blockRaw()]);
    const bar = 'Upload of block.nrrd';

    const upstream = await openNetworkLimit(page);
    await upstream(150_000);
    await chooseFile(page, 'Choose files', 'block.nrrd', file);
    await expect.poll(() => share(page, bar)).toBeGreaterThan(8);

    await page.getByRole('button', { name: 'Pause block.nrrd' }).click();
    await expect(page.getByText(/· paused/)).toBeVisible();
    const paused = await share(page, bar);

    await page.route('**/api/v2/uploads/*', (route) => route.abort('connectionreset'));
    await page.getByRole('button', { name: 'Resume block.nrrd' }).click();
    await expect(page.getByText(/The service does not answer/)).toBeVisible();
    expect(await share(page, bar)).toBeGreaterThanOrEqual(Math.floor(paused));
    await page.unroute('**/api/v2/uploads/*');
    // No button is pressed: it resumes automatically.
    await expect(page.getByText(/The service does not answer/)).toBeHidden({ timeout: 40_000 });
    await expect.poll(() => share(page, bar)).toBeGreaterThan(paused + 5);

    await page.reload();
    await upstream(null);
    await expect(page.getByText(/% arrived; choose the same file again/)).toBeVisible();
    await chooseFile(page, 'Choose block.nrrd again', 'other.nrrd', Buffer.from('another file'));
    await expect(page.getByText('This is another file')).toBeVisible();
    await chooseFile(page, 'Choose block.nrrd again', 'block.nrrd', file);
    await expect(page.getByText('In the project')).toBeVisible({ timeout: 60_000 });
  });

  test('of raw grey values asks for their description before it starts', async ({ page }) => {
    await openNewProject(page, 'Bare values');
    await chooseFile(page, 'Choose files', 'block.raw', blockRaw());
    const form = page.getByRole('form', { name: 'Missing information: block.raw' });
    await form.getByRole('button', { name: 'Continue' }).click();
    await expect(form.getByText('Choose the type of the grey values')).toBeVisible();

    for (const axis of ['x', 'y', 'z']) await form.getByLabel(`Voxels along ${axis}`).fill('161');
    await form.getByRole('combobox', { name: 'Grey values' }).click();
    await page.getByRole('option', { name: '16 bit unsigned' }).click();
    await expect(form.getByText(/These need 8,346,562 bytes, the file has 8,192,000/)).toBeVisible();
    for (const axis of ['x', 'y', 'z']) await form.getByLabel(`Voxels along ${axis}`).fill('160');
    await expect(form.getByText('These match the file exactly: 8,192,000 bytes.')).toBeVisible();
    await form.getByLabel('Voxel size along x in mm').fill('0.1');
    await form.getByLabel('Voxel size along x in mm').press('Tab');
    await expect(form.getByLabel('Voxel size along z in mm')).toHaveValue('0.1');
    await form.getByRole('button', { name: 'Continue' }).click();

    await expect(page.getByText('160 × 160 × 160 voxels')).toBeVisible();
    await expect(page.getByText('In the project')).toBeVisible({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Show block.raw' }).click();
    await expect(page.getByRole('table', { name: /^Details of block/ })).toContainText(
      '0.1 × 0.1 × 0.1\u202fmm',
    );
  });
});
