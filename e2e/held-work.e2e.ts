/** What a page shows while work is running, stopped or lost, with a service whose worker can be suspended. */
import type { Operation } from '#contract/shapes/operation.ts';
import { type Client, isCompleted, isUnderWay, signInTo } from './support/client.ts';
import { noteHeadings, readHeadings } from './support/headings.ts';
import { plainView } from './support/one-of-each.ts';
import { tubeNrrd, tubeVolumeMm3 } from './support/scans.ts';
import {
  findWorkerId,
  killSuspendedWorker,
  type RunningService,
  resumeWork,
  startService,
  suspendWork,
} from './support/service.ts';
import { expect, expectAccessible, storeSession, test } from './support/test.ts';
import { viewerIsReady } from './support/viewer.ts';

// One service for all of these; the last journey stops it.
let service: RunningService;
let client: Client;
let scan: Uint8Array;
let projectId = '';
const metadata = { filename: 'tube.nrrd' };
test.beforeAll(async () => {
  service = await startService();
  client = await signInTo(service);
  scan = await tubeNrrd(3, true);
  projectId = await client.createProject('Stopped');
  await client.upload(projectId, scan, metadata);
  await client.operation(projectId, 'ingest', isCompleted);
});
test.afterAll(() => service.stop());

const hold = (isReached?: () => Promise<boolean>) => suspendWork(service.dataDir, isReached);
const resume = () => resumeWork(service.dataDir);
const listData = async (id: string) =>
  (
    await client.call<{ results: { metadata: Record<string, unknown> }[] }>(
      'GET',
      `/api/v2/projects/${id}/data`,
    )
  ).results;
const readNewest = async (id: string) =>
  (await client.call<{ results: Operation[] }>('GET', `/api/v2/projects/${id}/operations`)).results[0];

test('a scan is visible while the worker is suspended; its voxels are requested before its page has loaded, and events before everything else', async ({
  page,
}) => {
  await storeSession(page, service, service.url);
  const asked: string[] = [];
  const files: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    (pathname.startsWith('/api/') ? asked : files).push(pathname);
  });
  const events = page.waitForResponse(/\/api\/v2\/events$/);
  await page.route(/\/assets\/app-[^/]+\.js$/, async (route) => {
    await events;
    await route.continue();
  });
  const voxels = page.waitForRequest(/\/level\?/);
  await page.route(/\/assets\/_app\.projects\._projectId-[^/]+\.js$/, async (route) => {
    await voxels;
    await route.continue();
  });
  // The picture needs no work.
  await hold();
  try {
    await page.goto(`${service.url}/projects/${projectId}`);
    await viewerIsReady(page);
    await expect(page.getByText('The preview could not be loaded')).toHaveCount(0);
  } finally {
    resume();
  }
  expect(asked[0]).toBe('/api/v2/events');
  expect(asked.filter((path) => path.endsWith('/level'))).toHaveLength(1);
  // Data covered by events from the start are not requested again, and the page loads few files.
  expect(asked.filter((path) => path === '/api/v2/me')).toHaveLength(1);
  expect(files.filter((path) => path.startsWith('/assets/')).length).toBeLessThan(50);
});

// How early a scan is visible, tested by what precedes its picture and not by time, which means little on a busy
// machine.
test('a scan is visible in 3D before its quality is judged, then the findings appear', async ({ page }) => {
  const projectId = await client.createProject('Seen early');
  await storeSession(page, service, service.url);
  await page.goto(`${service.url}/projects/${projectId}`);
  await expect(page.getByRole('heading', { name: 'Drop a scan here' })).toBeVisible();
  await client.upload(projectId, scan, metadata);
  // In the middle of the import: the data are listed, and the operation continues.
  await hold(async () => (await listData(projectId)).length === 1);
  try {
    await viewerIsReady(page);
    expect((await readNewest(projectId)).status).toBe('processing');
    expect((await listData(projectId))[0].metadata).not.toHaveProperty('quality');
    await expect(page.getByRole('heading', { name: 'Scan quality' })).toHaveCount(0);
  } finally {
    resume();
  }
  await expect(page.getByRole('heading', { name: 'Scan quality' })).toBeVisible();
  await client.operation(projectId, 'ingest', isCompleted);
});

test('an empty project reports a running import, also to later visitors, and asks for no file meanwhile', async ({
  page,
}) => {
  const projectId = await client.createProject('Uploaded elsewhere');
  await storeSession(page, service, service.url);
  await page.goto(`${service.url}/projects/${projectId}`);
  await expect(page.getByRole('heading', { name: 'Drop a scan here' })).toBeVisible();
  const reading = page.getByRole('heading', { name: 'Reading the scan…' });
  await hold();
  try {
    await client.upload(projectId, scan, metadata);
    await expect(reading).toBeVisible();
    await page.addInitScript(noteHeadings);
    await page.reload();
    await expect(reading).toBeVisible();
    await expectAccessible(page);
  } finally {
    resume();
  }
  await viewerIsReady(page);
  const seen = await readHeadings(page);
  expect(seen).toContain('Reading the scan…');
  expect(seen).not.toContain('Drop a scan here');
});

test('the open page shows the progress of an operation from events, without polling', async ({ page }) => {
  const watchedId = await client.createProject('Watched');
  await client.upload(watchedId, scan, metadata);
  await client.operation(watchedId, 'ingest', isCompleted);
  await page.clock.install();
  await storeSession(page, service, service.url);
  const opened = page.waitForResponse((response) => response.url().endsWith('/api/v2/events'));
  await page.goto(`${service.url}/projects/${watchedId}?tab=operations`);
  expect((await opened).headers()['content-type']).toContain('text/event-stream');
  await expect(page.getByRole('table', { name: 'Operations of the project' })).toContainText('Import');
  const path = `/api/v2/projects/${watchedId}/operations`;
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().includes(path)) asked++;
  });

  await client.call('POST', `/api/v2/projects/${watchedId}/runWallThickness`, { smoothing: 1 });
  const newest = () => readNewest(watchedId);
  await hold(async () => isUnderWay(await newest()));
  const row = page.getByRole('row', { name: /^Wall thickness/ });
  try {
    const percent = (await newest()).progress * 100;
    await expect(row.getByRole('progressbar')).toHaveAttribute('aria-valuenow', String(percent));
    expect(asked).toBeGreaterThan(0);
    // Without events the page requests nothing, however long that lasts.
    const before = asked;
    await page.clock.fastForward(30_000);
    await page.evaluate(() => fetch('/livez'));
    expect(asked).toBe(before);
  } finally {
    resume();
  }
  await client.operation(watchedId, 'runWallThickness', isCompleted);
  await expect(row).toContainText('Completed');
});

test('an analysis shows stage, bar and time, is stopped without leaving data, and can be retried', async ({
  page,
}) => {
  const before = (await listData(projectId)).length;
  await storeSession(page, service, service.url);
  await page.goto(`${service.url}/projects/${projectId}?tab=operations`);
  await client.call('POST', `/api/v2/projects/${projectId}/runWallThickness`, { smoothing: 2 });
  await hold(async () => isUnderWay(await readNewest(projectId)));
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
    resume();
  }
  await expect(row).toContainText('Stopped');
  await expect(row.getByRole('progressbar')).toHaveCount(0);
  expect(await readNewest(projectId)).toMatchObject({ status: 'cancelled', outputDataObjectIds: [] });
  expect((await listData(projectId)).length).toBe(before);

  // Retried, it is stopped from the drawer available on every page.
  await row.getByRole('button', { name: 'Retry' }).click();
  await hold(async () => isUnderWay(await readNewest(projectId)));
  const drawer = page.getByRole('dialog', { name: 'Running work' });
  try {
    await page.getByRole('button', { name: /running$/ }).click();
    await expect(drawer.getByRole('progressbar', { name: 'Progress of Wall thickness' })).toBeVisible();
    await expectAccessible(page);
    await drawer.getByRole('button', { name: 'Stop Wall thickness of Stopped' }).click();
    await expect(drawer.getByRole('button', { name: 'Stopping' })).toBeDisabled();
  } finally {
    resume();
  }
  await expect(drawer.getByText('Nothing is running', { exact: true })).toBeVisible();
  expect((await readNewest(projectId)).status).toBe('cancelled');
  expect((await listData(projectId)).length).toBe(before);
});

test('an export is stopped without an archive, and the next one completes', async ({ page }) => {
  await storeSession(page, service, service.url);
  await page.goto(`${service.url}/projects/${projectId}?tab=exports`);
  const rows = page.getByRole('table', { name: 'Exports of the project' }).getByRole('row');
  await hold();
  try {
    await page.getByLabel('Volumes').check();
    // This service has no mail server to send the link.
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
    resume();
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

test.describe('a preview', () => {
  // The journey itself blocks the request.
  test.use({ allowedConsoleErrors: [/net::ERR_FAILED \S+\/level\?/] });

  test('a failed picture is reported, and loads on retry', async ({ page }) => {
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
});

test('a render is stopped without a picture, and completes on retry', async ({ page }) => {
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
    resume();
  }
  await renders.getByRole('button', { name: 'Retry 640 × 400' }).click();
  await expect(renders.getByRole('link', { name: '640 × 400' })).toBeVisible({ timeout: 60_000 });
});

// The second one stops the service.
test.describe
  .serial('A worker killed in the middle of an analysis', () => {
    let killedId = '';
    test.beforeAll(async () => {
      killedId = await client.createProject('Killed');
      await client.upload(killedId, await tubeNrrd(2), metadata);
      await client.operation(killedId, 'ingest', isCompleted);
    });

    test('is replaced, and the analysis is done once', async () => {
      await client.call('POST', `/api/v2/projects/${killedId}/runWallThickness`, {});
      const newest = () => client.operation(killedId, 'runWallThickness', () => true);
      await hold(async () => isUnderWay(await newest()));
      const started = await newest();
      await killSuspendedWorker(service.dataDir);
      const done = await client.operation(killedId, 'runWallThickness', isCompleted);
      expect(done.id).toBe(started.id);
      const data = await client.call<{ results: unknown[] }>(
        'GET',
        `/api/v2/projects/${killedId}/data?kind=wallThickness`,
      );
      expect(data.results).toHaveLength(1);
    });

    test('loses nothing when everything is killed with it and started again', async () => {
      await client.call('POST', `/api/v2/projects/${killedId}/createMesh`, {});
      service.process.kill('SIGKILL');
      process.kill(findWorkerId(service.dataDir), 'SIGKILL');

      const again = await startService({ DATA_DIR: service.dataDir });
      try {
        const { operation, call } = await signInTo(again);
        const done = await operation(killedId, 'createMesh', isCompleted);
        const { metadata } = await call<{ metadata: { volumeMm3: number } }>(
          'GET',
          `/api/v2/data/${done.outputDataObjectIds[0]}`,
        );
        expect(Math.abs(metadata.volumeMm3 / tubeVolumeMm3 - 1)).toBeLessThan(0.005);
      } finally {
        await again.stop();
      }
    });
  });
