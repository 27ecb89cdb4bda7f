/**
 * How soon a scan is seen, held by what stands before its picture and not by the clock, which says little on a machine that
 * does other things as well.
 */
import type { Operation } from '#contract/shapes/operation.ts';
import { type Client, isCompleted, signInTo } from './support/client.ts';
import { noteHeadings, readHeadings } from './support/headings.ts';
import { tubeNrrd } from './support/scans.ts';
import { holdWork, letWorkGo, type RunningService, startService } from './support/service.ts';
import { expect, expectAccessible, storeSession, test } from './support/test.ts';
import { viewerIsReady } from './support/viewer.ts';

// A service of its own, whose worker can be held.
let service: RunningService;
let client: Client;
let scan: Uint8Array;
test.beforeAll(async () => {
  service = await startService();
  client = await signInTo(service);
  scan = await tubeNrrd(3, true);
});
test.afterAll(() => service.stop());

const metadata = { filename: 'tube.nrrd' };
const readImport = async (projectId: string) =>
  (await client.call<{ results: Operation[] }>('GET', `/api/v2/projects/${projectId}/operations`)).results[0];
const listData = async (projectId: string) =>
  (
    await client.call<{ results: { metadata: Record<string, unknown> }[] }>(
      'GET',
      `/api/v2/projects/${projectId}/data`,
    )
  ).results;

test('a scan is seen in 3D before it is judged, and then what was found of it', async ({ page }) => {
  const projectId = await client.createProject('Seen early');
  await storeSession(page, service, service.url);
  await page.goto(`${service.url}/projects/${projectId}`);
  await expect(page.getByRole('heading', { name: 'Drop a scan here' })).toBeVisible();
  await client.upload(projectId, scan, metadata);
  // Between the two ends of the import: the data are listed, and the work goes on.
  await holdWork(service.dataDir, async () => (await listData(projectId)).length === 1);
  try {
    await viewerIsReady(page);
    expect((await readImport(projectId)).status).toBe('processing');
    expect((await listData(projectId))[0].metadata).not.toHaveProperty('quality');
    await expect(page.getByRole('heading', { name: 'Scan quality' })).toHaveCount(0);
  } finally {
    letWorkGo(service.dataDir);
  }
  await expect(page.getByRole('heading', { name: 'Scan quality' })).toBeVisible();
  await client.operation(projectId, 'ingest', isCompleted);
});

test('an empty project says that a scan is read, also to who comes later, and asks for none until it is there', async ({
  page,
}) => {
  const projectId = await client.createProject('Uploaded elsewhere');
  await storeSession(page, service, service.url);
  await page.goto(`${service.url}/projects/${projectId}`);
  await expect(page.getByRole('heading', { name: 'Drop a scan here' })).toBeVisible();
  const reading = page.getByRole('heading', { name: 'Reading the scan…' });
  await holdWork(service.dataDir);
  try {
    await client.upload(projectId, scan, metadata);
    await expect(reading).toBeVisible();
    await page.addInitScript(noteHeadings);
    await page.reload();
    await expect(reading).toBeVisible();
    await expectAccessible(page);
  } finally {
    letWorkGo(service.dataDir);
  }
  await viewerIsReady(page);
  const seen = await readHeadings(page);
  expect(seen).toContain('Reading the scan…');
  expect(seen).not.toContain('Drop a scan here');
});

test('the voxels of a project are on their way before its page has come, and events before all', async ({
  page,
}) => {
  const projectId = await client.createProject('Opened');
  await client.upload(projectId, scan, metadata);
  await client.operation(projectId, 'ingest', isCompleted);
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
  await page.goto(`${service.url}/projects/${projectId}`);
  await viewerIsReady(page);
  expect(asked[0]).toBe('/api/v2/events');
  expect(asked.filter((path) => path.endsWith('/level'))).toHaveLength(1);
  // What is heard of from the start is not asked for again, and the page comes in few files.
  expect(asked.filter((path) => path === '/api/v2/me')).toHaveLength(1);
  expect(files.filter((path) => path.startsWith('/assets/')).length).toBeLessThan(50);
});
