import { ballRadiographs, ballScan } from './support/scans.ts';
import {
  call,
  createProject,
  createWorkspace,
  expect,
  serviceUrl,
  storeSession,
  test,
} from './support/test.ts';

test('radiographs are uploaded, ask for missing information, are reconstructed, and the volume is meshed', async ({
  page,
}) => {
  const workspace = await createWorkspace(`Radiographs ${Date.now()}`);
  const project = await createProject(workspace.id, 'Ball in a cone beam');
  const buffer = Buffer.from(await ballRadiographs('pixelSizeMm'));
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects/${project.id}`);

  await test.step('the pixel size, which the files lack, is requested', async () => {
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose files' }).click();
    await (await choosing).setFiles({ name: 'ball.zip', mimeType: 'application/zip', buffer });
    const form = page.getByRole('form', { name: 'Missing information: ball.zip' });
    await expect(form.getByRole('textbox')).toHaveCount(1);
    await form.getByLabel('Pixel size of the detector').fill(String(ballScan.pixelSizeMm));
    await form.getByRole('button', { name: 'Continue' }).click();
    await expect(page.getByText('In the project')).toBeVisible({ timeout: 60_000 });
  });

  await test.step('the form starts from the usual values, and states the limit of an invalid number', async () => {
    await page.getByRole('button', { name: 'Run analysis' }).click();
    await expect(page.getByRole('menuitem', { name: /^Mesh/ })).toBeDisabled();
    await page.getByRole('menuitem', { name: /^Reconstruction preview/ }).click();
    const form = page.getByRole('form', { name: 'Parameters of reconstruction preview' });
    const largest = form.getByLabel('Largest dimension');
    await expect(largest).toHaveValue('256');
    await largest.fill('8');
    await largest.press('Tab');
    await expect(form.getByText(/16/)).not.toHaveCount(0);
    await largest.fill('48');
    await page.keyboard.press('Control+Enter');
    await expect(form).toHaveCount(0);
  });

  await test.step('the result reports the centre of rotation, within a tenth of a pixel', async () => {
    const figures = page.getByRole('table', { name: 'Reconstruction' });
    await expect(figures).toBeVisible({ timeout: 60_000 });
    const row = (name: string) => figures.getByRole('row', { name: new RegExp(`^${name}`) });
    const found = Number.parseFloat((await row('Centre of rotation').getByRole('cell').innerText()).trim());
    expect(Math.abs(found - ballScan.centerOfRotationMm)).toBeLessThan(ballScan.pixelSizeMm / 10);
    await expect(row('Found by')).toContainText('mirror image of the full turn');
    await expect(row('Scan')).toContainText(`${ballScan.projections} projections, over 360°, cone beam`);
    await expect(page.getByText(/no flat images/).first()).toBeVisible();
  });

  await test.step('the reconstructed volume can be used like any other', async () => {
    await page.getByRole('button', { name: 'Run: mesh' }).click();
    await page.getByRole('button', { name: 'Start mesh' }).click();
    await expect(page.getByRole('button', { name: 'Show mesh' })).toBeVisible({ timeout: 60_000 });
    const data = await call<{ results: { kind: string; metadata: { volumeMm3: number } }[] }>(
      'GET',
      `/api/v2/projects/${project.id}/data`,
    );
    const mesh = data.results.find(({ kind }) => kind === 'mesh');
    expect(Math.abs((mesh?.metadata.volumeMm3 ?? 0) / ((4 / 3) * Math.PI * 9 ** 3) - 1)).toBeLessThan(0.05);
  });
});
