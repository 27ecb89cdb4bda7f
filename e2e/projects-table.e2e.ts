import type { Page } from '@playwright/test';
import {
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

/** Creates a workspace with the given number of projects, and opens its list. */
async function openWorkspace(page: Page, count: number) {
  const mark = `${Date.now()}`;
  const workspace = await createWorkspace(`Table ${mark}`);
  const create = (index: number) =>
    createProject(workspace.id, `Part ${mark} ${String(index).padStart(3, '0')}`, {
      partNumber: `H-${index % 3}`,
      tags: index % 2 === 0 ? ['even'] : ['odd'],
    });
  await Promise.all(Array.from({ length: count }, (_, index) => create(index)));
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects?workspace=${workspace.id}&ordering=name&size=25`);
  await expect(page.getByRole('row')).toHaveCount(Math.min(count, 25) + 1);
  return { workspace, mark, name: (index: number) => `Part ${mark} ${String(index).padStart(3, '0')}` };
}

for (const scheme of ['light', 'dark'] as const)
  test(`the table, its menus and its dialogs are accessible in the ${scheme} theme`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    const { name } = await openWorkspace(page, 3);
    await expectAccessible(page);
    await page.getByLabel(`Select ${name(0)}`).check();
    await expect(page.getByRole('region', { name: 'Selection' })).toBeVisible();
    await page.getByRole('button', { name: `Actions for ${name(1)}` }).click();
    await expect(page.getByRole('menuitem', { name: 'Archive' })).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New project' }).click();
    await page.getByRole('button', { name: 'Create project' }).click();
    await expect(page.getByText('A name of 1 to 200 characters')).toBeVisible();
    await expectAccessible(page);
  });

test('every touch target in the table is at least 24 px high and wide', async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 1024, height: 768 }, hasTouch: true });
  const page = await context.newPage();
  const { name } = await openWorkspace(page, 2);
  await expect(page.getByRole('link', { name: name(0) })).toBeVisible();
  const sizes = await page.getByRole('table').evaluate((table) =>
    [...table.querySelectorAll('a, button, input')]
      .filter((pressed) => pressed.checkVisibility())
      .map((pressed) => {
        const { width, height } = pressed.getBoundingClientRect();
        return { what: pressed.ariaLabel ?? pressed.textContent, width, height };
      }),
  );
  // For each row its check box, its name and its menu.
  expect(sizes.length).toBeGreaterThan(6);
  expect(sizes.filter(({ width, height }) => Math.min(width, height) < 24)).toEqual([]);
  await context.close();
});

test('names are fully visible at every width of the window', async ({ page }) => {
  const { mark, name } = await openWorkspace(page, 1);
  // With all workspaces, because then the table has all of its columns.
  await follow(page, `/projects?search=${mark}`);
  const link = page.getByRole('link', { name: name(0) });
  for (let width = 1280; width <= 1920; width += 40) {
    await page.setViewportSize({ width, height: 900 });
    await expect(link, `${width} px`).toBeVisible();
    await expect
      .poll(() => link.evaluate((cell) => cell.scrollWidth <= cell.clientWidth), `${width} px`)
      .toBe(true);
  }
});

test('search, filters and order are in the address, and Back undoes a step', async ({ page }) => {
  const { name } = await openWorkspace(page, 4);
  await page.keyboard.press('/');
  // Inserted at once: on a slow machine a pause between two letters would trigger a search, and add a step to the
  // history.
  await page.keyboard.insertText(name(2));
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(page).toHaveURL(/search=Part\+/);
  await page.goBack();
  await expect(page.getByRole('row')).toHaveCount(5);
  await expect(page.getByRole('textbox', { name: /Search projects/ })).toHaveValue('');

  await row(page, name(1)).getByRole('button', { name: 'odd' }).click();
  await expect(page.getByRole('row')).toHaveCount(3);
  await expect(page).toHaveURL(/tag=odd/);
  await page.getByRole('button', { name: 'Name' }).click();
  await expect(page).toHaveURL(/ordering=-name/);
  await expect(page.getByRole('row').nth(1)).toContainText(name(3));
  await page.reload();
  await expect(page.getByRole('row').nth(1)).toContainText(name(3));
  await expect(page.getByRole('row')).toHaveCount(3);
});

test('a project is created, renamed, tagged and opened', async ({ page }) => {
  const { name } = await openWorkspace(page, 1);
  await page.getByRole('button', { name: `Actions for ${name(0)}` }).click();
  await page.getByRole('menuitem', { name: 'Rename and edit…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill(`${name(0)} renamed`);
  await dialog.getByLabel('Tags', { exact: true }).fill('checked');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(row(page, `${name(0)} renamed`)).toContainText('checked');

  await page.getByRole('button', { name: 'New project' }).click();
  // A missing field takes the focus, wherever the form was submitted from.
  await dialog.getByLabel('Description').focus();
  await page.keyboard.press('Control+Enter');
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await dialog.getByRole('textbox', { name: 'Name' }).fill(`${name(0)} second`);
  await dialog.getByRole('button', { name: 'Create project' }).click();
  await expect(page).toHaveURL(/\/projects\/[0-9a-f-]{36}/);
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toContainText(`${name(0)} second`);
});

test('archive, delete and tags can be undone', async ({ page }) => {
  const { name } = await openWorkspace(page, 2);
  await page.getByLabel(`Select ${name(0)}`).check();
  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  await expect(page.getByText(`“${name(0)}” archived`)).toBeVisible();
  await expect(row(page, name(0))).toContainText('Archived');
  const undo = (done: RegExp) =>
    page.getByRole('alert').filter({ hasText: done }).getByRole('button', { name: 'Undo' }).click();
  await undo(/archived/);
  await expect(row(page, name(0))).not.toContainText('Archived');

  await page.getByRole('button', { name: `Actions for ${name(1)}` }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(row(page, name(1))).toHaveCount(0);
  await undo(/trash/);
  await expect(row(page, name(1))).toHaveCount(1);
});

test('a selection survives paging, and all results of the filters can be tagged at once', async ({
  page,
}) => {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/')) asked.push(pathname.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'id'));
  });
  const { name } = await openWorkspace(page, 30);
  // None of the 25 rows makes a request of its own.
  const often = Object.entries(Object.groupBy(asked, (path) => path)).filter(
    ([, all]) => (all?.length ?? 0) > 4,
  );
  expect(often).toEqual([]);
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  const selection = page.getByRole('region', { name: 'Selection' });
  await expect(selection).toContainText('2 selected of 30');
  await page.getByRole('button', { name: 'Page 2' }).click();
  await expect(page.getByRole('row')).toHaveCount(6);
  await expect(selection).toContainText('2 selected of 30');
  // The selection is in the address: it survives a reload, and the way back from a project.
  await page.reload();
  await expect(selection).toContainText('2 selected of 30');
  await page.getByLabel(`Select ${name(27)}`).check();
  await row(page, name(28))
    .getByRole('link', { name: name(28) })
    .click();
  await expect(page.getByRole('heading', { level: 1, name: name(28) })).toBeVisible();
  await page.goBack();
  await expect(selection).toContainText('3 selected of 30');
  await expect(page.getByLabel(`Select ${name(27)}`)).toBeChecked();
  await page.goBack();
  await expect(selection).toContainText('2 selected of 30');
  await expect(page.getByLabel(`Select ${name(0)}`)).toBeChecked();

  await page.getByRole('button', { name: 'Select all 30' }).click();
  await expect(page).toHaveURL(/selected=all/);
  await expect(selection).toContainText('30 selected of 30');
  await page.getByRole('button', { name: 'Page 2' }).click();
  await page.getByLabel(`Select ${name(29)}`).uncheck();
  await expect(selection).toContainText('29 selected of 30');
  await page.reload();
  await expect(selection).toContainText('29 selected of 30');
  await expect(page.getByLabel(`Select ${name(29)}`)).not.toBeChecked();
  // Until the ids of those 29 are known, no action can be sent; input meanwhile is not lost.
  const found = Promise.withResolvers<void>();
  await page.route('**/api/v2/projectIds?*', async (route) => {
    await found.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Tag…', exact: true }).click();
  await page.getByRole('dialog').getByLabel('Tags', { exact: true }).fill('whole-lot');
  await page.keyboard.press('Enter');
  const add = page.getByRole('button', { name: 'Add tags' });
  await expect(add).toBeDisabled();
  found.resolve();
  await add.click();
  await expect(page.getByText('29 projects tagged')).toBeVisible();
  await page.unroute('**/api/v2/projectIds?*');
  await follow(page, `/projects?tag=whole-lot&search=${encodeURIComponent(name(0).slice(0, -4))}`);
  await expect(page.getByText('29', { exact: true }).first()).toBeVisible();
});

test.describe('an address that is out of date', () => {
  test.use({ allowedConsoleErrors: [/404/] });

  test('an empty result says so and offers to clear the filters, and a page that no longer exists leads to the first', async ({
    page,
  }) => {
    const { workspace, name } = await openWorkspace(page, 1);
    await follow(page, `/projects?workspace=${workspace.id}&search=no-such-part`);
    await expect(page.getByRole('heading', { name: 'No projects match' })).toBeVisible();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await expect(page).not.toHaveURL(/search=/);
    await follow(page, `/projects?workspace=${workspace.id}&page=9`);
    await expect(row(page, name(0))).toHaveCount(1);
    await expect(page).not.toHaveURL(/page=/);
  });
});
