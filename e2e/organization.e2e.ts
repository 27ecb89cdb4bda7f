import { call, createWorkspace, expect, follow, serviceUrl, storeSession, test } from './support/test.ts';

/** A user with an organization of their own, so that changes do not affect parallel journeys. */
async function newManager() {
  const shared = await createWorkspace(`Guests ${Date.now()}`);
  const account = { email: `manager-${Date.now()}@example.com`, password: 'a password of the manager' };
  await call('POST', `/api/v2/organizations/${shared.organizationId}/members`, {
    ...account,
    workspaces: [{ id: shared.id, role: 'viewer' }],
  });
  // The first sign-in creates the account.
  const { token } = await call<{ token: string }>('POST', '/api/login', account);
  const name = `Foundry ${Date.now()}`;
  const { id } = await call<{ id: string }>('POST', '/api/v2/organizations', { name }, token);
  const create = <Answer = { id: string }>(path: string, body: unknown) =>
    call<Answer>('POST', path, body, token);
  const newWorkspace = (title: string) => create(`/api/v2/organizations/${id}/workspaces`, { name: title });
  return { account, token, id, name, create, newWorkspace };
}

test('a manager renames the organization, and creates, renames and removes a workspace', async ({ page }) => {
  const stamp = Date.now();
  const manager = await newManager();
  await storeSession(page, manager.account);
  await page.goto(`${serviceUrl()}/organization?tab=workspaces&organization=${manager.id}`);
  const heading = page.getByRole('heading', { level: 1 });
  await expect(page.getByText(/projects? · .* stored/)).toBeVisible();
  const rename = async (name: string) => {
    await page.getByRole('button', { name: 'Rename the organization' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename the organization' });
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByRole('button', { name: 'Rename', exact: true }).click();
    await expect(heading).toContainText(name);
  };
  await rename(`Forge ${stamp}`);

  const row = (name: string) => page.getByRole('table', { name: 'Workspaces' }).getByRole('row', { name });
  await page.getByRole('button', { name: 'New workspace' }).click();
  await page.getByRole('dialog', { name: 'New workspace' }).getByLabel('Name').fill(`Bay ${stamp}`);
  await page.getByRole('button', { name: 'Create workspace' }).click();
  await expect(row(`Bay ${stamp}`)).toContainText('0 projects');
  await page.getByRole('button', { name: `Rename Bay ${stamp}` }).click();
  await page.getByRole('dialog', { name: 'Rename the workspace' }).getByLabel('Name').fill(`Hall ${stamp}`);
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await expect(row(`Hall ${stamp}`)).toBeVisible();
  await page.getByRole('button', { name: `Remove Hall ${stamp}` }).click();
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.getByRole('button', { name: 'Remove the workspace' }).click();
  await expect(row(`Hall ${stamp}`)).toHaveCount(0);
  // A workspace with projects can't be removed, and the reason is shown.
  const full = await manager.newWorkspace(`Full ${stamp}`);
  await manager.create('/api/v2/projects', { workspaceId: full.id, name: `Part ${stamp}` });
  await page.reload();
  await page.getByRole('button', { name: `Remove Full ${stamp}` }).hover({ force: true });
  await expect(page.getByText('It still holds projects: move them first')).toBeVisible();
});

test('a disabled module makes its analyses unavailable, with the reason, until it is enabled', async ({
  page,
}) => {
  const manager = await newManager();
  const workspace = await manager.newWorkspace('Modules');
  const { id } = await manager.create('/api/v2/projects', { workspaceId: workspace.id, name: 'Part' });
  await storeSession(page, manager.account);
  const address = `/organization?tab=modules&organization=${manager.id}`;
  await page.goto(serviceUrl() + address);
  const modules = page.getByRole('table', { name: 'Analysis modules' });
  const row = modules.getByRole('row').filter({ hasText: 'Auto-alignment' });
  const toggle = row.getByRole('switch');
  await expect(toggle).toBeChecked();
  const reasonNow = async () => {
    const { capabilities } = await call<{
      capabilities: { action: string; reason: string | null }[];
    }>('GET', `/api/v2/projects/${id}`, undefined, manager.token);
    return capabilities.find(({ action }) => action === 'runAutoAlignLite')?.reason ?? null;
  };
  await toggle.click({ force: true });
  await expect(toggle).not.toBeChecked();
  await expect.poll(reasonNow).toMatch(/is off for this organization/);
  await follow(page, `/projects/${id}?run=runAutoAlignLite`);
  await expect(page.getByText(/is off for this organization/).first()).toBeVisible();
  await follow(page, address);
  await expect(toggle).not.toBeChecked();
  await toggle.click({ force: true });
  await expect(toggle).toBeChecked();
  await expect.poll(reasonNow).not.toMatch(/is off/);
});

test('a manager sets who may release recipes, and the setting survives a reload', async ({ page }) => {
  const manager = await newManager();
  await storeSession(page, manager.account);
  await page.goto(`${serviceUrl()}/organization?tab=recipes&organization=${manager.id}`);
  const rule = page.getByRole('combobox', { name: 'Recipes are released by' });
  const choose = async (words: string) => {
    await rule.click();
    await page.getByRole('option', { name: words, exact: true }).click();
    await expect(rule).toHaveValue(words);
    await expect(async () => {
      await page.reload();
      await expect(rule).toHaveValue(words, { timeout: 5_000 });
    }).toPass();
  };
  await choose('Managers and editors');
  await choose('Managers');
  await expect(page.getByRole('switch', { name: 'Not by the author' })).not.toBeChecked();
});

test('an access token is created with scope and expiry, permits only that, and is revoked', async ({
  page,
}) => {
  const name = `Press line ${Date.now()}`;
  const workspace = await createWorkspace(`Tokens ${Date.now()}`);
  await storeSession(page);
  await page.goto(`${serviceUrl()}/account`);
  await page.getByRole('button', { name: 'New access token' }).click();
  const dialog = page.getByRole('dialog', { name: 'New access token' });
  await dialog.getByLabel('Name').fill(name);
  const created = page.waitForResponse((answer) => answer.url().endsWith('/api/v2/accessTokens'));
  await dialog.getByRole('button', { name: 'Create token' }).click();
  const { token } = (await (await created).json()) as { token: string };
  await expect(dialog.getByText(token)).toBeVisible();
  await dialog.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('table', { name: 'Access tokens' }).getByRole('row').filter({ hasText: name });
  await expect(row).toContainText('read');
  await expect(row).toContainText('never');
  await expect(row).toContainText(/in [23] mo/);

  const ask = async (method: string, path: string, body?: unknown) =>
    (
      await fetch(serviceUrl() + path, {
        method,
        headers: { Authorization: `Token ${token}`, 'Content-Type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
      })
    ).status;
  expect(await ask('GET', '/api/v2/projects')).toBe(200);
  expect(await ask('POST', '/api/v2/projects', { workspaceId: workspace.id, name: 'x' })).toBe(403);
  await page.reload();
  await expect(row).not.toContainText('never');

  await row.getByRole('button', { name: `Revoke ${name}` }).click();
  const sure = page.getByRole('dialog', { name: `Revoke “${name}”?` });
  await sure.getByRole('textbox').fill(name);
  await sure.getByRole('button', { name: 'Revoke the token' }).click();
  await expect(row).toHaveCount(0);
  expect(await ask('GET', '/api/v2/projects')).toBe(401);
});
