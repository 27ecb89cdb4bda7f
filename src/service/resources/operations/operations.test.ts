import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '#contract/shapes/operation.ts';
import type { Capability } from '#contract/shapes/project.ts';
import type { ProjectStatus } from '#contract/shapes/status.ts';
import { dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';
import { blobs } from '#storage/db/schema-projects.ts';
import { operations, workQueue } from '#storage/db/schema-work.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { type TestService, testService } from '../../testing/service.ts';

let service: TestService;
let projectId: string;
let volumeId: string;
beforeAll(async () => {
  service = await testService();
  projectId = (await service.project()).id;
  volumeId = await addObject('volume');
});
afterAll(() => service.close());

async function addObject(
  kind: 'volume' | 'mesh' | 'cad' | 'report',
  of = projectId,
  changes: object = {},
): Promise<string> {
  const [{ id }] = await service.db
    .insert(dataObjects)
    .values({ projectId: of, ...exampleContent(kind, changes), name: kind })
    .returning();
  return id;
}
const as = () => ({ token: service.token });
const run = (kind: string, body?: unknown, of = projectId) =>
  service.ask<Operation & { code: string; field: string; detail: string }>(
    'POST',
    `/api/v2/projects/${of}/${kind}`,
    body,
    as(),
  );
const queued = async () => {
  const rows = await service.db.select({ id: workQueue.id }).from(workQueue);
  return rows.map(({ id }) => id);
};
const set = (id: string, values: Partial<typeof operations.$inferInsert>) =>
  service.db.update(operations).set(values).where(eq(operations.id, id));

describe('asking for an analysis', () => {
  test('makes an operation with the defaults filled in, on the newest fitting data, and puts it into the queue', async () => {
    const { status, body } = await run('createMesh');
    expect([status, body.status, body.inputDataObjectIds]).toEqual([202, 'pending', [volumeId]]);
    expect(body.parameters).toMatchObject({
      surface: { mode: 'local' },
      smoothing: 'auto',
      formats: ['glb'],
    });
    expect(await queued()).toContain(body.id);
  });

  test('again, while it waits or runs, returns that one; with other parameters another one', async () => {
    const both = await Promise.all([run('createMesh'), run('createMesh', {})]);
    expect(both[0].body.id).toBe(both[1].body.id);
    await set(both[0].body.id, { status: 'processing' });
    expect((await run('createMesh')).body.id).toBe(both[0].body.id);
    const other = await run('createMesh', { smoothing: 1 });
    expect(other.body.id).not.toBe(both[0].body.id);
    expect((await run('createMesh', { smoothing: 1 })).body.id).toBe(other.body.id);
  });

  test('whose module is off is refused before its input is looked at', async () => {
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

  test('without data to work on says what is missing', async () => {
    const { id } = await service.project();
    const { status, body } = await run('createMesh', undefined, id);
    expect([status, body.code]).toEqual([409, 'MISSING_INPUT']);
  });

  test('on data of another kind, or of another project, names the field', async () => {
    const mesh = await addObject('mesh');
    const foreign = await addObject('volume', (await service.project()).id);
    for (const sourceDataObjectId of [mesh, foreign]) {
      const { status, body } = await run('createMesh', { sourceDataObjectId });
      expect([status, body.field]).toEqual([400, 'sourceDataObjectId']);
    }
  });
});

describe('asking for a comparison', () => {
  test('takes the newest volume as the source, and a mesh when the only volume is the reference', async () => {
    const { id } = await service.project();
    const [mesh, volume, cad] = [
      await addObject('mesh', id),
      await addObject('volume', id),
      await addObject('cad', id),
    ];
    const inputs = async (referenceDataObjectId: string) =>
      (await run('runMeshCompare', { referenceDataObjectId }, id)).body.inputDataObjectIds;
    expect(await inputs(cad)).toEqual([volume, cad]);
    expect(await inputs(volume)).toEqual([mesh, volume]);
  });

  const comparisons = ['runAutoAlignLite', 'runMeshCompare', 'runDecomposeMeshCompare'];

  test('with what can’t be a reference names the field', async () => {
    const { id } = await service.project();
    await addObject('volume', id);
    const mesh = await addObject('mesh', id);
    const report = await addObject('report', id);
    const { id: elsewhere } = await service.project();
    const foreign = await addObject('report', elsewhere);
    const none = crypto.randomUUID();
    for (const kind of comparisons) {
      for (const referenceDataObjectId of [foreign, none, report, 'no-id']) {
        const { status, body } = await run(kind, { referenceDataObjectId }, id);
        expect([status, body.field], `${kind} ${referenceDataObjectId}`).toEqual([
          400,
          'referenceDataObjectId',
        ]);
      }
      const itself = await run(kind, { sourceDataObjectId: mesh, referenceDataObjectId: mesh }, id);
      expect([itself.status, itself.body.field]).toEqual([400, 'referenceDataObjectId']);
    }
  });

  test('without CAD never takes the scan’s own mesh, volume or file as the reference, and says MISSING_INPUT', async () => {
    const { id } = await service.project();
    const volume = await addObject('volume', id);
    const made = await run('createMesh', undefined, id);
    await set(made.body.id, { status: 'completed', finishedAt: new Date() });
    const mesh = await addObject('mesh', id);
    await service.db
      .update(dataObjects)
      .set({ createdByOperationId: made.body.id })
      .where(eq(dataObjects.id, mesh));
    const allowed = async () => {
      const { body } = await service.ask<{ capabilities: Capability[] }>(
        'GET',
        `/api/v2/projects/${id}`,
        undefined,
        as(),
      );
      return body.capabilities.find(({ action }) => action === 'runMeshCompare');
    };
    expect(await allowed()).toEqual({
      action: 'runMeshCompare',
      allowed: false,
      reason: expect.stringContaining('nothing to compare with'),
      missing: 'reference',
    });
    for (const kind of comparisons) {
      const { status, body } = await run(kind, undefined, id);
      expect([status, body.code], kind).toEqual([409, 'MISSING_INPUT']);
    }
    const sourceSha256 = 'e'.repeat(64);
    await service.db
      .update(dataObjects)
      .set(exampleContent('volume', { sourceSha256 }))
      .where(eq(dataObjects.id, volume));
    // The very file that the scan came from, and the scan's mesh given back as a copy or as the file that was downloaded,
    // are no CAD model of it either.
    await addObject('cad', id, { sourceSha256 });
    const file = { fileName: 'mesh.stl', mediaType: 'model/stl', sizeBytes: 1, sha256: 'f'.repeat(64) };
    await service.db.insert(blobs).values({ key: 'files/mesh-of-the-scan', kind: 'object' });
    await service.db
      .insert(dataObjectFiles)
      .values({ ...file, dataObjectId: mesh, blobKey: 'files/mesh-of-the-scan' });
    await addObject('cad', id, { sourceSha256: file.sha256 });
    const copy = await addObject('cad', id, { sourceSha256: 'c'.repeat(64) });
    await service.db
      .update(dataObjects)
      .set({ copiedFromDataObjectId: mesh })
      .where(eq(dataObjects.id, copy));
    expect((await run('runMeshCompare', undefined, id)).body.code).toBe('MISSING_INPUT');
    const cad = await addObject('cad', id, { sourceSha256: 'd'.repeat(64) });
    expect((await allowed())?.allowed).toBe(true);
    for (const kind of comparisons) {
      const { status, body } = await run(kind, undefined, id);
      expect([status, body.inputDataObjectIds], kind).toEqual([202, [volume, cad]]);
      expect(body.parameters).toMatchObject({ referenceDataObjectId: cad });
    }
  });

  test('takes data of another project of the organization, and of none that the caller can’t see', async () => {
    const { id } = await service.project();
    const volume = await addObject('volume', id);
    const { id: elsewhere } = await service.project({ name: 'Hóusing drawings', partNumber: 'PN-100%' });
    const cad = await addObject('cad', elsewhere, { sourceFileName: 'cover_B.step' });
    const listed = async (query: string, token = service.token) => {
      const url = `/api/v2/projects/${id}/foreignReferences?${query}`;
      const { body } = await service.ask<{ results: { id: string }[] }>('GET', url, undefined, { token });
      return body.results.map((each) => each.id);
    };
    for (const search of ['housing DRAW', 'n-100%25', 'COVER_b'])
      expect(await listed(`search=${search}`), search).toEqual([cad]);
    expect(await listed('search=coverXb')).toEqual([]);
    expect(await listed(`id=${cad}`)).toEqual([cad]);
    const ofItself = await addObject('cad', id);
    const seen = await run('runMeshCompare', { referenceDataObjectId: cad }, id);
    expect([seen.status, seen.body.inputDataObjectIds]).toEqual([202, [volume, cad]]);
    for (const kind of ['volume', 'mesh'] as const) {
      const scan = await addObject(kind, elsewhere);
      expect(await listed(`search=housing&kind=${kind}`)).toEqual([scan]);
      expect(await listed(`id=${scan}`)).toEqual([scan]);
      const compared = await run('runMeshCompare', { referenceDataObjectId: scan }, id);
      expect([compared.status, compared.body.inputDataObjectIds]).toEqual([202, [volume, scan]]);
    }
    const { token, workspaceId } = await service.stranger();
    const theirs = await service.ask<{ id: string }>(
      'POST',
      '/api/v2/projects',
      { workspaceId, name: 'Theirs' },
      { token },
    );
    const foreign = await addObject('cad', theirs.body.id);
    const unknown = await run('runMeshCompare', { referenceDataObjectId: crypto.randomUUID() }, id);
    const refused = await run('runMeshCompare', { referenceDataObjectId: foreign }, id);
    expect([refused.status, refused.body.field]).toEqual([400, 'referenceDataObjectId']);
    expect(refused.body.detail).toBe(unknown.body.detail);
    const ids = await listed('page_size=200');
    expect([ids.includes(cad), ids.includes(foreign), ids.includes(ofItself)]).toEqual([true, false, false]);
    // Of the same organization, but of a workspace that he has no role in.
    const member = await service.member({ role: 'editor' });
    const other = await service.ask<{ id: string }>(
      'POST',
      `/api/v2/organizations/${service.organizationId}/workspaces`,
      { name: 'Closed' },
      as(),
    );
    const closed = await addObject('cad', (await service.project({ workspaceId: other.body.id })).id);
    const hidden = await service.ask<{ detail: string }>(
      'POST',
      `/api/v2/projects/${id}/runMeshCompare`,
      { referenceDataObjectId: closed },
      { token: member.token },
    );
    expect([hidden.status, hidden.body.detail]).toEqual([400, unknown.body.detail]);
    expect(await listed(`id=${closed}`)).toEqual([closed]);
    expect(await listed(`id=${closed}`, member.token)).toEqual([]);
  });

  test('of another organization’s project is not found', async () => {
    const { id } = await service.project();
    await addObject('volume', id);
    const referenceDataObjectId = await addObject('cad', id);
    const { token } = await service.stranger();
    const url = `/api/v2/projects/${id}/runMeshCompare`;
    const { status } = await service.ask('POST', url, { referenceDataObjectId }, { token });
    expect(status).toBe(404);
  });

  test('by CAD face needs a reference that has faces', async () => {
    const { id } = await service.project();
    await addObject('volume', id);
    const [mesh, cad] = [await addObject('cad', id), await addObject('cad', id, { faces: 7 })];
    const by = (referenceDataObjectId: string) =>
      run('runDecomposeMeshCompare', { referenceDataObjectId, groupBy: 'cadFace' }, id);
    const refused = await by(mesh);
    expect([refused.status, refused.body.field]).toEqual([400, 'groupBy']);
    expect((await by(cad)).status).toBe(202);
  });

  test('refuses a matrix that is missing, too short, or a tolerance the wrong way round', async () => {
    const { id } = await service.project();
    await addObject('volume', id);
    const referenceDataObjectId = await addObject('cad', id);
    const nameField = async (more: object) =>
      (await run('runMeshCompare', { referenceDataObjectId, ...more }, id)).body.field;
    expect(await nameField({ alignment: 'matrix' })).toBe('matrix');
    expect(await nameField({ alignment: 'matrix', matrix: [1, 0, 0] })).toBe('matrix');
    expect(await nameField({ tolerance: { lowerMm: 0.1, upperMm: -0.1 } })).toBe('tolerance.upperMm');
    expect(await nameField({ guardBandMm: -1 })).toBe('guardBandMm');
  });
});

describe('an operation', () => {
  test('that waits is cancelled at once, that runs is being cancelled, that has ended can’t be', async () => {
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

  test('that failed can be run again, one that is under way can’t', async () => {
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

  test('of an ingest that lacks something takes it with the retry', async () => {
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

test('the list of all operations shows those of the caller’s workspaces only', async () => {
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

test('in order of status comes first what runs and waits, the oldest first', async () => {
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

test('an export is made once while it waits, and there is none before the first', async () => {
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

test('nothing of this was the service’s own failure', () => {
  expect(service.errors).toEqual([]);
});
