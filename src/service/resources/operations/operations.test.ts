import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '#contract/shapes/operation.ts';
import type { ProjectStatus } from '#contract/shapes/status.ts';
import { operations, workQueue } from '#storage/db/schema-work.ts';
import { type AnalysedProject, openAnalysedProject } from '../../testing/analysed-project.ts';

let service: AnalysedProject['service'];
let projectId: AnalysedProject['projectId'];
let volumeId: AnalysedProject['volumeId'];
let addObject: AnalysedProject['addObject'];
let run: AnalysedProject['run'];
beforeAll(async () => {
  ({ service, projectId, volumeId, addObject, run } = await openAnalysedProject());
});
afterAll(() => service.close());

const as = () => ({ token: service.token });
const queued = async () => {
  const rows = await service.db.select({ id: workQueue.id }).from(workQueue);
  return rows.map(({ id }) => id);
};
const set = (id: string, values: Partial<typeof operations.$inferInsert>) =>
  service.db.update(operations).set(values).where(eq(operations.id, id));

describe('requesting an analysis', () => {
  test('creates and queues an operation with defaults filled in, on the newest suitable data', async () => {
    const { status, body } = await run('createMesh');
    expect([status, body.status, body.inputDataObjectIds]).toEqual([202, 'pending', [volumeId]]);
    expect(body.parameters).toMatchObject({
      surface: { mode: 'local' },
      smoothing: 'auto',
      formats: ['glb'],
    });
    expect(await queued()).toContain(body.id);
  });

  test('again while it is pending or running returns the same operation; other parameters create a new one', async () => {
    const both = await Promise.all([run('createMesh'), run('createMesh', {})]);
    expect(both[0].body.id).toBe(both[1].body.id);
    await set(both[0].body.id, { status: 'processing' });
    expect((await run('createMesh')).body.id).toBe(both[0].body.id);
    const other = await run('createMesh', { smoothing: 1 });
    expect(other.body.id).not.toBe(both[0].body.id);
    expect((await run('createMesh', { smoothing: 1 })).body.id).toBe(other.body.id);
  });

  test('whose module is disabled is refused before its input is checked', async () => {
    const modules = `/api/v2/organizations/${service.organizationId}/analysisModules`;
    const { body } = await service.ask<{ results: { id: string; key: string }[] }>(
      'GET',
      modules,
      undefined,
      as(),
    );
    const id = body.results.find(({ key }) => key === 'wallThickness')?.id;
    await service.ask('PATCH', `${modules}/${id}`, { enabled: false }, as());
    const refused = await run('runWallThickness', { method: 'guess' });
    expect([refused.status, refused.body.code]).toEqual([403, 'MODULE_NOT_ENABLED']);
    await service.ask('PATCH', `${modules}/${id}`, { enabled: true }, as());
    const wrong = await run('runWallThickness', { method: 'guess' });
    expect([wrong.status, wrong.body.field]).toEqual([400, 'method']);
  });

  test('without input data states what is missing', async () => {
    const { id } = await service.project();
    const { status, body } = await run('createMesh', undefined, id);
    expect([status, body.code]).toEqual([409, 'MISSING_INPUT']);
  });

  test('on data of the wrong kind or of another project names the field', async () => {
    const mesh = await addObject('mesh');
    const foreign = await addObject('volume', (await service.project()).id);
    for (const sourceDataObjectId of [mesh, foreign]) {
      const { status, body } = await run('createMesh', { sourceDataObjectId });
      expect([status, body.field]).toEqual([400, 'sourceDataObjectId']);
    }
  });
});

describe('an operation', () => {
  test('that is pending is cancelled immediately, a running one becomes cancelling, a finished one is refused', async () => {
    const { id } = await service.project();
    await addObject('volume', id);
    const first = (await run('createMesh', undefined, id)).body.id;
    const cancel = (of: string) => service.ask('POST', `/api/v2/operations/${of}/cancel`, undefined, as());
    expect((await cancel(first)).body['status']).toBe('cancelled');
    const again = await cancel(first);
    expect([again.status, again.body['code']]).toEqual([409, 'ALREADY_FINISHED']);
    const second = (await run('createMesh', undefined, id)).body.id;
    await set(second, { status: 'processing', startedAt: new Date() });
    const held = { workerId: second, beatAt: new Date() };
    await service.db.update(workQueue).set(held).where(eq(workQueue.id, second));
    for (let i = 0; i < 2; i += 1) expect((await cancel(second)).body['status']).toBe('cancelling');
  });

  test('that failed can be retried, a running one cannot', async () => {
    const { id } = await service.project();
    await addObject('volume', id);
    const { body } = await run('createMesh', undefined, id);
    const retry = (fields?: unknown) =>
      service.ask<Operation & { code: string; field: string }>(
        'POST',
        `/api/v2/operations/${body.id}/retry`,
        fields,
        as(),
      );
    expect((await retry()).body.code).toBe('CONFLICT');
    await set(body.id, { status: 'failed', finishedAt: new Date(), error: { code: 'X', detail: 'x' } });
    expect((await retry({ unit: 'mm' })).body.field).toBe('unit');
    const { status, body: again } = await retry();
    expect([status, again.id, again.status, again.error]).toEqual([202, body.id, 'pending', null]);
  });

  test('of an import accepts missing information with the retry', async () => {
    const error = { code: 'INPUT_INCOMPLETE', detail: 'no spacing', missing: ['voxelSizeMm'] };
    const values = {
      projectId,
      organizationId: service.organizationId,
      operation: 'ingest',
      status: 'failed' as const,
      error,
      finishedAt: new Date(),
    };
    const [{ id }] = await service.db.insert(operations).values(values).returning();
    const url = `/api/v2/operations/${id}/retry`;
    const lacking = await service.ask('POST', url, {}, as());
    expect([lacking.status, lacking.body['field']]).toEqual([400, 'voxelSizeMm']);
    expect((await service.ask('POST', url, { voxelSizeMm: [0, 1, 1] }, as())).body['field']).toBe(
      'voxelSizeMm',
    );
    const { status, body } = await service.ask<Operation>(
      'POST',
      url,
      { voxelSizeMm: [0.1, 0.1, 0.2] },
      as(),
    );
    expect([status, body.status, body.parameters]).toEqual([
      202,
      'pending',
      { voxelSizeMm: [0.1, 0.1, 0.2] },
    ]);
    expect(await queued()).toContain(id);
  });
});

test('the status of a project has the newest operation of each analysis', async () => {
  const { id } = await service.project();
  await addObject('volume', id);
  const read = async () =>
    (await service.ask<ProjectStatus>('GET', `/api/v2/projects/${id}/status`, undefined, as())).body;
  expect(await read()).toMatchObject({ isProcessing: false, analyses: { mesh: { status: 'notStarted' } } });
  const { body } = await run('createMesh', undefined, id);
  expect(await read()).toMatchObject({
    isProcessing: true,
    analyses: { mesh: { id: body.id, status: 'pending' } },
  });
});

test('the list of all operations contains only those of the caller’s workspaces', async () => {
  const read = async (token: string, query = '') =>
    (await service.ask<{ count: number }>('GET', `/api/v2/operations${query}`, undefined, { token })).body
      .count;
  expect(await read(service.token)).toBeGreaterThan(3);
  expect(await read(service.token, '?status=melted')).toBe(0);
  const [pending, both] = [await read(service.token, '?status=pending'), '?status=pending&status=cancelled'];
  expect(pending).toBeGreaterThan(0);
  expect(await read(service.token, both)).toBe(pending + (await read(service.token, '?status=cancelled')));
  expect(await read((await service.stranger()).token)).toBe(0);
});

test('ordering by status lists running and pending operations first, oldest first', async () => {
  const { id } = await service.project();
  await addObject('volume', id);
  const start = async (kind: string) => (await run(kind, undefined, id)).body.id;
  const stopped = await start('runIntegrityAnalysis');
  await service.ask('POST', `/api/v2/operations/${stopped}/cancel`, undefined, as());
  const waiting = [await start('createMesh'), await start('runWallThickness')];
  const url = `/api/v2/projects/${id}/operations?ordering=status`;
  const { body } = await service.ask<{ results: Operation[] }>('GET', url, undefined, as());
  expect(body.results.map((each) => each.id)).toEqual([...waiting, stopped]);
});

test('an export is created once while it is pending; before the first there is none', async () => {
  const { id } = await service.project();
  const url = `/api/v2/projects/${id}/export`;
  expect((await service.ask('GET', url, undefined, as())).status).toBe(404);
  const first = await service.ask('POST', url, undefined, as());
  expect([first.status, first.body['url'], first.body['exportGenerationTime']]).toEqual([202, null, null]);
  expect((await service.ask('POST', url, {}, as())).body['id']).toBe(first.body['id']);
  const none = { exportMeshes: false, exportVolumes: false, exportRadiographs: false };
  expect((await service.ask('POST', url, { config: none }, as())).status).toBe(400);
  const stopped = await service.ask('POST', `/api/v2/exports/${first.body['id']}/cancel`, undefined, as());
  expect([stopped.status, stopped.body['status']]).toEqual([202, 'cancelled']);
});

test('the service logged no error', () => {
  expect(service.errors).toEqual([]);
});
