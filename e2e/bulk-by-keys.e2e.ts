import type { Locator, Page } from '@playwright/test';
import {
  call,
  createProject,
  createWorkspace,
  expect,
  serviceUrl,
  storeSession,
  test,
} from './support/test.ts';

const selection = (page: Page) => page.getByRole('region', { name: 'Selection' });

async function selectAll(page: Page) {
  await page.getByLabel('Select all on this page').focus();
  await page.keyboard.press('Space');
  await expect(selection(page)).toContainText('3 selected');
}

/** A list of workspaces can be filtered by typing when it has more than eight. */
async function createWorkspacesUpTo(count: number, name: string) {
  const me = await call<{ organizations: { workspaces: unknown[] }[] }>('GET', '/api/v2/me');
  for (let has = me.organizations[0].workspaces.length; has < count; has++)
    await createWorkspace(`${name} ${has}`);
}

async function openByKeys(page: Page, name: string): Promise<{ button: Locator; dialog: Locator }> {
  const button = selection(page).getByRole('button', { name, exact: true });
  await button.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await expect(dialog.locator(':focus')).toHaveCount(1);
  return { button, dialog };
}

test('bulk requests are opened, cancelled and sent by keyboard alone', async ({ page }) => {
  const stamp = Date.now();
  const workspace = await createWorkspace(`By keys ${stamp}`);
  const elsewhere = await createWorkspace(`Elsewhere ${stamp}`);
  await createWorkspacesUpTo(10, `Beside ${stamp}`);
  for (const part of [1, 2, 3]) await createProject(workspace.id, `Keyed part ${stamp} ${part}`);
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects?workspace=${workspace.id}&state=active`);
  await expect(page.getByRole('row')).toHaveCount(4);
  await selectAll(page);

  for (const name of ['Results…', 'Tag…', 'Untag…', 'Move…', 'Copy…', 'Archive', 'Delete'])
    await test.step(`Escape leaves “${name}” unchanged: the selection and the keyboard cursor stay`, async () => {
      const { button, dialog } = await openByKeys(page, name);
      await page.keyboard.press('Escape');
      await expect(dialog).toHaveCount(0);
      await expect(button).toBeFocused();
      await expect(selection(page)).toContainText('3 selected');
    });

  await test.step('for a recipe, Escape closes the list first, then the dialog', async () => {
    const { button, dialog } = await openByKeys(page, 'Run recipe…');
    await expect(dialog.getByRole('combobox', { name: 'Recipe' })).toBeFocused();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(button).toBeFocused();
    await expect(selection(page)).toContainText('3 selected');
  });

  await test.step('tags are typed and sent', async () => {
    const { dialog } = await openByKeys(page, 'Tag…');
    await page.keyboard.type('keyed');
    await page.keyboard.press('Control+Enter');
    await expect(dialog).toHaveCount(0);
    await expect(page.getByText('3 projects tagged')).toBeVisible();
  });

  await test.step('a destination is chosen, and copies are created there', async () => {
    await selectAll(page);
    const { dialog } = await openByKeys(page, 'Copy…');
    const place = dialog.getByRole('combobox', { name: 'Copy to' });
    const option = page.getByRole('option', { name: `Elsewhere ${stamp}` });
    // Typed, because parallel journeys add workspaces to the list between two keys.
    await page.keyboard.type(`Elsewhere ${stamp}`);
    await expect(page.getByRole('option')).toHaveCount(1);
    await page.keyboard.press('ArrowDown');
    const id = await option.getAttribute('id');
    await expect(place).toHaveAttribute('aria-activedescendant', id ?? 'an option without id');
    await page.keyboard.press('Enter');
    await expect(place).toHaveValue(`Elsewhere ${stamp}`);
    await expect(dialog).toContainText('3 projects will be copied');
    await page.keyboard.press('Control+Enter');
    await expect(dialog).toHaveCount(0);
    await expect(page.getByText('3 projects copied')).toBeVisible();
    await page.goto(`${serviceUrl()}/projects?workspace=${elsewhere.id}`);
    await expect(page.getByRole('row')).toHaveCount(4);
  });

  await test.step('they are deleted by Enter alone', async () => {
    await selectAll(page);
    const { dialog } = await openByKeys(page, 'Delete');
    await expect(dialog.getByRole('button', { name: 'Delete 3 projects' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(dialog).toHaveCount(0);
    await expect(page.getByText('3 projects moved to the trash')).toBeVisible();
  });
});
