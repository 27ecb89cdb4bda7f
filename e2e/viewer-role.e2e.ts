import type { Page } from '@playwright/test';
import { analysedProject } from './support/scans.ts';
import { call, expect, expectAccessible, follow, serviceUrl, signIn, test } from './support/test.ts';

const why = /needs the editor role/;

/** Creates a user with the viewer role in one workspace. */
async function createViewer(workspaceId: string, organizationId: string) {
  const account = { email: `viewer-${Date.now()}@example.com`, password: 'a viewer looks only' };
  await call('POST', `/api/v2/organizations/${organizationId}/members`, {
    ...account,
    name: 'Vera Viewer',
    workspaces: [{ id: workspaceId, role: 'viewer' }],
  });
  return account;
}

/** Expects each of these items of the open menu to be disabled with a reason. */
async function expectOff(page: Page, names: string[]) {
  for (const name of names) {
    const item = page.getByRole('menuitem', { name: new RegExp(`^${name}`) });
    await expect(item).toBeDisabled();
    await expect(item).toContainText(why);
  }
}

test('a viewer sees everything, and each disabled action states the reason', async ({ page }) => {
  test.slow();
  const { id } = await analysedProject('For viewers');
  const project = await call<{ workspaceId: string; organizationId: string }>(
    'GET',
    `/api/v2/projects/${id}`,
  );
  await signIn(page, await createViewer(project.workspaceId, project.organizationId));

  await test.step('in the table', async () => {
    await expect(page.getByRole('row').filter({ hasText: 'For viewers' })).toHaveCount(1);
    const create = page.getByRole('button', { name: 'New project' });
    await expect(create).toHaveAttribute('aria-disabled', 'true');
    await expect(create).toHaveAccessibleDescription(/ask a manager for the editor role/);
    await page.getByRole('button', { name: 'Actions for For viewers' }).click();
    await expectOff(page, ['Rename and edit', 'Add tags', 'Copy', 'Move', 'Archive', 'Delete']);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByLabel('Select For viewers').check();
    for (const name of ['Tag…', 'Move…', 'Copy…', 'Archive', 'Delete']) {
      const button = page
        .getByRole('region', { name: 'Selection' })
        .getByRole('button', { name, exact: true });
      await expect(button).toHaveAttribute('aria-disabled', 'true');
      await expect(button).toHaveAccessibleDescription(why);
    }
    await expectAccessible(page);
  });

  await test.step('on the project page', async () => {
    await follow(page, `/projects/${id}`);
    await expect(page.getByRole('button', { name: 'Show wall thickness' })).toBeVisible();
    const upload = page.getByRole('button', { name: 'Upload', exact: true });
    await expect(upload).toHaveAttribute('aria-disabled', 'true');
    await expect(upload).toHaveAccessibleDescription(why);
    const run = page.getByRole('button', { name: 'Run analysis' });
    await expect(run).toHaveAttribute('aria-disabled', 'true');
    await expect(run).toHaveAccessibleDescription(why);
    await page.getByRole('button', { name: 'More actions' }).click();
    await expectOff(page, ['Edit details', 'Copy', 'Move', 'Archive', 'Delete']);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    // A link from another user opens the form, which says why it can't be sent.
    await page.goto(`${serviceUrl()}/projects/${id}?run=createMesh`);
    const dialog = page.getByRole('dialog', { name: 'Mesh' });
    await expect(dialog.getByRole('alert')).toContainText(why);
    await expect(dialog.getByRole('button', { name: 'Start mesh' })).toHaveAttribute('aria-disabled', 'true');
    await page.keyboard.press('Escape');
  });

  await test.step('a dropped file is refused with the reason', async () => {
    const files = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['solid'], 'part.stl'));
      return transfer;
    });
    await page.dispatchEvent('body', 'dragenter', { dataTransfer: files });
    await expect(page.getByText(why)).toBeVisible();
    await page.dispatchEvent('body', 'drop', { dataTransfer: files });
    await expect(page.getByText(why)).toHaveCount(0);
    await expect(page.getByRole('heading', { name: 'Uploads' })).toHaveCount(0);
  });

  await test.step('a harmless action is allowed: an export', async () => {
    await follow(page, `/projects/${id}?tab=exports`);
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await expect(page.getByRole('link', { name: /^Download / })).toBeVisible({ timeout: 60_000 });
  });

  await test.step('in the recipes', async () => {
    const recipeName = `Seen by viewers ${Date.now()}`;
    const { recipePk } = await call<{ recipePk: string }>(
      'POST',
      `/api/v2/organizations/${project.organizationId}/recipeVersions`,
      { name: recipeName, steps: [{ key: 'mesh', operation: 'createMesh' }] },
    );
    const off = async (name: string) => {
      const button = page.getByRole('button', { name, exact: true });
      await expect(button).toHaveAttribute('aria-disabled', 'true');
      await expect(button).toHaveAccessibleDescription(/ask a manager for the editor role/);
    };
    await follow(page, '/recipes');
    await off('New recipe');
    await expectAccessible(page);
    await page.getByRole('link', { name: recipeName }).click();
    await off('Revise');
    await off('Run on a project');
    await expectAccessible(page);
    // A link from another user opens the builder, which says why nothing can be released.
    await page.goto(`${serviceUrl()}/recipes/new?recipe=${recipePk}`);
    await off('Release the next version');
    await follow(page, '/recipes?tab=scans');
    await off('New scan recipe');
  });

  await test.step('in the organization', async () => {
    await follow(page, '/organization');
    await expect(page.getByText('a manager can change things here')).toBeVisible();
    await expectAccessible(page);
  });
});
