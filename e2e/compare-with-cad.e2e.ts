import type { Page } from '@playwright/test';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { type Block, buildStep } from '#formats/testing/build-step.ts';
import { collect } from '#formats/testing/collect.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { type Body, box } from '#kernels/testing/bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { finished } from './support/scans.ts';
import {
  apiToken,
  call,
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

/** A block of 10 × 8 × 6 mm with a bore of 4 mm; the bore of the manufactured one is 0.4 mm too wide. */
const nominal: Block = { size: [10, 8, 6], holeRadius: 2 };
const madeRadiusMm = 2.2;

async function scanBlock(): Promise<Uint8Array> {
  const solid = box([...nominal.size]);
  const body: Body = {
    ...solid,
    distanceMm: (x, y, z) => Math.max(solid.distanceMm(x, y, z), madeRadiusMm - Math.hypot(x, y)),
  };
  return collect(
    writeNrrd(makeSlabs(renderBody(body, { dimensions: [48, 40, 32], voxelSizeMm: [0.25, 0.25, 0.25] }))),
  );
}

const drop = async (page: Page, name: string, bytes: Uint8Array) => {
  const chooser = page.waitForEvent('filechooser');
  await page
    .getByRole('button', { name: /^(Choose files|Upload)$/ })
    .first()
    .click();
  await (await chooser).setFiles({
    name,
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(bytes),
  });
  await expect(page.getByText('In the project')).toBeVisible({ timeout: 60_000 });
  await page.getByRole('button', { name: `Remove from list: ${name}` }).click();
};

// With a narrower viewer the table of faces would have no space for their means.
test.use({ viewport: { width: 1720, height: 900 } });

test('a scan is compared with its STEP file face by face, and the bore that is too wide is found', async ({
  page,
}) => {
  test.slow();
  const workspace = await createWorkspace(`Compare ${Date.now()}`);
  const project = await createProject(workspace.id, 'Bored block');
  await uploadBytes(serviceUrl(), await apiToken(), await scanBlock(), {
    projectId: project.id,
    filename: 'block.nrrd',
  });
  await finished(project.id, 'ingest');
  const drawings = await createProject(workspace.id, 'Drawings of blocks', { partNumber: `B-${Date.now()}` });
  await uploadBytes(serviceUrl(), await apiToken(), new TextEncoder().encode(buildStep(nominal)), {
    projectId: drawings.id,
    filename: 'nominal.step',
  });
  await finished(drawings.id, 'ingest');
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects/${project.id}`);

  await test.step('without a reference, the reason is shown', async () => {
    await page.getByRole('button', { name: 'Run analysis' }).click();
    const item = page.getByRole('menuitem', { name: /CAD comparison/ });
    await expect(item).toBeDisabled();
    await expect(item).toContainText('the project has nothing to compare with');
    await page.keyboard.press('Escape');
    const missing = page.getByRole('group', { name: 'Reference missing' });
    await expect(missing).toContainText('CAD comparison');
    await expect(missing.getByRole('button', { name: 'Upload CAD' })).toBeVisible();
  });

  await test.step('CAD of another project is found by its part number, used, named, and used again', async () => {
    await page.getByRole('button', { name: 'Use a reference of another project' }).click();
    await page.getByRole('menuitem', { name: 'CAD comparison', exact: true }).click();
    const form = page.getByRole('form', { name: 'Parameters of CAD comparison' });
    const reference = form.getByRole('combobox', { name: 'Reference' });
    await page.keyboard.press('Control+Enter');
    await expect(form).toContainText('Choose a data object');
    await reference.fill(drawings.partNumber);
    const option = page.getByRole('listbox').getByRole('option');
    await expect(option).toHaveCount(1);
    await expect(option).toContainText(`Drawings of blocks · ${drawings.partNumber}`);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(reference).toHaveValue('nominal of Drawings of blocks');
    await expectAccessible(page);
    await form.getByText('Current position', { exact: true }).click();
    await page.keyboard.press('Control+Enter');
    const parameters = page.getByRole('table', { name: 'Parameters', exact: true });
    await expect(parameters).toContainText('nominal of Drawings of blocks', { timeout: 60_000 });
    await page.getByRole('button', { name: 'Run again with changes: CAD comparison' }).click();
    await expect(reference).toHaveValue('nominal of Drawings of blocks');
    await page.keyboard.press('Escape');
  });

  await test.step('the STEP file is imported with its faces', async () => {
    await drop(page, 'block.step', new TextEncoder().encode(buildStep(nominal)));
    await finished(project.id, 'ingest');
  });

  await test.step('the comparison selects the CAD model automatically and runs', async () => {
    await follow(page, `/projects/${project.id}`);
    await page.getByRole('button', { name: 'Run: decomposed comparison' }).click();
    const form = page.getByRole('form', { name: 'Parameters of decomposed comparison' });
    await expect(form.getByLabel('Reference')).toHaveValue(/^block \(CAD/);
    await form.getByText('Current position', { exact: true }).click();
    await form.getByText('CAD face', { exact: true }).click();
    await page.keyboard.press('Control+Enter');
  });

  await test.step('the verdict, the figures and the bore at the top of the table are shown', async () => {
    const verdict = page.getByRole('region', { name: 'Verdict' });
    await expect(verdict).toContainText('Fail', { timeout: 60_000 });
    await expect(verdict).toContainText('out of tolerance');
    const table = page.getByRole('table', { name: 'Deviation by CAD face' });
    await expect(table.getByRole('row')).toHaveCount(8);
    const first = table.getByRole('row').nth(1);
    await expect(first).toContainText('Face 7');
    await expect(first).toContainText('Fail');
    const mean = Number(await first.getByRole('cell').nth(2).innerText());
    expect(Math.abs(mean + (madeRadiusMm - nominal.holeRadius))).toBeLessThan(0.03);
    await expect(page.getByRole('img', { name: /Histogram of deviation weighted by area/ })).toBeVisible();
    await expect(page.getByRole('table', { name: 'Alignment of the comparison' })).toContainText(
      'Current position',
    );
  });

  await test.step('a click on a face moves the viewer to its worst point', async () => {
    await expect(page.getByTestId('scan-viewer')).toHaveAttribute('data-ready', 'true', { timeout: 60_000 });
    const before = page.url();
    await page.getByRole('button', { name: /^Show Face 7/ }).click();
    await expect.poll(() => page.url()).not.toBe(before);
    await expectAccessible(page);
  });

  await test.step('the inspection sheet opens first, with the worst row on top, and a row moves the view to its place', async () => {
    await page.goto(`${serviceUrl()}/projects/${project.id}`);
    const sheet = page.getByRole('region', { name: 'Inspection sheet' });
    const rows = sheet.getByRole('table', { name: 'Characteristics, worst first' }).locator('tbody tr');
    await expect(sheet).toContainText('2 fail');
    await expect(rows.first()).toContainText('Fail');
    await expect(page.getByTestId('scan-viewer')).toHaveAttribute('data-ready', 'true', { timeout: 60_000 });
    await rows.first().getByRole('button').click();
    await expect(page).toHaveURL(/characteristic=/);
    await expect(page).toHaveURL(/view=/);
    await expect(rows.first().getByRole('button')).toHaveAttribute('aria-current', 'true');
  });

  await test.step('a disposition is shown beside the verdict until the part is measured again', async () => {
    const sheet = page.getByRole('region', { name: 'Inspection sheet' });
    await sheet.getByRole('button', { name: 'Set disposition' }).click();
    const dialog = page.getByRole('dialog', { name: 'Disposition of the part' });
    await dialog.getByText('Rework', { exact: true }).click();
    await dialog.getByLabel('Reason').fill('Bush the bore.');
    await dialog.getByRole('button', { name: 'Save disposition' }).click();
    await expect(sheet).toContainText('Rework · Bush the bore.');
    await expect(sheet).toContainText('2 fail');
    await expectAccessible(page);
    await call('POST', `/api/v2/projects/${project.id}/runMeshCompare`, { alignment: 'none' });
    await finished(project.id, 'runMeshCompare');
    await expect(sheet).toContainText('Rework (outdated) · Bush the bore.', { timeout: 60_000 });
    await expect(sheet).toContainText('3 fail');
  });

  await test.step('an outdated result states that it does not count', async () => {
    const tolerance = { lowerMm: -0.15, upperMm: 0.15 };
    // Ends so quickly that the page never sees it running.
    const isOver = Promise.withResolvers<void>();
    await page.route(/\/operations\?/, async (route) => {
      await isOver.promise;
      await route.continue();
    });
    await call('POST', `/api/v2/projects/${project.id}/runMeshCompare`, { alignment: 'none', tolerance });
    await finished(project.id, 'runMeshCompare');
    isOver.resolve();
    const sheet = page.getByRole('region', { name: 'Inspection sheet' });
    await sheet.getByRole('button', { name: 'Show 1 outdated' }).click({ timeout: 60_000 });
    await expect(page.getByText('Outdated: a newer result')).toHaveCount(0);
    await sheet.locator('tbody tr').last().click();
    await expect(page.getByText('Outdated: a newer result')).toBeVisible();
  });
});
