import { plainView } from './support/one-of-each.ts';
import {
  call,
  createProject,
  createWorkspace,
  expect,
  serviceUrl,
  storeSession,
  test,
} from './support/test.ts';

test('the filters of lists are in the address, and rows can be moved through by keys', async ({
  page,
  browser,
}) => {
  const stamp = Date.now();
  const workspace = await createWorkspace(`Narrow ${stamp}`);
  const organization = `/api/v2/organizations/${workspace.organizationId}`;
  const invited = [`first-${stamp}@example.com`, `second-${stamp}@example.com`];
  for (const email of invited) await call('POST', `${organization}/invitations`, { email });
  const colleague = { email: `colleague-${stamp}@example.com`, password: 'a password of the colleague' };
  const roles = [{ id: workspace.id, role: 'editor' }];
  await call('POST', `${organization}/members`, { ...colleague, workspaces: roles });
  // A user becomes a member at the first sign-in.
  await call('POST', '/api/login', colleague);
  const step = { key: 'mesh', operation: 'createMesh' };
  const recipe = { name: `Recipe ${stamp}`, steps: [step], gates: [] };
  const { recipePk } = await call<{ recipePk: string }>('POST', `${organization}/recipeVersions`, recipe);
  await call('POST', `${organization}/recipeVersions`, { ...recipe, recipePk, description: 'Once more.' });
  for (const name of ['Press line', 'Archive robot', 'Shift report', 'Dashboard', 'Nightly', 'Trial'])
    await call('POST', '/api/v2/accessTokens', { name: `${name} ${stamp}`, scope: 'read' });
  await storeSession(page);
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
    await expect(page.getByText(`No member matches “second-${stamp}”`)).toBeVisible();
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect(page).toHaveURL(/\/organization$/);
    await expect(rows('Open invitations').filter({ hasText: invited[0] })).toBeVisible();
    // From the members into the invitations below, which continue their keys.
    await page.getByLabel('Search members').fill(`-${stamp}@`);
    await expect(rows('Members')).toHaveCount(1);
    await expect(rows('Open invitations')).toHaveCount(2);
    await page.getByLabel('Search members').blur();
    await page.keyboard.press('j');
    await expect(marked).toContainText(colleague.email);
    await page.keyboard.press('j');
    await expect(marked).toContainText(/(first|second)-\d+@example\.com/);
    await page.keyboard.press('Enter');
    await expect(marked.getByRole('button')).toBeFocused();
  });

  await test.step('workspaces, also found by a number', async () => {
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

  await test.step('notifications, of an account that receives no others', async () => {
    const { token } = await call<{ token: string }>('POST', '/api/login', colleague);
    const project = await createProject(workspace.id, `Commented ${stamp}`);
    const name = `Rim ${stamp}`;
    const bookmark = await call<{ id: string }>(
      'POST',
      '/api/v2/bookmarks',
      { projectId: project.id, name, viewState: { ...plainView, meshId: null } },
      token,
    );
    await call('POST', '/api/v2/notifications/read', {}, token);
    await call('POST', `/api/v2/bookmarks/${bookmark.id}/comments`, { text: 'Ground.' });
    const theirs = await (await browser.newContext()).newPage();
    await storeSession(theirs, colleague);
    await theirs.goto(`${serviceUrl()}/notifications`);
    await theirs.getByLabel('Unread only').click();
    await expect(theirs).toHaveURL(/\?unread=true$/);
    const told = theirs.getByRole('table', { name: 'Notifications' }).locator('tbody tr');
    await expect(told).toHaveCount(1);
    await expect(told).toContainText(name);
    await theirs.keyboard.press('j');
    await expect(theirs.locator('tbody tr[data-cursor]')).toContainText(name);
    await theirs.keyboard.press('Enter');
    await expect(theirs).toHaveURL(new RegExp(`/projects/${project.id}\\?bookmark=${bookmark.id}`));
    await theirs.goBack();
    await expect(theirs.getByRole('heading', { name: 'Nothing new' })).toBeVisible();
    await theirs.getByRole('button', { name: 'Show all' }).click();
    await expect(told.filter({ hasText: name })).toHaveCount(1);
    await theirs.context().close();
  });
});
