import { findMail } from './support/mail.ts';
import {
  createProject,
  createWorkspace,
  expect,
  expectAccessible,
  serviceUrl,
  storeSession,
  test,
} from './support/test.ts';

test('a manager invites a user, who joins, sees what the role allows, and is removed again', async ({
  page,
  browser,
}) => {
  const stamp = Date.now();
  const email = `inspector-${stamp}@example.com`;
  const workspace = await createWorkspace(`Incoming ${stamp}`);
  const project = await createProject(workspace.id, `Valve body ${stamp}`);
  const other = await createWorkspace(`Hidden ${stamp}`);
  const hidden = await createProject(other.id, `Secret part ${stamp}`);
  await storeSession(page);

  const link = await test.step('the invitation is created, mailed and shown once', async () => {
    await page.goto(`${serviceUrl()}/organization`);
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const form = page.getByRole('form', { name: 'Invitation' });
    await form.getByRole('textbox', { name: 'Email' }).fill('not an address');
    await form.getByRole('button', { name: 'Invite' }).click();
    await expect(form.getByText('An email address, like name@company.com')).toBeVisible();
    await form.getByRole('textbox', { name: 'Email' }).fill(email);
    await expect(form.getByText('Without a workspace the new member will see no project')).toBeVisible();
    const role = form.getByRole('radiogroup', { name: `Role in Incoming ${stamp}` });
    // Workspaces of parallel journeys come and go in the list, and may move the row away from the pointer.
    await expect(async () => {
      await role.getByText('Viewer').click();
      await expect(role.getByRole('radio', { name: 'Viewer' })).toBeChecked({ timeout: 5_000 });
    }).toPass();
    await expect(form.getByText('Without a workspace')).toHaveCount(0);
    await form.getByRole('button', { name: 'Invite' }).click();
    await expect(page.getByText('The link was mailed.')).toBeVisible();
    const shown = await page.getByTestId('invitation-link').innerText();
    // The focused element is gone with the form: the focus moves within the dialog, not behind it.
    await expect(page.getByRole('dialog').getByRole('button', { name: 'Copy' })).toBeFocused();
    await expectAccessible(page);
    await expect.poll(async () => (await findMail(email, /./))?.text).toContain(shown);
    await page.getByRole('button', { name: 'Done' }).click();
    await expect(page.getByRole('table', { name: 'Open invitations' })).toContainText(email);
    return shown;
  });

  const guest = await (await browser.newContext()).newPage();
  await test.step('whoever has the link chooses a password and is signed in', async () => {
    await guest.goto(link);
    await expect(guest.getByText(email)).toBeVisible();
    await guest.getByLabel('Your name').fill('Ida Inspector');
    const password = guest.getByLabel('Choose a password');
    await password.fill('short');
    await guest.getByRole('button', { name: 'Join' }).click();
    await expect(guest.getByText('At least 10 characters', { exact: true })).toBeVisible();
    await password.fill('a password of her own');
    await guest.getByRole('button', { name: 'Join' }).click();
    await expect(guest.getByRole('link', { name: project.name })).toBeVisible();
    await expect(guest.getByText(hidden.name)).toHaveCount(0);
    // The manager's page is updated by an event.
    const member = page
      .getByRole('table', { name: 'Members', exact: true })
      .getByRole('row', { name: email });
    await expect(member).toContainText(`Incoming ${stamp} (viewer)`);
    await expect(page.getByText(email)).toHaveCount(1);
  });

  await test.step('a viewer can change nothing, and each disabled action states the reason', async () => {
    await guest.goto(`${serviceUrl()}/organization`);
    const invite = guest.getByRole('button', { name: 'Invite', exact: true });
    await expect(invite).toHaveAttribute('aria-disabled', 'true');
    await expect(invite).toHaveAccessibleDescription(/Only a manager/);
    // Keyboard users see it, too.
    await invite.focus();
    await guest.keyboard.press('Shift+Tab');
    await guest.keyboard.press('Tab');
    await expect(guest.getByRole('tooltip', { name: 'Only a manager can invite' })).toBeVisible();
    await expect(guest.getByRole('button', { name: 'Rename the organization' })).toHaveAccessibleDescription(
      /Only a manager/,
    );
    await guest.getByRole('tab', { name: 'Audit log' }).click();
    await expect(guest.getByText('Only managers read the audit log')).toBeVisible();
    await guest.goto(`${serviceUrl()}/projects/${hidden.id}`);
    await expect(guest.getByRole('heading', { level: 1 })).not.toContainText(hidden.name);
    await expect(guest.getByText(hidden.name)).toHaveCount(0);
  });

  await test.step('the dialog that only asks for roles focuses the first one', async () => {
    const button = page.getByRole('button', { name: 'Roles of Ida Inspector' });
    await button.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Roles of Ida Inspector' });
    await expect(dialog.getByRole('radio').and(page.locator(':focus'))).toHaveCount(1);
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(button).toBeFocused();
  });

  await test.step('the link works once', async () => {
    await guest.goto(link);
    await expect(guest.getByRole('heading', { name: 'This invitation is no longer valid' })).toBeVisible();
  });

  await test.step('the manager removes her after typing her name, and she sees nothing any more', async () => {
    await page.getByRole('button', { name: 'Remove Ida Inspector' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove Ida Inspector?' });
    await expect(dialog.getByRole('button', { name: 'Remove the member' })).toBeDisabled();
    await dialog.getByRole('textbox').fill(email);
    await page.keyboard.press('Control+Enter');
    await expect(page.getByText(email)).toHaveCount(0);
    await guest.goto(`${serviceUrl()}/projects`);
    // Her session ended with her last membership; signed in again, she sees nothing of the organization.
    await expect(guest).toHaveURL(/\/sign-in\?/);
    await guest.getByLabel('Email').fill(email);
    await guest.getByLabel('Password', { exact: true }).fill('a password of her own');
    await guest.getByRole('button', { name: 'Sign in' }).click();
    await expect(guest.getByText('You are not a member of an organization')).toBeVisible();
  });

  await test.step('the audit log shows who did what, and its filter is in the address', async () => {
    await page.getByRole('tab', { name: 'Audit log' }).click();
    await page.getByRole('combobox', { name: 'Action' }).click();
    await page.getByRole('option', { name: 'Removed a member' }).click();
    await expect(page).toHaveURL(/action=removeMember/);
    const entry = page.getByRole('row', { name: /Removed a member/ }).filter({ hasText: email });
    await expect(entry).toHaveCount(1);
    await page.reload();
    await expect(entry).toHaveCount(1);
  });
  await guest.context().close();
});
