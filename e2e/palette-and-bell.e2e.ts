import type { Page } from '@playwright/test';
import { finished, scannedProject } from './support/scans.ts';
import { call, createProject, createWorkspace, expect, serviceUrl, signIn, test } from './support/test.ts';

/** Opens the palette, types, and selects the first result. */
async function ask(page: Page, text: string, found: string | RegExp) {
  await page.keyboard.press('Control+k');
  const dialog = page.getByRole('dialog', { name: 'Search' });
  await dialog.getByLabel('Search projects, pages and actions').fill(text);
  await expect(dialog.getByRole('button', { name: found }).first()).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
}

test('the palette reaches every project, page and action by keyboard alone', async ({ page }) => {
  const stamp = Date.now();
  const workspace = await createWorkspace(`Palette ${stamp}`);
  const { name } = await createProject(workspace.id, `Gearbox cover ${stamp}`, {
    serialNumber: `SN-${stamp}`,
  });
  const recipe = `Cover walls ${stamp}`;
  await call('POST', `/api/v2/organizations/${workspace.organizationId}/recipeVersions`, {
    name: recipe,
    steps: [{ key: 'mesh', operation: 'createMesh' }],
  });
  await signIn(page);
  const heading = page.getByRole('heading', { level: 1 });
  await ask(page, `SN-${stamp}`, name);
  await expect(heading).toHaveText(name);
  // Results of the previous text must not be selected while the search is running.
  await page.route(/projects\?.*search=Show/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await route.continue().catch(() => undefined);
  });
  await ask(page, 'Show the exports', 'Show the exports');
  await expect(page).toHaveURL(/tab=exports/);
  // Actions in menus and on buttons of the page are offered here, too, and unavailable ones state the reason.
  await ask(page, 'archive', 'Archive the project');
  await expect(page.getByText('archived', { exact: true })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByLabel('Search projects, pages and actions').fill('Run mesh');
  const off = page.getByRole('dialog', { name: 'Search' }).getByRole('button', { name: /^Run mesh/ });
  await expect(off).toHaveAttribute('aria-disabled', 'true');
  await expect(off).toContainText(/archived/);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await ask(page, 'restore', 'Restore the project');
  await expect(page.getByText('archived', { exact: true })).toHaveCount(0);
  await ask(page, recipe, recipe);
  await expect(heading).toHaveText(new RegExp(recipe));
  await ask(page, 'run on', 'Run on a project');
  // The recipe is already chosen, so the project field has the focus.
  await expect(
    page.getByRole('dialog', { name: 'Run a recipe' }).getByRole('combobox', { name: 'Project' }),
  ).toBeFocused();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await ask(page, 'invite', 'Members and invitations');
  await expect(page.getByRole('button', { name: 'Invite', exact: true })).not.toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await ask(page, 'invite', 'Invite');
  await expect(page.getByRole('dialog', { name: 'Invite a member' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  // Actions in menus of a page, named with their object.
  await ask(page, 'New recipe', 'New recipe');
  await ask(page, 'add step', 'Add step: Mesh');
  await expect(page.getByRole('region', { name: 'Step mesh' })).toBeVisible();
  await ask(page, 'Audit log', 'Audit log');
  await expect(page).toHaveURL(/organization\?tab=audit/);
  await ask(page, 'Account and', 'Account and appearance');
  await expect(heading).toHaveText('Administrator');
  await ask(page, 'New project', 'New project');
  await expect(page.getByRole('dialog', { name: 'New project' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  // Also from inside a field.
  await page.keyboard.press('/');
  await expect(page.getByPlaceholder('Search name, part, serial')).toBeFocused();
  await page.keyboard.press('Control+k');
  await page.getByLabel('Search projects, pages and actions').fill('no such thing anywhere');
  await expect(page.getByText('No results')).toBeVisible();
});

test('an analysis that ends while the user is elsewhere is reported by the bell in every browser, with a link to it', async ({
  page,
  browser,
}) => {
  const project = await scannedProject(`Tube for the bell ${Date.now()}`);
  // An account of its own, which receives no notifications from other journeys.
  const account = { email: `bell-${Date.now()}@example.com`, password: 'a password to be told' };
  await call('POST', `/api/v2/organizations/${project.organizationId}/members`, {
    ...account,
    workspaces: [{ id: project.workspaceId, role: 'editor' }],
  });
  await signIn(page, account);
  const beside = await (await browser.newContext()).newPage();
  await signIn(beside, account);
  const findBell = (each: Page) => each.getByRole('button', { name: /^Notifications/ });
  for (const each of [page, beside]) await expect(findBell(each)).toHaveAccessibleName('Notifications');

  await page.goto(`${serviceUrl()}/projects/${project.id}?tab=data&run=createMesh`);
  // The next page loads until the analysis has ended, so that the project page is still there to receive the event.
  const ended = Promise.withResolvers<void>();
  await page.route('**/assets/_app.exports*.js', async (route) => {
    await ended.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Start mesh' }).click();
  await page.getByRole('link', { name: 'Exports', exact: true }).click();
  for (const each of [page, beside])
    await expect(findBell(each)).toHaveAccessibleName('Notifications, 1 new');
  await finished(project.id, 'createMesh');
  await expect(page.getByRole('button', { name: 'Nothing running' })).toBeVisible();
  ended.resolve();
  await expect(page.getByRole('heading', { level: 1, name: 'Exports' })).toBeVisible();
  await expect(page).toHaveURL(/\/exports$/);
  await findBell(page).click();
  await page.getByRole('link', { name: `Mesh is ready: ${project.name}` }).click();
  await expect(page.getByRole('heading', { level: 1, name: project.name })).toBeVisible();
  // Leads to the result itself, not only to the project, which would show the newest one.
  const [{ id }] = (
    await call<{ results: { id: string }[] }>('GET', `/api/v2/projects/${project.id}/operations?page_size=1`)
  ).results;
  await expect(page).toHaveURL(new RegExp(`/projects/${project.id}\\?operation=${id}`));
  await expect(
    page
      .getByRole('complementary', { name: 'Results and details' })
      .getByRole('heading', { name: /mesh/i, level: 2 }),
  ).toBeVisible();
  // Following a notification marks it as read in both browsers.
  for (const each of [page, beside]) await expect(findBell(each)).toHaveAccessibleName('Notifications');
  await beside.context().close();
});
