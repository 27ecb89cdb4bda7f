import type { Locator } from '@playwright/test';
import {
  call,
  createProject,
  createWorkspace,
  expect,
  expectAccessible,
  serviceUrl,
  storeSession,
  test,
} from './support/test.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

const measureHeight = async (part: Locator) => (await part.boundingBox())?.height ?? 0;

test('on a phone filters take one line until requested, and gates do not scroll sideways', async ({
  page,
}) => {
  const name = `Pocket ${Date.now()}`;
  const { id: workspaceId, organizationId } = await createWorkspace(name);
  const { id } = await createProject(workspaceId, name);
  await storeSession(page);

  await test.step('the list of projects', async () => {
    await page.goto(`${serviceUrl()}/projects?search=${encodeURIComponent(name)}`);
    await expect(page.getByRole('link', { name })).toBeVisible();
    const filters = page.getByRole('search').filter({ has: page.getByRole('button', { name: /^Filters/ }) });
    expect(await measureHeight(filters)).toBeLessThan(40);
    await filters.getByRole('button', { name: 'Filters', exact: true }).tap();
    await expect(filters.getByRole('combobox', { name: 'Workspace' })).toBeVisible();
    // Two per line, with the reset button below.
    expect(await measureHeight(filters)).toBeLessThan(150);
    await filters.getByRole('combobox', { name: 'State' }).tap();
    await page.getByRole('option', { name: 'Active' }).tap();
    await expect(page).toHaveURL(/state=active/);
    await filters.getByRole('button', { name: 'Filters (1)' }).tap();
    await expect(filters.getByRole('combobox', { name: 'Workspace' })).toBeHidden();
    await expectAccessible(page);
  });

  await test.step('the tab opened by a link is visible, and the end fades where there are more', async () => {
    await page.goto(`${serviceUrl()}/projects/${id}?tab=bookmarks`);
    const tab = page.getByRole('tab', { name: /^Bookmarks/ });
    await expect(tab).toHaveAttribute('aria-selected', 'true');
    const list = page.getByRole('tablist');
    await expect(list).toHaveCSS('mask-image', /linear-gradient/);
    await expect(tab).toHaveText('Bookmarks0');
    // In front of the faded part.
    const room = async () => {
      const [within, own] = [await list.boundingBox(), await tab.boundingBox()];
      return (within?.x ?? 0) + (within?.width ?? 0) - (own?.x ?? 0) - (own?.width ?? 0);
    };
    await expect.poll(room).toBeGreaterThanOrEqual(31);
    const overview = page.getByRole('tab', { name: 'Overview' });
    await expect(overview).not.toBeInViewport({ ratio: 1 });
    await tab.focus();
    await page.keyboard.press('Home');
    await expect(overview).toBeInViewport({ ratio: 1 });
    await page.goto(`${serviceUrl()}/projects?search=${encodeURIComponent(name)}`);
  });

  await test.step('all actions on selected projects are visible', async () => {
    await page.getByRole('checkbox', { name: new RegExp(name) }).check();
    const actions = page.getByRole('region', { name: 'Selection' }).getByRole('button');
    await expect(actions.filter({ hasText: 'Delete' })).toBeVisible();
    for (const action of await actions.all()) await expect(action).toBeInViewport({ ratio: 1 });
  });

  await test.step('the gates of a recipe', async () => {
    const { recipePk } = await call<{ recipePk: string }>(
      'POST',
      `/api/v2/organizations/${organizationId}/recipeVersions`,
      {
        name,
        steps: [
          { key: 'mesh', operation: 'createMesh' },
          {
            key: 'thickness',
            operation: 'runWallThickness',
            parameters: { minThicknessMm: 1.5 },
            needs: ['mesh'],
          },
        ],
        gates: [
          {
            key: 'leastWallOfTheHousing',
            measure: 'thickness.meanMm',
            comparison: '>=',
            limit: 1.5,
            unit: 'mm',
            guardBand: 0.1,
          },
          {
            key: 'solid',
            measure: 'mesh.volumeMm3',
            comparison: '<=',
            limit: 123_456.789,
            unit: 'mm³',
            guardBand: 0,
          },
        ],
      },
    );
    await page.goto(`${serviceUrl()}/recipes/${recipePk}`);
    const gates = page.getByRole('table', { name: 'Gates of the recipe' });
    await expect(gates).toBeVisible();
    const runsOff = await gates.evaluate((table) => {
      const wide = (part: Element | null): number =>
        part === null || part === document.body
          ? 0
          : Math.max(part.scrollWidth - part.clientWidth, wide(part.parentElement));
      return wide(table);
    });
    expect(runsOff).toBeLessThanOrEqual(1);
  });
});
