import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import type { Browser, Page } from '@playwright/test';
import type { BookmarkRender } from '#contract/shapes/bookmark.ts';
import type { ViewerHooks } from '#web/viewer/test-hooks.ts';
import { analysedProject } from './support/scans.ts';
import { call, expect, expectAccessible, serviceUrl, storeSession, test } from './support/test.ts';

declare const window: { __scanwrightViewer?: ViewerHooks };

// The smallest window in which everything fits, because software rendering computes each pixel.
const viewport = { width: 1280, height: 800 };
test.use({ viewport });

/** Waits until everything is loaded and drawn, and moves the pointer away from the panes. */
async function viewerIsReady(page: Page) {
  await expect(page.getByTestId('scan-viewer')).toHaveAttribute('data-ready', 'true', { timeout: 60_000 });
  await page.mouse.move(2, 2);
  await page.evaluate(() => window.__scanwrightViewer?.whenIdle());
}

/** Checksums of the screen pixels of the four panes. */
async function panes(page: Page): Promise<string[]> {
  await viewerIsReady(page);
  const pictures: string[] = [];
  for (const pane of ['xy', '3d', 'xz', 'yz']) {
    const canvas = page.locator(`[data-pane="${pane}"] canvas`).first();
    const picture = await canvas.screenshot({ animations: 'disabled' });
    pictures.push(
      `${pane} ${readSize(picture).join('×')} ${createHash('sha256').update(picture).digest('hex')}`,
    );
  }
  return pictures;
}

async function newMember(name: string, workspaceIds: string[]) {
  const { organizations } = await call<{ organizations: { id: string }[] }>('GET', '/api/v2/me');
  const account = {
    email: `${name.toLowerCase()}-${Date.now()}@example.com`,
    password: 'a long enough password',
  };
  await call('POST', `/api/v2/organizations/${organizations[0].id}/members`, {
    ...account,
    name,
    workspaces: workspaceIds.map((id) => ({ id, role: 'viewer' })),
  });
  return account;
}

const otherPage = async (browser: Browser) => (await browser.newContext({ viewport })).newPage();

const readSize = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];

test('a view is saved, restored to the pixel, discussed live, rendered in 4K and shared with users who may see it', async ({
  page,
  browser,
}) => {
  test.slow();
  const project = await analysedProject('Bookmarked tube');
  // A second try finds the bookmark of the first in the list of all.
  const title = `Thin place ${Date.now()}`;
  const { workspaceId } = await call<{ workspaceId: string }>('GET', `/api/v2/projects/${project.id}`);
  const reader = await newMember('Reader', [workspaceId]);
  const outsider = await newMember('Outsider', []);
  await storeSession(page);
  await page.goto(`${serviceUrl()}/projects/${project.id}`);
  await viewerIsReady(page);

  await test.step('the view is moved, zoomed and rotated, and saved', async () => {
    const slice = page.locator('[data-pane="xy"] canvas').first();
    await slice.focus();
    for (const key of ['PageUp', 'PageUp', '+', 'ArrowLeft']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Smooth between voxels' }).click();
    const scene = page.locator('[data-pane="3d"] canvas').first();
    const box = await scene.boundingBox();
    if (!box) throw new Error('no 3D pane');
    await page.mouse.move(box.x + 150, box.y + 150);
    await page.mouse.down();
    await page.mouse.move(box.x + 220, box.y + 190, { steps: 4 });
    await page.mouse.up();
  });
  const kept = await panes(page);
  const state = await page.evaluate(() => window.__scanwrightViewer?.state());
  await page.getByRole('button', { name: 'Bookmark', exact: true }).click();
  const form = page.getByRole('form', { name: 'New bookmark' });
  await form.getByLabel('Name').fill(title);
  await form.getByLabel('Note').fill('Measured from both sides');
  await form.getByRole('button', { name: 'Save', exact: true }).click();
  const panel = page.getByRole('region', { name: 'Bookmark', exact: true });
  await expect(panel.getByRole('heading', { name: title })).toBeVisible();
  await expect(page.getByRole('alert').getByRole('button', { name: 'Copy link' })).toBeVisible();
  await expectAccessible(page);

  await test.step('the bookmark restores the same pixels after another view', async () => {
    await page.getByRole('button', { name: 'Reset view' }).click();
    await page.getByRole('button', { name: 'Show XY alone' }).first().click();
    await page.getByRole('button', { name: 'Four equal panes' }).click();
    expect(await panes(page)).not.toEqual(kept);
    await panel.getByRole('button', { name: 'Back to the view' }).click();
    await expect.poll(() => panes(page), { timeout: 60_000 }).toEqual(kept);
    expect(await page.evaluate(() => window.__scanwrightViewer?.state())).toEqual(state);
  });

  const bookmarkId = new URL(page.url()).searchParams.get('bookmark');
  const link = `${serviceUrl()}/projects/${project.id}?bookmark=${bookmarkId}`;
  const second = await otherPage(browser);
  await test.step('a signed-out user signs in, is led to the view, and sees the same pixels', async () => {
    await second.goto(link);
    await second.getByLabel('Email').fill(reader.email);
    await second.getByLabel('Password', { exact: true }).fill(reader.password);
    await second.getByRole('button', { name: 'Sign in' }).click();
    await expect(second.getByRole('heading', { name: title })).toBeVisible();
    await expect.poll(() => panes(second), { timeout: 60_000 }).toEqual(kept);
    expect(await second.evaluate(() => window.__scanwrightViewer?.state())).toEqual(state);
  });

  await test.step('a comment in one browser appears in the other', async () => {
    await second.getByLabel('Comment', { exact: true }).fill('Is this the core shift again?');
    await second.getByRole('button', { name: 'Comment', exact: true }).click();
    await expect(panel.getByText('Is this the core shift again?')).toBeVisible();
    await panel.getByLabel('Comment', { exact: true }).fill('It is.');
    await page.keyboard.press('Control+Enter');
    await expect(second.getByText('It is.')).toBeVisible();
  });

  await test.step('the view is rendered in 4K by the viewer, and by the service alone', async () => {
    await expect(second.getByRole('button', { name: 'Render' })).toHaveAttribute('aria-disabled', 'true');
    await panel.getByLabel('Size').click();
    await page.getByRole('option', { name: '3840 × 2160, 4K' }).click();
    await panel.getByRole('button', { name: 'Render' }).click();
    const made = panel.getByRole('link', { name: '3840 × 2160' });
    await expect(made).toBeVisible({ timeout: 60_000 });
    const address = await made.evaluate((link: HTMLAnchorElement) => link.href);
    const png = Buffer.from(await (await fetch(address)).arrayBuffer());
    expect(readSize(png)).toEqual([3840, 2160]);
    const renders = `/api/v2/bookmarks/${bookmarkId}/renders`;
    const asked = await call<BookmarkRender>('POST', renders, { width: 800, height: 500 });
    let done: BookmarkRender | undefined;
    await expect
      .poll(async () => {
        const { results } = await call<{ results: BookmarkRender[] }>('GET', renders);
        done = results.find(({ id }) => id === asked.id);
        return done?.status;
      })
      .toBe('completed');
    const drawn = Buffer.from(await (await fetch(done?.url ?? '')).arrayBuffer());
    expect(readSize(drawn)).toEqual([800, 500]);
    expect(shades(drawn)).toBeGreaterThan(50);
    await expect(panel.getByRole('link', { name: '800 × 500' })).toBeVisible();
  });

  await test.step('the lists of the project and of all projects contain it', async () => {
    await page.getByRole('tab', { name: /^Bookmarks/ }).click();
    await expect(page.getByRole('link', { name: title })).toBeVisible();
    await page.getByRole('link', { name: 'Bookmarks', exact: true }).click();
    await page.getByLabel('Search bookmarks').fill('from both sides');
    await expect(page).toHaveURL(/search=from/);
    await page.getByRole('link', { name: title }).click();
    await expect(page.getByRole('heading', { name: title })).toBeVisible();
    await expect.poll(() => panes(page), { timeout: 60_000 }).toEqual(kept);
  });

  await test.step('a user who may not see the project finds nothing at the link', async () => {
    const third = await otherPage(browser);
    await storeSession(third, outsider);
    await third.goto(link);
    await expect(third.getByText(/not found|does not exist|no such/i).first()).toBeVisible();
    await expect(third.getByText(title)).toBeHidden();
    await third.context().close();
  });
  await second.context().close();
});

/** Number of distinct bytes in the picture: a blank one has few. */
function shades(png: Buffer): number {
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  return new Set(inflateSync(Buffer.concat(data))).size;
}
