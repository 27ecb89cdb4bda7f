import { scannedFiner } from './support/scans.ts';
import { expect, serviceUrl, storeSession, test } from './support/test.ts';

test('several analyses run at once from the project, with a gate, and again with changes', async ({
  page,
}) => {
  const project = await scannedFiner('Tube in a pipeline', 0.5);
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects/${project.id}`);
  await page.getByRole('button', { name: 'Run: pipeline' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pipeline' });
  const start = dialog.getByRole('button', { name: 'Start pipeline' });
  await expect(start).toHaveAccessibleDescription('Add a step first');
  await expect(dialog.getByRole('button', { name: 'Add step' })).toBeFocused();
  await dialog.getByRole('button', { name: 'Add step' }).click();
  await page.getByRole('menuitem', { name: /^Mesh/ }).click();
  await dialog.getByRole('button', { name: 'Add gate' }).click();
  const gate = dialog.getByRole('group', { name: /^Gate / });
  await gate.getByLabel('Limit').fill('1000');
  // The scan is too small for its quality to be judged: without a guard band of its own the gate would stay
  // indeterminate.
  await gate.getByLabel('Guard band').fill('100');
  await start.click();
  await expect(dialog).toHaveCount(0);

  await expect(page).toHaveURL(/tab=recipes/);
  const runs = page.getByRole('table', { name: 'Runs of recipes on this project' });
  await expect(runs.getByRole('row').nth(1)).toContainText('1 of 1 done', { timeout: 60_000 });
  await runs.getByRole('link', { name: 'Pipeline' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Pipeline' })).toBeVisible();
  await expect(page.getByRole('table', { name: 'Gates of the run' })).toContainText('Pass');

  await page.goto(`${serviceUrl()}/projects/${project.id}`);
  await page.getByRole('button', { name: 'Run again with changes: pipeline' }).click();
  await expect(page).toHaveURL(/from=/);
  await expect(dialog.getByRole('region', { name: 'Step mesh' })).toBeVisible();
  await expect(gate.getByLabel('Limit')).toHaveValue(/^1/);
});
