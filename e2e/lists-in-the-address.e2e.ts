import { call, createProject, createWorkspace, expect, serviceUrl, signIn, test } from './support/test.ts';

test('what a list is narrowed to stands in the address, and its rows are gone through by keys', async ({
  page,
}) => {
  const stamp = Date.now();
  const workspace = await createWorkspace(`Narrow ${stamp}`);
  const organization = `/api/v2/organizations/${workspace.organizationId}`;
  const invited = [`first-${stamp}@example.com`, `second-${stamp}@example.com`];
  for (const email of invited) await call('POST', `${organization}/invitations`, { email });
  const step = { key: 'mesh', operation: 'createMesh' };
  const recipe = { name: `Recipe ${stamp}`, steps: [step], gates: [] };
  const { recipePk } = await call<{ recipePk: string }>('POST', `${organization}/recipeVersions`, recipe);
  await call('POST', `${organization}/recipeVersions`, { ...recipe, recipePk, description: 'Once more.' });
  for (const name of ['Press line', 'Archive robot', 'Shift report', 'Dashboard', 'Nightly', 'Trial'])
    await call('POST', '/api/v2/accessTokens', { name: `${name} ${stamp}`, scope: 'read' });
  await signIn(page);
  const open = (path: string) => page.goto(serviceUrl() + path);
  const rows = (caption: string) => page.getByRole('table', { name: caption }).locator('tbody tr');
  const marked = page.locator('tbody tr[data-cursor]');

  await test.step('members and invitations', async () => {
    await open('/organization');
    await expect(rows('Open invitations').filter({ hasText: invited[1] })).toBeVisible();
    await page.getByLabel('Search members').fill(`second-${stamp}`);
    await expect(page).toHaveURL(/\/organization\?search=second-/);
    await expect(rows('Open invitations')).toHaveCount(1);
    await page.reload();
    await expect(page.getByLabel('Search members')).toHaveValue(`second-${stamp}`);
    await expect(rows('Open invitations')).toHaveCount(1);
    await expect(page.getByText(`No member matches “second-${stamp}”.`)).toBeVisible();
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect(page).toHaveURL(/\/organization$/);
    const first = rows('Open invitations').filter({ hasText: invited[0] });
    await expect(first).toBeVisible();
    // From the members into the invitations below them, which have no keys of their own.
    await page.keyboard.press('k');
    await expect(marked).toHaveText(/@example\.com/);
    await page.keyboard.press('Enter');
    await expect(marked.getByRole('button')).toBeFocused();
  });

  await test.step('workspaces, found by a number too', async () => {
    await open(`/organization?tab=workspaces&search=${stamp}`);
    await expect(rows('Workspaces')).toHaveCount(1);
    await page.getByLabel('Search workspaces').fill('');
    await expect(page).toHaveURL(/\?tab=workspaces$/);
    await expect(rows('Workspaces')).not.toHaveCount(1);
  });

  await test.step('access tokens', async () => {
    await open('/account');
    await page.getByLabel('Search access tokens').fill(`robot ${stamp}`);
    await expect(page).toHaveURL(/\/account\?token=robot/);
    await expect(rows('Access tokens')).toHaveCount(1);
    await page.keyboard.press('Escape');
    await page.getByLabel('Search access tokens').blur();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: `Revoke Archive robot ${stamp}` })).toBeFocused();
  });

  await test.step('versions of a recipe', async () => {
    await open(`/recipes/${recipePk}`);
    await expect(page.getByText('version 2, the newest')).toBeVisible();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await expect(marked).toContainText('Version 1');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\?version=/);
    await expect(page.getByText('version 2, the newest')).toHaveCount(0);
  });

  await test.step('notifications', async () => {
    const project = await createProject(workspace.id, `Commented ${stamp}`);
    const name = `Rim ${stamp}`;
    const bookmark = await call<{ id: string }>('POST', '/api/v2/bookmarks', {
      projectId: project.id,
      name,
      viewState: {
        v: 1,
        volumeId: null,
        meshId: null,
        layout: '3d',
        camera: null,
        cursorMm: null,
        planes: null,
        window: null,
        surface: { visible: true, opacity: 1, scalar: null, map: 'viridis', range: null },
        clip: null,
      },
    });
    const colleague = { email: `colleague-${stamp}@example.com`, password: 'a password of the colleague' };
    const roles = [{ id: workspace.id, role: 'editor' }];
    await call('POST', `${organization}/members`, { ...colleague, workspaces: roles });
    await call('POST', '/api/v2/notifications/read', {});
    const { token } = await call<{ token: string }>('POST', '/api/login', colleague);
    await call('POST', `/api/v2/bookmarks/${bookmark.id}/comments`, { text: 'Ground.' }, token);
    await open('/notifications');
    await page.getByLabel('Only new ones').click();
    await expect(page).toHaveURL(/\?unread=true$/);
    const told = rows('Notifications').filter({ hasText: name });
    await expect(told).toHaveCount(1);
    await page.keyboard.press('j');
    await expect(marked).toContainText(name);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(new RegExp(`/projects/${project.id}\\?bookmark=${bookmark.id}`));
    await page.goBack();
    await expect(page.getByRole('heading', { name: 'Nothing new' })).toBeVisible();
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect(told).toHaveCount(1);
  });
});
