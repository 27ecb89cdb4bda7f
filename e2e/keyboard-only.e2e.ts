import type { Locator, Page } from '@playwright/test';
import { tubeNrrd } from './support/scans.ts';
import { administrator } from './support/service.ts';
import { expect, serviceUrl, test } from './support/test.ts';

const hasFocus = (target: Locator) => target.evaluate((element) => element === document.activeElement);

/** Presses Tab until the target has the focus, like a user without a pointer. */
async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab', most = 80) {
  await expect(target).toHaveCount(1);
  for (let pressed = 0; pressed < most; pressed++) {
    if (await hasFocus(target)) {
      await expect(target).toBeInViewport();
      return;
    }
    await page.keyboard.press(key);
  }
  throw new Error(`not reached with ${most} × ${key}: ${target}`);
}

test('the main workflow works by keyboard: sign in, create, upload, run, view, export, write a recipe, run it, sign out', async ({
  page,
}) => {
  test.slow();
  const name = `By keyboard ${Date.now()}`;
  const tube = Buffer.from(await tubeNrrd());

  await test.step('sign in', async () => {
    await page.goto(`${serviceUrl()}/sign-in`);
    await expect(page.getByLabel('Email')).toBeFocused();
    await page.keyboard.type(administrator.email);
    await tabTo(page, page.getByLabel('Password', { exact: true }));
    await page.keyboard.type(administrator.password);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Projects', level: 1 })).toBeVisible();
  });

  await test.step('a key opens the list of shortcuts', async () => {
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Shortcuts' })).toContainText('New project');
    await expect(page.getByRole('dialog', { name: 'Shortcuts' })).toContainText('Send the form');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

  await test.step('create a project', async () => {
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog');
    // It takes the focus a moment after it opens.
    await expect(dialog.locator(':focus')).toHaveCount(1);
    await tabTo(page, dialog.getByRole('textbox', { name: 'Name' }));
    await page.keyboard.type(name);
    const workspace = dialog.getByRole('combobox', { name: 'Workspace' });
    if ((await workspace.inputValue()) !== 'Inspection') {
      await tabTo(page, workspace);
      // A short list has no text input.
      await page.keyboard.press('ArrowDown');
      const option = page.getByRole('option', { name: 'Inspection', exact: true });
      await expect(option).toBeVisible();
      const isReached = async () =>
        (await workspace.getAttribute('aria-activedescendant')) === (await option.getAttribute('id'));
      for (let pressed = 0; pressed < 80 && !(await isReached()); pressed++)
        await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await expect(workspace).toHaveValue('Inspection');
    }
    await tabTo(page, dialog.getByRole('button', { name: 'Create project' }));
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Drop a scan here' })).toBeVisible();
  });

  await test.step('upload', async () => {
    const chooser = page.waitForEvent('filechooser');
    await tabTo(page, page.getByRole('button', { name: 'Choose files' }));
    await page.keyboard.press('Enter');
    await (await chooser).setFiles({ name: 'tube.nrrd', mimeType: 'application/octet-stream', buffer: tube });
    await expect(page.getByText('In the project')).toBeVisible({ timeout: 60_000 });
  });

  await test.step('run an analysis', async () => {
    await tabTo(page, page.getByRole('button', { name: 'Run analysis' }));
    await page.keyboard.press('Enter');
    const item = page.getByRole('menuitem', { name: /^Wall thickness/ });
    await expect(item).toBeVisible();
    for (let pressed = 0; pressed < 20 && !(await hasFocus(item)); pressed++)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const form = page.getByRole('form', { name: 'Parameters of wall thickness' });
    await tabTo(page, form.getByLabel('Minimum thickness'));
    await page.keyboard.type('1');
    await page.keyboard.press('Control+Enter');
    await expect(form).toHaveCount(0);
    await expect(page.getByRole('table', { name: 'Percentiles of wall thickness' })).toBeVisible({
      timeout: 60_000,
    });
    expect(await hasFocus(page.getByRole('button', { name: 'Run analysis' }))).toBe(true);
  });

  await test.step('view: a slice is moved with the arrow keys', async () => {
    const pane = page.locator('[data-pane="xy"] [tabindex="0"]').first();
    // The viewer precedes its results in the tab order.
    await tabTo(page, pane, 'Shift+Tab', 20);
    const before = page.url();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('PageUp');
    await expect.poll(() => page.url()).not.toBe(before);
  });

  await test.step('export', async () => {
    await page.keyboard.press('t');
    await page.keyboard.press('e');
    const button = page.getByRole('button', { name: 'Export', exact: true });
    await tabTo(page, button);
    await page.keyboard.press('Enter');
    const link = page.getByRole('link', { name: /^Download / });
    await expect(link).toBeVisible({ timeout: 60_000 });
    await tabTo(page, link);
    const downloading = page.waitForEvent('download');
    await page.keyboard.press('Enter');
    expect((await downloading).suggestedFilename()).toMatch(/\.zip$/);
  });

  const chooseItem = async (title: RegExp) => {
    const item = page.getByRole('menuitem', { name: title });
    await expect(item).toBeVisible();
    for (let pressed = 0; pressed < 20 && !(await hasFocus(item)); pressed++)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
  };

  await test.step('write a recipe and release it', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await expect(page.getByRole('heading', { name: 'Recipes', level: 1 })).toBeVisible();
    await tabTo(page, page.getByRole('link', { name: 'New recipe' }).first());
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('textbox', { name: 'Name' }).first());
    await page.keyboard.type(`Recipe ${name}`);
    await tabTo(page, page.getByRole('button', { name: 'Add step' }));
    await page.keyboard.press('Enter');
    await chooseItem(/^Mesh/);
    await tabTo(page, page.getByRole('button', { name: 'Add gate' }));
    await page.keyboard.press('Enter');
    const gate = page.getByRole('group', { name: /^Gate / });
    await tabTo(page, gate.getByLabel('Gate', { exact: true }));
    await page.keyboard.type('large');
    await tabTo(page, gate.getByRole('combobox', { name: 'Measure' }));
    await page.keyboard.press('ArrowDown');
    const volume = page.getByRole('option', { name: 'Volume', exact: true }).first();
    await expect(volume).toBeVisible();
    const measure = gate.getByRole('combobox', { name: 'Measure' });
    const isReached = async () =>
      (await measure.getAttribute('aria-activedescendant')) === (await volume.getAttribute('id'));
    for (let pressed = 0; pressed < 20 && !(await isReached()); pressed++)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await tabTo(page, gate.getByLabel('Limit'));
    await page.keyboard.press('Control+A');
    await page.keyboard.type('1000');
    await tabTo(page, page.getByRole('button', { name: 'Release version 1' }));
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: `Recipe ${name}`, level: 1 })).toBeVisible();
  });

  await test.step('run it on the project and read its verdict', async () => {
    await tabTo(page, page.getByRole('button', { name: 'Run on a project' }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await expect(dialog.locator(':focus')).toHaveCount(1);
    await tabTo(page, dialog.getByRole('combobox', { name: 'Project' }));
    await page.keyboard.type(name);
    await expect(page.getByRole('option', { name })).toBeVisible();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Enter');
    await expect(page.getByRole('table', { name: 'Gates of the run' })).toContainText(/Pass|Fail/, {
      timeout: 60_000,
    });
  });

  await test.step('sign out', async () => {
    await tabTo(page, page.getByRole('button', { name: 'Administrator' }));
    await page.keyboard.press('Enter');
    const item = page.getByRole('menuitem', { name: 'Sign out' });
    await expect(item).toBeVisible();
    for (let pressed = 0; pressed < 5 && !(await hasFocus(item)); pressed++)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Sign in to Scanwright' })).toBeVisible();
  });
});
