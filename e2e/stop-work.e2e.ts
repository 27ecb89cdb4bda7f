import type { Operation } from '#contract/shapes/operation.ts';
import { type Client, isCompleted, isUnderWay, signInTo } from './support/client.ts';
import { plainView } from './support/one-of-each.ts';
import { tubeNrrd } from './support/scans.ts';
import { holdWork, letWorkGo, type RunningService, startService } from './support/service.ts';
import { expect, expectAccessible, storeSession, test } from './support/test.ts';
import { viewerIsReady } from './support/viewer.ts';

// A service of its own, whose worker can be held up: what is under way stays so for as long as the page is looked at.
let service: RunningService;
let client: Client;
let projectId = '';
test.beforeAll(async () => {
  service = await startService();
  client = await signInTo(service);
  projectId = await client.createProject('Stopped');
  await client.upload(projectId, await tubeNrrd(3, true), { filename: 'tube.nrrd' });
  await client.operation(projectId, 'ingest', isCompleted);
});
test.afterAll(() => service.stop());

// The journey itself keeps a preview from coming.
test.use({ allowedConsoleErrors: [/net::ERR_FAILED \S+\/level\?/] });

const hold = (isReached?: () => Promise<boolean>) => holdWork(service.dataDir, isReached);
const letGo = () => letWorkGo(service.dataDir);
const dataCount = async () =>
  (await client.call<{ count: number }>('GET', `/api/v2/projects/${projectId}/data`)).count;
const newest = async () =>
  (await client.call<{ results: Operation[] }>('GET', `/api/v2/projects/${projectId}/operations`)).results[0];

test('an analysis shows stage, bar and time, is stopped, leaves nothing, and can be tried again', async ({
  page,
}) => {
  const before = await dataCount();
  await storeSession(page, service, service.url);
  await page.goto(`${service.url}/projects/${projectId}?tab=operations`);
  await client.call('POST', `/api/v2/projects/${projectId}/runWallThickness`, { smoothing: 2 });
  await hold(async () => isUnderWay(await newest()));
  const row = page.getByRole('row', { name: /^Wall thickness/ });
  try {
    await expect(row).toContainText('Running');
    const bar = row.getByRole('progressbar', { name: 'Progress of wall thickness' });
    await expect.poll(async () => Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(0);
    await expect(row).toContainText(/Surface determination|Reading the scan|Surface|Wall thickness/);
    await expect(row.getByRole('cell').nth(3)).toHaveText(/\d+\s*s/);
    await expectAccessible(page);
    await row.getByRole('button', { name: 'Stop wall thickness' }).click();
    await expect(row).toContainText('Stopping');
  } finally {
    letGo();
  }
  await expect(row).toContainText('Stopped');
  await expect(row.getByRole('progressbar')).toHaveCount(0);
  expect(await newest()).toMatchObject({ status: 'cancelled', outputDataObjectIds: [] });
  expect(await dataCount()).toBe(before);

  // Tried again, it is stopped from the drawer that every page has.
  await row.getByRole('button', { name: 'Retry' }).click();
  await hold(async () => isUnderWay(await newest()));
  const drawer = page.getByRole('dialog', { name: 'Running work' });
  try {
    await page.getByRole('button', { name: /running$/ }).click();
    await expect(drawer.getByRole('progressbar', { name: 'Progress of Wall thickness' })).toBeVisible();
    await expectAccessible(page);
    await drawer.getByRole('button', { name: 'Stop Wall thickness of Stopped' }).click();
    await expect(drawer.getByRole('button', { name: 'Stopping' })).toBeDisabled();
  } finally {
    letGo();
  }
  await expect(drawer.getByText('Nothing is running', { exact: true })).toBeVisible();
  expect((await newest()).status).toBe('cancelled');
  expect(await dataCount()).toBe(before);
});

test('an export is stopped, has no archive, and the next one is packed', async ({ page }) => {
  await storeSession(page, service, service.url);
  await page.goto(`${service.url}/projects/${projectId}?tab=exports`);
  const rows = page.getByRole('table', { name: 'Exports of the project' }).getByRole('row');
  await hold();
  try {
    await page.getByLabel('Volumes').check();
    // This service has no mail to send the link with.
    await expect(page.getByLabel('Email me the link')).toBeDisabled();
    await expect(page.getByText('Mail is not set up on this service.')).toBeVisible();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await expect(rows.nth(1)).toContainText('Waiting');
    await expect(page.getByRole('button', { name: '1 running' })).toBeVisible();
    const bar = rows.nth(1).getByRole('progressbar', { name: 'Progress of the export' });
    await expect(bar).toHaveAttribute('aria-valuenow', '0');
    await expectAccessible(page);
    await rows.nth(1).getByRole('button', { name: 'Stop the export' }).click();
    await expect(rows.nth(1)).toContainText('Stopped');
  } finally {
    letGo();
  }
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await expect(rows.nth(1).getByRole('link', { name: /^Download / })).toBeVisible({ timeout: 60_000 });
  await expect(rows.nth(2)).toContainText('Stopped');
  await expect(rows.nth(2).getByRole('link')).toHaveCount(0);
  const exports = await client.call<{ results: { status: string; url: string | null }[] }>(
    'GET',
    `/api/v2/exports?project=${projectId}`,
  );
  expect(exports.results.map(({ status, url }) => [status, url === null])).toEqual([
    ['completed', false],
    ['cancelled', true],
  ]);
});

test('a scan is seen while the worker is held: nothing has to be made for its picture', async ({ page }) => {
  await hold();
  try {
    await storeSession(page, service, service.url);
    await page.goto(`${service.url}/projects/${projectId}`);
    await viewerIsReady(page);
    await expect(page.getByText('The preview could not be loaded')).toHaveCount(0);
  } finally {
    letGo();
  }
});

test('a preview that does not come says so, and comes when it is tried again', async ({ page }) => {
  await storeSession(page, service, service.url);
  await page.route('**/level?*', (route) => route.abort());
  await page.goto(`${service.url}/projects/${projectId}`);
  const problem = page.getByRole('alert').filter({ hasText: 'The preview could not be loaded.' });
  await expect(problem).toBeVisible();
  await expectAccessible(page);
  await page.unroute('**/level?*');
  await problem.getByRole('button', { name: 'Retry' }).click();
  await viewerIsReady(page);
  await expect(problem).toHaveCount(0);
});

test('a render is stopped, has no picture, and is made when it is tried again', async ({ page }) => {
  const bookmark = await client.call<{ id: string }>('POST', '/api/v2/bookmarks', {
    projectId,
    name: 'To be rendered',
    viewState: { ...plainView, meshId: null },
  });
  await hold();
  const renders = page.getByRole('list', { name: 'Renders' });
  try {
    await client.call('POST', `/api/v2/bookmarks/${bookmark.id}/renders`, { width: 640, height: 400 });
    await storeSession(page, service, service.url);
    await page.goto(`${service.url}/projects/${projectId}?bookmark=${bookmark.id}`);
    const bar = renders.getByRole('progressbar', { name: 'Progress of 640 × 400' });
    await expect(bar).toHaveAttribute('aria-valuenow', '0');
    await renders.getByRole('button', { name: 'Stop 640 × 400' }).click();
    await expect(renders).toContainText('Stopped');
    await expect(renders.getByRole('link')).toHaveCount(0);
  } finally {
    letGo();
  }
  await renders.getByRole('button', { name: 'Retry 640 × 400' }).click();
  await expect(renders.getByRole('link', { name: '640 × 400' })).toBeVisible({ timeout: 60_000 });
});
