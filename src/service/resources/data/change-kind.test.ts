import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DataObject } from '#contract/shapes/data-object.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { type TestService, testService } from '../../testing/service.ts';

let service: TestService;
let projectId: string;
beforeAll(async () => {
  service = await testService();
  projectId = (await service.project()).id;
});
afterAll(() => service.close());

const as = () => ({ token: service.token });
const uploaded = { sourceFileName: 'wedge.stl', sourceSha256: 'a'.repeat(64) };
async function add(kind: 'volume' | 'mesh' | 'cad', changes: object = {}): Promise<string> {
  const [{ id }] = await service.db
    .insert(dataObjects)
    .values({ projectId, ...exampleContent(kind, changes), name: kind })
    .returning();
  return id;
}
const change = (id: string, kind: string, token = service.token) =>
  service.ask<DataObject & { code: string; detail: string }>(
    'PATCH',
    `/api/v2/data/${id}`,
    { kind },
    { token },
  );
const compare = (body?: object) =>
  service.ask<{ code: string; inputDataObjectIds: string[] }>(
    'POST',
    `/api/v2/projects/${projectId}/runMeshCompare`,
    body,
    as(),
  );

test('an uploaded mesh can become a CAD reference for comparisons, and a mesh again', async () => {
  const volume = await add('volume');
  const mesh = await add('mesh', uploaded);
  expect((await compare()).body.code).toBe('MISSING_INPUT');
  const { status, body } = await change(mesh, 'cad');
  expect([status, body.kind, body.metadata]).toEqual([200, 'cad', expect.objectContaining(uploaded)]);
  expect((await compare()).body.inputDataObjectIds).toEqual([volume, mesh]);
  expect((await change(mesh, 'cad')).status).toBe(200);
  expect((await change(mesh, 'mesh')).body.kind).toBe('mesh');
  const { body: log } = await service.ask<{ results: { action: string; detail: object }[] }>(
    'GET',
    `/api/v2/organizations/${service.organizationId}/auditLog?action=patchDataObject`,
    undefined,
    as(),
  );
  expect(log.results.filter(({ action }) => action === 'patchDataObject')).toHaveLength(2);
});

test('a CAD model keeps its metadata while it is a mesh', async () => {
  const id = await add('cad', { ...uploaded, format: 'step', faces: 7, deflectionMm: 0.01 });
  const before = await service.db.select().from(dataObjects).where(eq(dataObjects.id, id));
  expect((await change(id, 'mesh')).status).toBe(200);
  expect((await change(id, 'cad')).body.metadata).toMatchObject(before[0].metadata);
});

test('neither a scan’s own mesh nor a volume can become a reference', async () => {
  const made = await change(await add('mesh'), 'cad');
  expect([made.status, made.body.code, made.body.detail]).toEqual([
    409,
    'CONFLICT',
    expect.stringContaining('was made by an analysis'),
  ]);
  expect((await change(await add('volume'), 'cad')).status).toBe(409);
  expect((await change(await add('mesh', uploaded), 'report')).status).toBe(400);
});

test('requires the editor role, and a project that is not archived', async () => {
  const id = await add('mesh', uploaded);
  const viewer = await service.member({ role: 'viewer' });
  expect((await change(id, 'cad', viewer.token)).status).toBe(403);
  const stranger = await service.stranger();
  expect((await change(id, 'cad', stranger.token)).status).toBe(404);
  await service.ask('POST', `/api/v2/projects/${projectId}/archive`, {}, as());
  expect((await change(id, 'cad')).body.code).toBe('PROJECT_ARCHIVED');
});
