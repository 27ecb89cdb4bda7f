import { administrator } from './support/service.ts';
import {
  createProject,
  createWorkspace,
  expect,
  expectAccessible,
  serviceUrl,
  signIn,
  test,
} from './support/test.ts';

test.use({ allowedConsoleErrors: [/401/] });

test('the sign-in page takes at most 15 requests and 250 kB over the wire', async ({ page }) => {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const sizes: number[] = [];
  session.on('Network.loadingFinished', ({ encodedDataLength }) => sizes.push(encodedDataLength));
  await page.goto(`${serviceUrl()}/sign-in`, { waitUntil: 'networkidle' });
  await expect(page.getByRole('heading', { name: 'Sign in to Scanwright' })).toBeVisible();
  expect(sizes.length).toBeGreaterThan(3);
  expect(sizes.length).toBeLessThanOrEqual(15);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(250_000);
});

test('a wrong password is explained, and the requested page opens after the right one', async ({ page }) => {
  await page.goto(`${serviceUrl()}/organization?tab=workspaces`);
  await expect(page).toHaveURL(/\/sign-in\?to=/);
  await expectAccessible(page);
  await page.getByLabel('Email').fill(administrator.email);
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('alert')).toContainText('Email and password do not match');
  await expectAccessible(page);
  await page.getByLabel('Password', { exact: true }).fill(administrator.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(`${serviceUrl()}/organization?tab=workspaces`);
  await expect(page.getByRole('tab', { name: /Workspaces/ })).toHaveAttribute('aria-selected', 'true');
});

test('a token refused by the service leads to sign-in and back to the same project', async ({ page }) => {
  const workspace = await createWorkspace(`Refused token ${Date.now()}`);
  const project = await createProject(workspace.id, `Kept place ${Date.now()}`);
  await signIn(page);
  // Set while the next page opens: the current one might use it first, when another journey changes data.
  await page.addInitScript(() => {
    // Only once: signing in again loads the page anew.
    if (sessionStorage.getItem('refused') !== null) return;
    sessionStorage.setItem('refused', '');
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith('scanwright.session:'))
        localStorage.setItem(
          key,
          JSON.stringify({
            token: 'no such token',
            expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
          }),
        );
    }
  });
  await page.goto(`${serviceUrl()}/projects/${project.id}`);
  await expect(page.getByText('Your session has ended')).toBeVisible();
  await page.getByLabel('Email').fill(administrator.email);
  await page.getByLabel('Password', { exact: true }).fill(administrator.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(new RegExp(`/projects/${project.id}`));
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toContainText(project.name);
});

test('signing out ends the session, also for a page reached by Back', async ({ page }) => {
  await signIn(page);
  await page.getByRole('button', { name: 'Administrator' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in to Scanwright' })).toBeVisible();
  await expect(page.getByText('Your session has ended')).toHaveCount(0);
  await page.goto(`${serviceUrl()}/projects`);
  await expect(page).toHaveURL(/\/sign-in\?to=/);
});
