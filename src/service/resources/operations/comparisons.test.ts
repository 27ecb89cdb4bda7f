import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Capability } from '#contract/shapes/project.ts';
import { dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';
import { blobs } from '#storage/db/schema-projects.ts';
import { operations } from '#storage/db/schema-work.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { type AnalysedProject, openAnalysedProject } from '../../testing/analysed-project.ts';

let service: AnalysedProject['service'];
let addObject: AnalysedProject['addObject'];
let run: AnalysedProject['run'];
beforeAll(async () => {
  ({ service, addObject, run } = await openAnalysedProject());
});
afterAll(() => service.close());

const as = () => ({ token: service.token });
const set = (id: string, values: Partial<typeof operations.$inferInsert>) =>
  service.db.update(operations).set(values).where(eq(operations.id, id));

describe('requesting a comparison', () => {
  test('uses the newest volume as source, or a mesh when the only volume is the reference', async () => {
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

  test('with an unsuitable reference names the field', async () => {
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

  test('without CAD never uses the scan’s own mesh, volume or file as reference, and returns MISSING_INPUT', async () => {
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
    // Neither the scan's own source file nor its mesh, copied or downloaded and uploaded again, counts as a CAD model.
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

  test('accepts data of another project of the organization only if the caller may see it', async () => {
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
    // In the same organization, but in a workspace where the member has no role.
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

  test('with a reference from another organization is not found', async () => {
    const { id } = await service.project();
    await addObject('volume', id);
    const referenceDataObjectId = await addObject('cad', id);
    const { token } = await service.stranger();
    const url = `/api/v2/projects/${id}/runMeshCompare`;
    const { status } = await service.ask('POST', url, { referenceDataObjectId }, { token });
    expect(status).toBe(404);
  });

  test('by CAD face requires a reference with faces', async () => {
    const { id } = await service.project();
    await addObject('volume', id);
    const [mesh, cad] = [await addObject('cad', id), await addObject('cad', id, { faces: 7 })];
    const by = (referenceDataObjectId: string) =>
      run('runDecomposeMeshCompare', { referenceDataObjectId, groupBy: 'cadFace' }, id);
    const refused = await by(mesh);
    expect([refused.status, refused.body.field]).toEqual([400, 'groupBy']);
    expect((await by(cad)).status).toBe(202);
  });

  test('refuses a missing or too short matrix, and a reversed tolerance', async () => {
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

test('the service logged no error', () => {
  expect(service.errors).toEqual([]);
});
