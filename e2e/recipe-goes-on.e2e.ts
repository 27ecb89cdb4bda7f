import { tubeNrrd, uploadScan } from './support/scans.ts';
import {
  call,
  createProject,
  createWorkspace,
  expect,
  serviceUrl,
  storeSession,
  test,
} from './support/test.ts';

test('a run that failed for lack of data says so, and continues at that step once the data is there', async ({
  page,
}) => {
  const stamp = Date.now();
  const workspace = await createWorkspace(`Goes on ${stamp}`);
  const project = await createProject(workspace.id, `Scan to come ${stamp}`);
  const { recipePk } = await call<{ recipePk: string }>(
    'POST',
    `/api/v2/organizations/${workspace.organizationId}/recipeVersions`,
    {
      name: `Mesh of ${stamp}`,
      steps: [{ key: 'mesh', operation: 'createMesh' }],
      gates: [
        { key: 'size', measure: 'mesh.volumeMm3', comparison: '>=', limit: 1, unit: 'mm³', guardBand: 0 },
      ],
    },
  );
  const run = await call<{ id: string }>('POST', `/api/v2/projects/${project.id}/runRecipe`, { recipePk });
  await storeSession(page);
  await page.goto(`${serviceUrl()}/recipes/runs/${run.id}`);
  const step = page.getByRole('table', { name: 'Steps of the run' }).getByRole('row', { name: /^mesh/ });
  const again = page.getByRole('button', { name: 'Retry the steps that did not succeed' });
  await expect(again).toBeVisible({ timeout: 60_000 });
  await expect(step).toContainText(/volume/i);

  await uploadScan(project.id, 'tube.nrrd', await tubeNrrd());
  await again.click();
  await expect(step.getByRole('link', { name: 'Show mesh in the viewer' })).toBeVisible({ timeout: 60_000 });
  const gate = page.getByRole('table', { name: 'Gates of the run' }).getByRole('row', { name: /^size/ });
  await expect(gate).toContainText(/pass/i);
  // The result itself is one click away.
  await step.getByRole('link', { name: 'Show mesh in the viewer' }).click();
  await expect(page).toHaveURL(new RegExp(`/projects/${project.id}\\?data=`));
  await expect(page.getByRole('heading', { level: 1, name: project.name })).toBeVisible();
});
