import { existsSync } from 'node:fs';
import { utimes, writeFile } from 'node:fs/promises';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeStl } from '#formats/stl/write-stl.ts';
import { registerBlob } from '#storage/blobs/sweep.ts';
import { uploadFile } from '#storage/data-folder.ts';
import { blobs, projects } from '#storage/db/schema-projects.ts';
import { exports, uploads } from '#storage/db/schema-work.ts';
import { openWorkerHarness, type WorkerHarness } from '../testing/worker-harness.ts';
import { runMaintenance } from './run-maintenance.ts';

let harness: WorkerHarness;
const never = new AbortController().signal;
const tetrahedron = {
  positions: Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]),
  indices: Uint32Array.from([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]),
};

beforeAll(async () => {
  harness = await openWorkerHarness();
  await harness.startWorker();
});
afterAll(() => harness.close());

const context = () => {
  if (!harness.worker) throw new Error('the worker is not started');
  return harness.worker.context;
};
const longAgo = (days: number) => sql`now() - make_interval(days => ${days})`;

it('purges expired items of the trash with their bytes, and nothing else', async () => {
  const [old, recent] = [await harness.newProject('Old'), await harness.newProject('Recent')];
  const { outputDataObjectIds } = await harness.ended(
    await harness.upload('old.stl', writeStl(tetrahedron), { unit: 'mm' }, old),
  );
  const [file] = await harness.files(outputDataObjectIds[0]);
  const trash = (id: string, days: number) =>
    harness.db
      .update(projects)
      .set({ state: 'deleted', deletedAt: longAgo(days) })
      .where(eq(projects.id, id));
  await trash(old, 31);
  await trash(recent, 29);
  await harness.db.update(blobs).set({ createdAt: longAgo(2) });
  await runMaintenance(context(), never);
  const left = await harness.db.select({ name: projects.name }).from(projects);
  expect(left.map(({ name }) => name).sort()).toEqual(['Part', 'Recent']);
  expect(await harness.store.head(file.blobKey)).toBeUndefined();
});

it('deletes the archive of an expired export, and keeps its row', async () => {
  await registerBlob(harness.db, { key: 'exports/aa/expired', kind: 'object' });
  await harness.store.put('exports/aa/expired', new Uint8Array(10));
  const config = { exportMeshes: true, exportVolumes: false, exportRadiographs: false };
  const [{ id }] = await harness.db
    .insert(exports)
    .values({
      projectId: harness.projectId,
      config,
      status: 'completed',
      blobKey: 'exports/aa/expired',
      expiresAt: new Date(Date.now() - 1000),
      finishedAt: new Date(),
    })
    .returning();
  await harness.db.update(blobs).set({ createdAt: longAgo(2) });
  await runMaintenance(context(), never);
  const [row] = await harness.db.select().from(exports).where(eq(exports.id, id));
  expect([row.status, row.blobKey]).toEqual(['completed', null]);
  expect(await harness.store.head('exports/aa/expired')).toBeUndefined();
});

it('deletes files of abandoned uploads, and keeps those that can still be resumed', async () => {
  const place = async (days: number, values: Partial<typeof uploads.$inferInsert>) => {
    const [{ id }] = await harness.db
      .insert(uploads)
      .values({ projectId: harness.projectId, fileName: 'part.raw', ...values })
      .returning();
    const file = uploadFile(harness.config, id);
    await writeFile(file, 'half');
    const at = new Date(Date.now() - days * 24 * 3600 * 1000);
    await utimes(file, at, at);
    return file;
  };
  const expired = await place(8, { expiresAt: new Date(Date.now() - 1000) });
  const underWay = await place(3, { expiresAt: new Date(Date.now() + 1_000_000) });
  const strayId = crypto.randomUUID();
  await writeFile(uploadFile(harness.config, strayId), 'stray');
  const old = new Date(Date.now() - 3 * 24 * 3600 * 1000);
  await utimes(uploadFile(harness.config, strayId), old, old);
  await runMaintenance(context(), never);
  expect([
    existsSync(expired),
    existsSync(underWay),
    existsSync(uploadFile(harness.config, strayId)),
  ]).toEqual([false, true, false]);
});
