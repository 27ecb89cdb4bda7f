import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { unzipSync } from 'fflate';
import { scannedProject, tubeNrrd } from './support/scans.ts';
import { call, expect, expectAccessible, serviceUrl, signIn, test } from './support/test.ts';

async function addStep(page: Page, title: RegExp) {
  await page.getByRole('button', { name: 'Add step' }).click();
  await page.getByRole('menuitem', { name: title }).click();
}

test('a recipe is written, tried, released and run; its verdict is shown and its results are downloaded', async ({
  page,
}) => {
  test.slow();
  const name = `Tube inspection ${Date.now()}`;
  const project = await scannedProject(`Tube of ${name}`, { partNumber: 'T-7' });
  await signIn(page);

  await test.step('steps are added, connected and filled in', async () => {
    await page.getByRole('link', { name: 'Recipes' }).click();
    await page.getByRole('link', { name: 'New recipe' }).first().click();
    const release = page.getByRole('button', { name: 'Release version 1' });
    await expect(release).toHaveAttribute('aria-disabled', 'true');
    await page.getByLabel('Name', { exact: false }).first().fill(name);
    await addStep(page, /^Mesh/);
    await addStep(page, /^Wall thickness/);
    const thickness = page.getByRole('region', { name: 'Step thickness' });
    await thickness.getByLabel('Minimum thickness').fill('-1');
    await expect(page.getByRole('region', { name: 'Step thickness' }).getByRole('alert')).toContainText(
      'minThicknessMm',
    );
    await thickness.getByLabel('Minimum thickness').fill('1');
    await expect(thickness.getByRole('alert')).toHaveCount(0);
    await thickness.getByRole('combobox', { name: 'Runs after' }).click();
    await page.getByRole('option', { name: 'mesh' }).click();
    await page.keyboard.press('Escape');
    await expect(thickness).toContainText('after mesh');
  });

  await test.step('a gate is set on the measure of a step', async () => {
    await page.getByRole('button', { name: 'Add gate' }).click();
    const gate = page.getByRole('group', { name: /^Gate / });
    await gate.getByLabel('Gate', { exact: true }).fill('wall');
    await gate.getByRole('combobox', { name: 'Measure' }).click();
    await page.getByRole('option', { name: 'Mean thickness' }).click();
    await gate.getByLabel('Limit').fill('2');
    await gate.getByLabel('Guard band ±').fill('0.3');
    await expect(page.getByRole('button', { name: 'Release version 1' })).not.toHaveAttribute(
      'aria-disabled',
      'true',
    );
  });

  await test.step('the draft is tried on a part: nothing is released, and the project’s verdict stays', async () => {
    await page.getByRole('combobox', { name: 'On the project' }).fill(project.name);
    await page.getByRole('option', { name: project.name }).click();
    await page.getByRole('button', { name: 'Dry run' }).click();
    const gates = page.getByRole('table', { name: 'Gates of the run' });
    await expect(gates.getByText('Indeterminate')).toBeVisible({ timeout: 60_000 });
    const { verdict } = await call<{ verdict: string | null }>('GET', `/api/v2/projects/${project.id}`);
    expect(verdict).toBeNull();
  });

  await test.step('it is released, and revised with a narrower guard band', async () => {
    const gate = page.getByRole('group', { name: /^Gate / });
    await page.getByRole('button', { name: 'Release version 1' }).click();
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
    await page.getByRole('link', { name: 'Revise' }).click();
    await gate.getByLabel('Limit').fill('1.5');
    await gate.getByLabel('Guard band ±').fill('0.1');
    await page.getByRole('button', { name: 'Release the next version' }).click();
    const diff = page.getByRole('table', { name: 'From version 1 to version 2' });
    await expect(diff.getByRole('row', { name: /Gate wall limit/ })).toContainText('at least 1.5 mm');
  });

  await test.step('it is run on the project, and its verdict becomes the project’s verdict', async () => {
    await page.goto(`${serviceUrl()}/projects/${project.id}?tab=recipes`);
    await page.getByRole('button', { name: 'Run a recipe' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Run a recipe' });
    await dialog.getByRole('combobox', { name: 'Recipe' }).fill(name);
    await page.getByRole('option', { name }).click();
    await expect(dialog.getByText('1 gate')).toBeVisible();
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name: `${name}, version 2` })).toBeVisible();
    const gates = page.getByRole('table', { name: 'Gates of the run' });
    await expect(gates.getByText('Pass')).toBeVisible({ timeout: 60_000 });
    await expect(page.getByRole('table', { name: 'Steps of the run' }).getByText('Completed')).toHaveCount(2);
    const { verdict } = await call<{ verdict: string | null }>('GET', `/api/v2/projects/${project.id}`);
    expect(verdict).toBe('pass');
  });

  await test.step('report and results are downloaded, and every checksum is correct', async () => {
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download report and results' }).click();
    const files = unzipSync(await readFile(await (await downloading).path()));
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(['report.pdf', 'results.json', 'results.csv', 'mesh/mesh.glb', 'SHA256SUMS']),
    );
    const sums = Buffer.from(files['SHA256SUMS']).toString().trim().split('\n');
    expect(sums).toHaveLength(Object.keys(files).length - 1);
    for (const line of sums) {
      const [sum, file] = line.split('  ');
      expect([file, createHash('sha256').update(files[file]).digest('hex')]).toEqual([file, sum]);
    }
    const results = JSON.parse(Buffer.from(files['results.json']).toString()) as {
      verdict: string;
      steps: { provenance: { inputs: { sha256: string }[] } }[];
    };
    expect(results.verdict).toBe('pass');
    const scan = createHash('sha256')
      .update(await tubeNrrd())
      .digest('hex');
    for (const { provenance } of results.steps) expect(provenance.inputs[0].sha256).toBe(scan);
  });

  await test.step('the data measured by a gate, and the output of a step, are one click from the run', async () => {
    const ofStep = page.getByRole('link', { name: 'Show thickness in the viewer' });
    const ofGate = page.getByRole('link', { name: 'Show in the viewer what the gate wall was measured on' });
    expect(await ofGate.getAttribute('href')).toBe(await ofStep.getAttribute('href'));
    await ofGate.click();
    await expect(page.getByRole('heading', { level: 1, name: project.name })).toBeVisible();
    await expect(page).toHaveURL(/data=/);
  });

  await test.step('the effects of the version on the parts are shown before it is released', async () => {
    await page.goto(`${serviceUrl()}/recipes`);
    await page.getByRole('link', { name }).first().click();
    const runs = page.getByRole('region', { name: 'Runs', exact: true });
    await expect(runs.getByRole('table').getByRole('row', { name: project.name })).toContainText('Pass');
    await expect(runs).toContainText(/1 of 1 passed, 100\s?%/);
    await page.getByRole('button', { name: 'Compare the verdicts of version 1 and version 2' }).click();
    await expect(page.getByText('1 would change from Indeterminate to Pass')).toBeVisible();
    await page.getByRole('switch', { name: 'Only changed' }).click({ force: true });
    const row = page
      .getByRole('table', { name: 'Verdicts under version 1 and version 2' })
      .getByRole('row', { name: project.name });
    await expect(row).toContainText('from the numbers of version 2');
    await expect(row).toContainText('at least 1.5 mm');
    await expectAccessible(page);
  });

  await test.step('the version is withdrawn: its run stays, and no longer counts in the verdict', async () => {
    await page.getByRole('button', { name: 'Withdraw version 2' }).click();
    const sure = page.getByRole('dialog', { name: /^Withdraw version 2/ });
    await expect(sure).toContainText('no longer count in the verdicts');
    await sure.getByRole('button', { name: 'Withdraw the version' }).click();
    await expect(page.getByRole('button', { name: 'Release version 2' })).toBeVisible();
    const { verdict } = await call<{ verdict: string | null }>('GET', `/api/v2/projects/${project.id}`);
    expect(verdict).toBeNull();
  });
});
