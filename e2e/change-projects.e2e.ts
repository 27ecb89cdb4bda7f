import type { Page } from '@playwright/test';
import {
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

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const act = async (page: Page, name: string, action: string) => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: new RegExp(`^${action}`) }).click();
};
/**
 * The Undo button in the toast about this action: older toasts may still be visible, and the new one may not have
 * appeared yet.
 */
const undo = async (page: Page, done: RegExp) => {
  const toast = page.getByRole('alert').filter({ hasText: done }).last();
  await toast.getByRole('button', { name: 'Undo' }).click();
};

test.use({ allowedConsoleErrors: [/ERR_FAILED.*\/(copy|move)$/] });

/** With the service unreachable, the dialog shows the error and keeps the input; the next attempt succeeds. */
async function isSaidAndRetried(page: Page, verb: 'Copy' | 'Move') {
  const dialog = page.getByRole('dialog');
  const address = new RegExp(`/${verb.toLowerCase()}$`);
  await page.route(address, (route) => route.abort());
  await dialog.getByRole('button', { name: verb, exact: true }).click();
  await expect(dialog.getByRole('alert')).toBeVisible();
  await page.unroute(address);
  await dialog.getByRole('button', { name: verb, exact: true }).click();
}

async function twoWorkspaces(page: Page) {
  const mark = String(Date.now());
  const from = await createWorkspace(`Cell A ${mark}`);
  const to = await createWorkspace(`Cell B ${mark}`);
  const name = `Part ${mark}`;
  const project = await createProject(from.id, name, { tags: ['first'] });
  await createProject(from.id, `Other ${mark}`);
  await storeSession(page);
  const open = (workspaceId: string) => page.goto(`${serviceUrl()}/projects?workspace=${workspaceId}`);
  await open(from.id);
  await expect(row(page, name)).toHaveCount(1);
  return { from, to, toName: `Cell B ${mark}`, name, project, open };
}
const readProject = (id: string) =>
  call<{ workspaceId: string; state: string; name: string; tags: string[] }>('GET', `/api/v2/projects/${id}`);

test('a project is copied to another workspace from the table', async ({ page }) => {
  const { to, toName, name, project, open } = await twoWorkspaces(page);
  await act(page, name, 'Copy…');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Copy to' }).click();
  await page.getByRole('option', { name: toName }).click();
  await dialog.getByLabel('Name of the copy').fill(`${name} for cell B`);
  await expectAccessible(page);
  await isSaidAndRetried(page, 'Copy');
  await expect(page.getByText(`“${name}” copied`)).toBeVisible();
  await expect(dialog).toHaveCount(0);
  await expect(row(page, name)).toHaveCount(1);
  await open(to.id);
  await expect(row(page, `${name} for cell B`)).toContainText('first');
  expect((await readProject(project.id)).workspaceId).not.toBe(to.id);
});

test('a project is moved from the table, and back by Undo', async ({ page }) => {
  const { from, to, toName, name, project, open } = await twoWorkspaces(page);
  const move = async () => {
    await act(page, name, 'Move…');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Move to' }).click();
    await page.getByRole('option', { name: toName }).click();
    await dialog.getByRole('button', { name: 'Move', exact: true }).click();
    await expect(row(page, name)).toHaveCount(0);
  };
  await move();
  await expect(page.getByText(`“${name}” moved`)).toBeVisible();
  expect((await readProject(project.id)).workspaceId).toBe(to.id);
  await undo(page, /moved/);
  await expect(row(page, name)).toHaveCount(1);
  await expect.poll(async () => (await readProject(project.id)).workspaceId).toBe(from.id);

  await move();
  await open(to.id);
  await expect(row(page, name)).toHaveCount(1);
});

test('a project is archived and restored, deleted and restored from the trash', async ({ page }) => {
  const { from, name, project, open } = await twoWorkspaces(page);
  await act(page, name, 'Archive');
  await expect(row(page, name)).toContainText('Archived');
  await act(page, name, 'Restore');
  await expect(row(page, name)).not.toContainText('Archived');

  await act(page, name, 'Delete');
  await expect(row(page, name)).toHaveCount(0);
  await undo(page, /moved to the trash/);
  await expect(row(page, name)).toHaveCount(1);
  await expect.poll(async () => (await readProject(project.id)).state).toBe('active');

  await act(page, name, 'Delete');
  await expect(row(page, name)).toHaveCount(0);
  await follow(page, `/projects?workspace=${from.id}&state=deleted`);
  await expect(page.getByRole('heading', { name: 'Projects in the trash' })).toBeVisible();
  await act(page, name, 'Restore');
  await expect(row(page, name)).toHaveCount(0);
  await open(from.id);
  await expect(row(page, name)).toHaveCount(1);
});

test('tags are added from the row, and removed by Undo', async ({ page }) => {
  const { name, project } = await twoWorkspaces(page);
  await act(page, name, 'Add tags…');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Tags', { exact: true }).fill('second');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Add tags' }).click();
  await expect(row(page, name)).toContainText('second');
  await undo(page, /tagged/);
  await expect(row(page, name)).not.toContainText('second');
  await expect.poll(async () => (await readProject(project.id)).tags).toEqual(['first']);
});

test('a project is moved from its own page, moved back by Undo, and copied', async ({ page }) => {
  const { from, to, toName, name, project } = await twoWorkspaces(page);
  await follow(page, `/projects/${project.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Move…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Move to' }).click();
  await page.getByRole('option', { name: toName }).click();
  await isSaidAndRetried(page, 'Move');
  await expect(page.getByText(`“${name}” moved`)).toBeVisible();
  expect((await readProject(project.id)).workspaceId).toBe(to.id);
  await undo(page, /moved/);
  await expect.poll(async () => (await readProject(project.id)).workspaceId).toBe(from.id);

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Copy…' }).click();
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect(page.getByText(`“${name}” copied`)).toBeVisible();
  await expect(page).not.toHaveURL(new RegExp(project.id));
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toContainText(`${name} (copy)`);
});
