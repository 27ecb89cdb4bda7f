import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SurfaceView } from '#contract/shapes/data-object.ts';
import { registerBlob } from '#storage/blobs/sweep.ts';
import { dataObjectFiles, dataObjects, dataViews } from '#storage/db/schema-data.ts';
import { workQueue } from '#storage/db/schema-work.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { type TestService, testService } from '../../testing/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});
afterAll(() => service.close());

async function surface(kind: 'mesh' | 'integrity', sizeBytes: number): Promise<string> {
  const { db } = service;
  const { id: projectId } = await service.project();
  const values = { projectId, ...exampleContent(kind), name: 'Surface' };
  const [{ id }] = await db.insert(dataObjects).values(values).returning();
  const blobKey = `files/aa/${id}`;
  await registerBlob(db, { key: blobKey, kind: 'object' });
  const described = { fileName: 'mesh.glb', mediaType: 'model/gltf-binary', sha256: 'a'.repeat(64) };
  await db.insert(dataObjectFiles).values({ ...described, dataObjectId: id, sizeBytes, blobKey });
  return id;
}

const ask = (id: string, detail: string, token = service.token) =>
  service.ask<SurfaceView & { code: string }>(
    'GET',
    `/api/v2/data/${id}/surfaceView?detail=${detail}`,
    undefined,
    {
      token,
    },
  );

test('the view of a large surface is started once, never waited for, and has a URL when it is ready', async () => {
  const { db } = service;
  const id = await surface('mesh', 30e6);
  expect((await ask(id, 'whole', (await service.stranger()).token)).status).toBe(404);
  expect(await db.select().from(workQueue)).toEqual([]);
  const nothingYet = { status: 'pending', data: null, triangles: null, wholeTriangles: null };
  for (let i = 0; i < 2; i++)
    expect(await ask(id, 'simplified')).toMatchObject({ status: 200, body: nothingYet });
  const [view, ...others] = await db.select().from(dataViews);
  expect(others).toEqual([]);
  expect((await db.select().from(workQueue)).map((row) => row.id)).toEqual([view.id]);

  const blobKey = `views/aa/${id}`;
  await registerBlob(db, { key: blobKey, kind: 'object' });
  const parameters = { ...view.parameters, triangles: 300_000, wholeTriangles: 2_000_000 };
  await db
    .update(dataViews)
    .set({ status: 'completed', blobKey, parameters })
    .where(eq(dataViews.id, view.id));
  const { body } = await ask(id, 'simplified');
  expect(body).toMatchObject({ status: 'completed', triangles: 300_000, wholeTriangles: 2_000_000 });
  expect(body.data).toContain('/api/files/');
});

test.each([
  ['a small surface', 'mesh', 1e6, 'whole'],
  ['places with fewer triangles', 'integrity', 30e6, 'simplified'],
] as const)('there is no view of %s', async (_, kind, sizeBytes, detail) => {
  expect(await ask(await surface(kind, sizeBytes), detail)).toMatchObject({
    status: 409,
    body: { code: 'CONFLICT' },
  });
});
