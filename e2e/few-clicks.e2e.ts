import type { Locator } from '@playwright/test';
import { tubeNrrd } from './support/scans.ts';
import { createWorkspace, expect, serviceUrl, signIn, test } from './support/test.ts';

test('from a file on the desktop to a report and a link takes few clicks per step', async ({ page }) => {
  test.slow();
  const name = `Few clicks ${Date.now()}`;
  const workspace = await createWorkspace(name);
  const scan = Buffer.from(await tubeNrrd()).toString('base64');
  await signIn(page);
  const clicks: Record<string, number> = {};
  const counting = (task: string) => {
    clicks[task] = 0;
    return async (control: Locator) => {
      clicks[task] = (clicks[task] ?? 0) + 1;
      await control.click();
    };
  };

  await test.step('upload: the file is dropped on the list, and no information is missing', async () => {
    const click = counting('upload');
    await page.goto(`${serviceUrl()}/projects?workspace=${workspace.id}`);
    await expect(page.getByRole('heading', { name: 'Projects', level: 1 })).toBeVisible();
    const dataTransfer = await page.evaluateHandle((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(
        new File([Uint8Array.from(atob(text), (each) => each.charCodeAt(0))], 'T-9_tube.nrrd'),
      );
      return transfer;
    }, scan);
    await page.dispatchEvent('body', 'dragenter', { dataTransfer });
    await page.dispatchEvent('body', 'drop', { dataTransfer });
    await click(page.getByRole('dialog', { name: 'New project' }).getByRole('button', { name: /^Create/ }));
    await expect(page.getByRole('heading', { name: 'T-9 tube', level: 1 })).toBeVisible();
    await expect(page.getByTestId('scan-viewer')).toHaveAttribute('data-ready', 'true', { timeout: 60_000 });
  });
  const results = page.getByRole('complementary', { name: 'Results and details' });

  await test.step('analyse: analyses not run yet are offered beside the view, with their defaults', async () => {
    const click = counting('analyse');
    await click(results.getByRole('button', { name: 'Run: integrity' }));
    await click(page.getByRole('button', { name: 'Start integrity' }));
    await expect(page.getByRole('button', { name: 'Show integrity' })).toBeVisible({ timeout: 60_000 });
  });

  await test.step('decide: the part is accepted with a reason', async () => {
    const click = counting('judge');
    await click(page.getByRole('button', { name: 'Set disposition' }));
    // Typing requires the focus.
    await expect(page.getByLabel('Reason')).toBeFocused();
    await page.keyboard.type('No pores.');
    await click(page.getByRole('button', { name: 'Save disposition' }));
    await expect(page.getByLabel('Reason')).toHaveCount(0);
    await expect(page.getByText('Accept', { exact: true })).toBeVisible();
  });

  await test.step('share: a bookmark and its link', async () => {
    const click = counting('share');
    await click(page.getByRole('button', { name: 'Bookmark', exact: true }));
    await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
    await page.keyboard.type('The tube');
    await click(page.getByRole('button', { name: 'Save', exact: true }));
    await expect(page.getByRole('button', { name: 'Copy link' })).toBeVisible();
    await click(page.getByRole('button', { name: 'Copy link' }));
  });

  await test.step('report: requested and downloaded', async () => {
    const click = counting('report');
    await click(page.getByRole('button', { name: 'Report', exact: true }));
    const row = page.getByRole('row', { name: /Report \(PDF\)/ });
    const download = row.getByRole('link', { name: /^Download report_/ });
    const file = page.waitForEvent('download', { timeout: 60_000 });
    await expect(download).toBeVisible({ timeout: 60_000 });
    await click(download);
    expect((await file).suggestedFilename()).toMatch(/\.pdf$/);
  });

  expect(clicks).toEqual({ upload: 1, analyse: 2, judge: 2, share: 3, report: 2 });
});
