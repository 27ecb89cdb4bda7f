import { findMail } from './support/mail.ts';
import {
  call,
  createWorkspace,
  expect,
  expectAccessible,
  follow,
  serviceUrl,
  signIn,
  storeSession,
  test,
} from './support/test.ts';

test.use({ allowedConsoleErrors: [/40[0149]/] });

/** Creates an account for this journey, in the first organization. */
async function createMember(email: string, password: string) {
  const workspace = await createWorkspace(`Accounts of ${email.split('@')[0]}`);
  const workspaces = [{ id: workspace.id, role: 'editor' }];
  await call('POST', `/api/v2/organizations/${workspace.organizationId}/members`, {
    email,
    password,
    workspaces,
  });
  // The first sign-in creates the account.
  const { token } = await call<{ token: string }>('POST', '/api/login', { email, password });
  await call('POST', '/api/v2/logout', undefined, token);
}

test('a forgotten password is reset by the mailed link, and an easily guessed one is refused', async ({
  page,
}) => {
  const email = `forgetful-${Date.now()}@example.com`;
  await createMember(email, 'the password that is forgotten');
  await page.goto(`${serviceUrl()}/sign-in`);
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await expect(page.getByRole('heading', { name: 'Reset your password' })).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Email me a link' }).click();
  await expect(page.getByText(`If ${email} has an account, a link is on its way.`)).toBeVisible();
  await expect.poll(async () => (await findMail(email, /./))?.text).toContain('/reset-password#');
  const link = /\S+\/reset-password#\S+/.exec((await findMail(email, /./))?.text ?? '')?.[0] ?? '';
  await page.goto(link);
  // The previous page shows the address, too.
  await expect(page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible();
  await expect(page.getByText(email)).toBeVisible();
  await expectAccessible(page);
  const password = page.getByLabel('New password', { exact: true });
  await password.fill('password123');
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText(/easy to guess; take 12 characters/)).toBeVisible();
  await password.fill('a new one that holds');
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByRole('heading', { name: 'Password changed' })).toBeVisible();
  await page.goto(link);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'This link is not valid' })).toBeVisible();
  await signIn(page, { email, password: 'a new one that holds' });
});

test('a user changes their name, ends another session, creates an organization and deletes the account', async ({
  page,
  browser,
}) => {
  const email = `leaver-${Date.now()}@example.com`;
  const password = 'a password for a while';
  await createMember(email, password);
  const elsewhere = await (await browser.newContext()).newPage();
  await signIn(elsewhere, { email, password });
  await storeSession(page, { email, password });
  await page.goto(`${serviceUrl()}/account`);

  await test.step('the name', async () => {
    const name = page.getByRole('region', { name: 'Name' });
    await name.getByLabel('Name').fill('Lea Leaver');
    await name.getByRole('button', { name: 'Save name' }).click();
    await expect(page.getByRole('heading', { name: 'Lea Leaver', level: 1 })).toBeVisible();
  });

  await test.step('the other session is signed out', async () => {
    const sessions = page.getByRole('table', { name: 'Sessions' });
    await expect(sessions.getByText('This session')).toHaveCount(1);
    await expectAccessible(page);
    await sessions.getByRole('button', { name: /^End the session of Chrome/ }).click();
    await expect(sessions.getByRole('button', { name: /^End the session/ })).toHaveCount(0);
    await elsewhere.goto(`${serviceUrl()}/projects`);
    await expect(elsewhere.getByText('Your session has ended')).toBeVisible();
  });

  await test.step('a new organization', async () => {
    await page.getByRole('button', { name: /^Organization .*, change$/ }).click();
    await page.getByRole('menuitem', { name: 'New organization…' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Leaver and sons');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await expect(page.getByRole('button', { name: 'Organization Leaver and sons, change' })).toBeVisible();
    await expect(page).toHaveURL(/organization=/);
  });

  await test.step('the account is deleted', async () => {
    await follow(page, '/account');
    await page.getByRole('button', { name: 'Delete account…' }).click();
    const form = page.getByRole('form', { name: 'Delete account' });
    await page.keyboard.press('Escape');
    await expect(form).toHaveCount(0);
    await page.getByRole('button', { name: 'Delete account…' }).click();
    await form.getByLabel('Your password').fill('not the password');
    await form.getByRole('button', { name: 'Delete my account' }).click();
    await expect(form.getByText('is not the password of this account')).toBeVisible();
    await form.getByLabel('Your password').fill(password);
    await form.getByRole('button', { name: 'Delete my account' }).click();
    await expect(page.getByRole('heading', { name: 'Sign in to Scanwright' })).toBeVisible();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('alert')).toContainText('Email and password do not match');
  });
  await elsewhere.context().close();
});

test('a manager renames a member in this organization, resets the password, disables and enables the account, and deletes it', async ({
  page,
  browser,
}) => {
  const email = `managed-${Date.now()}@example.com`;
  const password = 'the first password of it';
  await createMember(email, password);
  const member = await (await browser.newContext()).newPage();
  await signIn(member, { email, password });
  await storeSession(page);
  await page.goto(`${serviceUrl()}/organization?search=${encodeURIComponent(email)}`);
  const row = page.getByRole('table', { name: 'Members', exact: true }).getByRole('row', { name: email });
  const choose = async (item: string) => {
    await row.getByRole('button', { name: /^More actions for/ }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  await test.step('the name in this organization', async () => {
    await choose('Rename…');
    await page.getByLabel('Name in this organization').fill('Number 7');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await expect(row).toContainText('Number 7');
  });

  await test.step('a link for a new password is shown once and mailed', async () => {
    await choose('Reset password…');
    const link = await page.getByTestId('reset-link').innerText();
    expect(link).toContain('/reset-password#');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Done' }).click();
    await expect.poll(async () => (await findMail(email, /./))?.text).toContain(link);
  });

  await test.step('a disabled account is signed out and can’t sign in until it is enabled', async () => {
    await choose('Disable account…');
    const dialog = page.getByRole('dialog', { name: 'Disable the account of Number 7?' });
    await dialog.getByRole('textbox').fill(email);
    await dialog.getByRole('button', { name: 'Disable the account' }).click();
    await expect(row).toContainText('(disabled)');
    await expect(member).toHaveURL(/\/sign-in/);
    await member.getByLabel('Email').fill(email);
    await member.getByLabel('Password', { exact: true }).fill(password);
    await member.getByRole('button', { name: 'Sign in' }).click();
    await expect(member.getByRole('alert')).toContainText('Email and password do not match');
    await choose('Enable account');
    await expect(row).not.toContainText('(disabled)');
    await member.getByRole('button', { name: 'Sign in' }).click();
    await expect(member.getByRole('heading', { name: 'Projects', level: 1 })).toBeVisible();
  });

  await test.step('the audit log shows the failed sign-in and who reset the password', async () => {
    const auditLog = page.getByRole('tab', { name: 'Audit log' });
    await auditLog.click();
    await page.getByRole('combobox', { name: 'Action' }).click();
    await page.getByRole('option', { name: 'Failed to sign in' }).click();
    await expect(page.getByRole('row', { name: /Not signed in/ }).filter({ hasText: email })).toHaveCount(1);
  });

  await test.step('the account is deleted after its name is typed', async () => {
    await follow(page, `/organization?search=${encodeURIComponent(email)}`);
    await choose('Delete account…');
    const dialog = page.getByRole('dialog', { name: 'Delete the account of Number 7?' });
    await dialog.getByRole('textbox').fill(email);
    await dialog.getByRole('button', { name: 'Delete the account' }).click();
    await expect(row).toHaveCount(0);
    await expect(member).toHaveURL(/\/sign-in/);
  });
  await member.context().close();
});
