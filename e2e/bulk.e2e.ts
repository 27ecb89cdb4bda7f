/** Work on many projects: all results of a filter, followed live, stopped, repeated, downloaded, undone. */
import { createHash } from 'node:crypto';
import type { Page } from '@playwright/test';
import { unzipSync } from 'fflate';
import type { BulkRequest } from '#contract/shapes/bulk-request.ts';
import { type Client, isCompleted, signInTo } from './support/client.ts';
import { tubeNrrd } from './support/scans.ts';
import { holdAllButOne, type RunningService, startService } from './support/service.ts';
import {
  createProject,
  createWorkspace,
  expect,
  expectAccessible,
  follow,
  serviceUrl,
  storeSession,
  test,
} from './support/test.ts';

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
/** Newest first. */
const open = (page: Page, workspaceId: string, more = '', url = serviceUrl()) =>
  page.goto(`${url}/projects?workspace=${workspaceId}${more}`);

async function ended({ call }: Client, id: string): Promise<BulkRequest> {
  let request: BulkRequest | undefined;
  await expect
    .poll(
      async () => {
        request = await call<BulkRequest>('GET', `/api/v2/bulkRequests/${id}`);
        return request.finishedAt !== null;
      },
      { timeout: 90_000 },
    )
    .toBe(true);
  if (!request) throw new Error('no bulk request');
  return request;
}

// A service of its own, whose worker can be suspended: running work stays unchanged while the page is examined.
let service: RunningService;
test.beforeAll(async () => {
  service = await startService();
});
test.afterAll(() => service.stop());

test('all 250 projects of a filtered list run a recipe, are stopped half-way and repeated, and their results downloaded', async ({
  page,
}) => {
  const client = await signInTo(service);
  const { call } = client;
  const me = await call<{ organizations: { id: string; workspaces: { id: string }[] }[] }>(
    'GET',
    '/api/v2/me',
  );
  const [{ id: organizationId, workspaces }] = me.organizations;
  const workspaceId = workspaces[0].id;
  const create = (name: string, tag: string) =>
    call<{ id: string }>('POST', '/api/v2/projects', { workspaceId, name, tags: [tag] });
  const createSome = async (count: number, name: string) => {
    const made: string[] = [];
    while (made.length < count) {
      const names = Array.from(
        { length: Math.min(8, count - made.length) },
        (_, i) => `${name} ${i + made.length}`,
      );
      for (const { id } of await Promise.all(names.map((each) => create(each, 'lot')))) made.push(id);
    }
    return made;
  };
  // More than a response lists at most. For most of them the recipe fails: they are archived, or have no data yet.
  const archived = await createSome(224, 'Archived');
  const archiving = await call<BulkRequest>('POST', '/api/v2/bulkProjects/archive', { projectIds: archived });
  await createSome(20, 'Empty');
  const scanned = await create('Scan', 'lot');
  await client.upload(scanned.id, await tubeNrrd(0.5), { filename: 'tube.nrrd' });
  await client.operation(scanned.id, 'ingest', isCompleted);
  for (let i = 1; i < 6; i += 1)
    await call('POST', `/api/v2/projects/${scanned.id}/copy`, {
      destinationWorkspaceId: workspaceId,
      name: `Scan ${i}`,
    });
  await create('Aside', 'other');
  expect((await ended(client, archiving.id)).completedCount).toBe(224);
  const recipeName = 'Mesh';
  await call('POST', `/api/v2/organizations/${organizationId}/recipeVersions`, {
    name: recipeName,
    steps: [{ key: 'mesh', operation: 'createMesh', parameters: {}, needs: [] }],
  });

  await storeSession(page, service, service.url);
  await open(page, workspaceId, '&tag=lot&size=25', service.url);
  await expect(page.getByRole('row')).toHaveCount(26);
  await page.getByLabel('Select all on this page').check();
  await page.getByRole('button', { name: 'Select all 250' }).click();
  const selection = page.getByRole('region', { name: 'Selection' });
  await expect(selection).toContainText('250 selected of 250');
  await page.getByRole('button', { name: 'Run recipe…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Run a recipe on 250 projects');
  await expect(dialog).toContainText('26 projects will go through the recipe');
  await dialog.getByRole('combobox', { name: 'Recipe' }).click();
  await page.getByRole('option', { name: recipeName }).click();
  // The dialog states what can't be done; requested anyway, it fails with that reason.
  await expect(dialog).toContainText('6 projects will go through the recipe');
  for (const reason of [
    '224: the project is archived; restore it first',
    '20: Mesh needs data of the kind volume; upload it to the project first.',
  ])
    await expect(dialog).toContainText(reason);
  const newest = async () =>
    (await call<{ results: BulkRequest[] }>('GET', '/api/v2/bulkRequests?operationType=runRecipe'))
      .results[0];
  const release = await holdAllButOne(service.dataDir, 'createMesh');
  let request: BulkRequest;
  try {
    await dialog.getByRole('button', { name: 'Run on 6 projects' }).click();
    await expect.poll(async () => (await newest())?.completedCount, { timeout: 90_000 }).toBeGreaterThan(0);
    request = await newest();
    expect(request.totalCount).toBe(250);
    await page.goto(`${service.url}/bulk/${request.id}`);
    await expect(page.getByRole('row').filter({ hasText: 'Completed' })).not.toHaveCount(0);
    await page.getByRole('button', { name: 'Stop the request' }).click();
    await expect.poll(async () => (await newest()).status).toMatch(/^cancel/);
  } finally {
    await release();
  }
  const stopped = await ended(client, request.id);
  expect(stopped.status).toBe('cancelled');
  expect(stopped.cancelledCount).toBeGreaterThan(0);
  await expect(page.getByText(/ stopped$/)).toBeVisible();

  await page.getByRole('button', { name: /^(Retry \d+ failed|Run \d+ remaining)$/ }).click();
  await expect(page.getByRole('button', { name: /^(Retry \d+ failed|Run \d+ remaining)/ })).toHaveCount(0);
  expect(await ended(client, request.id)).toMatchObject({
    completedCount: 6,
    failedCount: 244,
    cancelledCount: 0,
  });
  // The run on each project is one click away, with its gates and a link to the viewer.
  await expect(row(page, 'Scan 5').getByRole('link', { name: /^Open the run on/ })).toBeVisible();
  await page.getByRole('combobox', { name: 'Status of the projects' }).click();
  await page.getByRole('option', { name: 'Failed' }).click();
  await expect(page).toHaveURL(/status=failed/);
  await expect(page.getByRole('row').nth(1)).toContainText('needs data of the kind volume');

  await follow(page, `/projects?workspace=${workspaceId}&tag=lot&size=25&selected=all`, service.url);
  await expect(selection).toContainText('250 selected of 250');
  await page.getByRole('button', { name: 'Results…' }).click();
  await expect(dialog).toContainText('6 projects will be packed');
  await expect(dialog).toContainText('244 projects can’t');
  await dialog.getByRole('button', { name: 'Download the results of 6 projects' }).click();
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download' }).click();
  const stream = await (await downloading).createReadStream();
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  const files = unzipSync(Buffer.concat(parts));
  const sums = Buffer.from(files['SHA256SUMS']).toString().trimEnd().split('\n');
  expect(sums).toHaveLength(Object.keys(files).length - 1);
  for (const line of sums) {
    const path = line.slice(66);
    expect([path, createHash('sha256').update(files[path]).digest('hex')]).toEqual([path, line.slice(0, 64)]);
  }
  const table = Buffer.from(files['results.csv']).toString();
  expect(table.split('\r\n').filter((line) => line.includes(',volumeMm3,'))).toHaveLength(6);
});

test('two browsers see each other’s changes, and Undo is available after a reload', async ({
  page,
  browser,
}) => {
  const mark = `${Date.now()}`;
  const workspace = await createWorkspace(`Side ${mark}`);
  for (let i = 0; i < 8; i += 1) await createProject(workspace.id, `Part ${mark} ${i}`);
  await storeSession(page);
  await open(page, workspace.id);
  await expect(page.getByRole('row')).toHaveCount(9);
  const beside = await (await browser.newContext()).newPage();
  await storeSession(beside);
  await open(beside, workspace.id);
  await expect(beside.getByRole('row')).toHaveCount(9);

  await page.getByLabel('Select all on this page').check();
  await page.getByLabel(`Select Part ${mark} 7`).uncheck();
  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('7 projects will be archived');
  await expectAccessible(page);
  // It has been focused since before the number was known, so that Enter works at once.
  await expect(dialog.getByRole('button', { name: 'Archive 7 projects' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('7 projects archived')).toBeVisible();
  for (const each of [page, beside]) {
    await expect(each.getByRole('row').filter({ hasText: 'Archived' })).toHaveCount(7);
    await expect(row(each, `Part ${mark} 7`)).not.toContainText('Archived');
  }

  // Half of them are archived, so they can't be moved.
  await page.getByLabel('Select all on this page').check();
  await page.getByRole('button', { name: 'Tag…', exact: true }).click();
  await expect(dialog).toContainText('7 projects can’t');
  await expect(dialog).toContainText('the project is archived');
  await page.keyboard.press('Escape');

  await page.goto(`${serviceUrl()}/bulk`);
  // Parallel journeys archive single projects meanwhile.
  const archived = page.getByRole('row').filter({ hasText: 'Archive' }).filter({ hasText: '7 of 7' });
  await archived.getByRole('link').click();
  await expect(page.getByRole('heading', { level: 1, name: 'Archive' })).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Undo: Restore' })).toBeVisible();
  await expect(page.getByText('7 projects restored')).toBeVisible();
  await expect(beside.getByRole('row').filter({ hasText: 'Archived' })).toHaveCount(0);
  await beside.context().close();
});
