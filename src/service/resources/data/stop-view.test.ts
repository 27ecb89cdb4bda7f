import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VolumeViewQuery } from '#contract/shapes/data-object.ts';
import { dataObjects, dataViews } from '#storage/db/schema-data.ts';
import { workQueue } from '#storage/db/schema-work.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { type TestService, testService } from '../../testing/service.ts';
import { requestView } from './store.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});
afterAll(() => service.close());

test('the progress of a view can be read without requesting it; anyone with access can cancel it once, and a new request restarts it', async () => {
  const { db, token } = service;
  const { id: projectId } = await service.project();
  const [{ id }] = await db
    .insert(dataObjects)
    .values({ projectId, ...exampleContent('volume'), name: 'Scan' })
    .returning();
  const query = { outputFormat: 'raw', max_dimension_size: 64 };
  const cancel = (by: string, edge = 64) =>
    service.ask<{ id: string; status: string; code: string }>(
      'POST',
      `/api/v2/data/${id}/view/cancel?outputFormat=raw&max_dimension_size=${edge}`,
      undefined,
      { token: by },
    );
  const state = async (by = token) => {
    const url = `/api/v2/data/${id}/view/state?outputFormat=raw&max_dimension_size=64`;
    const { status, body } = await service.ask<{ view: unknown }>('GET', url, undefined, { token: by });
    return status === 200 ? body.view : status;
  };
  const waiting = async () => (await db.select().from(workQueue)).map((row) => row.id);
  expect(await state()).toBeNull();
  expect(await waiting()).toEqual([]);
  const view = await requestView(db, id, VolumeViewQuery.parse(query));
  expect(await waiting()).toEqual([view.id]);
  await db.update(dataViews).set({ status: 'processing', progress: 0.25 }).where(eq(dataViews.id, view.id));
  expect(await state()).toEqual({ id: view.id, status: 'processing', progress: 0.25 });
  expect(await state((await service.stranger()).token)).toBe(404);
  await db.update(dataViews).set({ status: 'pending' }).where(eq(dataViews.id, view.id));
  expect((await cancel((await service.stranger()).token)).status).toBe(404);
  expect((await cancel(token, 65)).status).toBe(404);
  const stopped = await cancel(token);
  expect([stopped.status, stopped.body]).toMatchObject([202, { id: view.id, status: 'cancelled' }]);
  expect(await waiting()).toEqual([]);
  expect(await state()).toMatchObject({ id: view.id, status: 'cancelled' });
  const again = await cancel(token);
  expect([again.status, again.body.code]).toEqual([409, 'ALREADY_FINISHED']);
  const anew = await requestView(db, id, VolumeViewQuery.parse(query));
  expect([anew.id, anew.status]).toEqual([view.id, 'pending']);
  expect(await waiting()).toEqual([view.id]);
});
