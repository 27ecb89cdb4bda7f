import { existsSync } from 'node:fs';
import { utimes, writeFile } from 'node:fs/promises';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeStl } from '#formats/stl/write-stl.ts';
import { registerBlob } from '#storage/blobs/sweep.ts';
import { uploadFile } from '#storage/data-folder.ts';
import { blobs, projects } from '#storage/db/schema-projects.ts';
import { exports, uploads } from '#storage/db/schema-work.ts';
import { openWorkerBench, type WorkerBench } from '../testing/worker-bench.ts';
import { runMaintenance } from './run-maintenance.ts';

let bench: WorkerBench;
const never = new AbortController().signal;
const tetrahedron = {
  positions: Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]),
  indices: Uint32Array.from([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]),
};

beforeAll(async () => {
  bench = await openWorkerBench();
  await bench.startWorker();
});
afterAll(() => bench.close());

const context = () => {
  if (!bench.worker) throw new Error('the worker is not started');
  return bench.worker.context;
};
const longAgo = (days: number) => sql`now() - make_interval(days => ${days})`;

it('purges what has lain in the trash for its time, with its bytes, and nothing else', async () => {
  const [old, recent] = [await bench.newProject('Old'), await bench.newProject('Recent')];
  const { outputDataObjectIds } = await bench.ended(
    await bench.upload('old.stl', writeStl(tetrahedron), { unit: 'mm' }, old),
  );
  const [file] = await bench.files(outputDataObjectIds[0]);
  const trash = (id: string, days: number) =>
    bench.db
      .update(projects)
      .set({ state: 'deleted', deletedAt: longAgo(days) })
      .where(eq(projects.id, id));
  await trash(old, 31);
  await trash(recent, 29);
  await bench.db.update(blobs).set({ createdAt: longAgo(2) });
  await runMaintenance(context(), never);
  const left = await bench.db.select({ name: projects.name }).from(projects);
  expect(left.map(({ name }) => name).sort()).toEqual(['Part', 'Recent']);
  expect(await bench.store.head(file.blobKey)).toBeUndefined();
});

it('forgets the archive of an expired export, and keeps its row', async () => {
  await registerBlob(bench.db, { key: 'exports/aa/expired', kind: 'object' });
  await bench.store.put('exports/aa/expired', new Uint8Array(10));
  const config = { exportMeshes: true, exportVolumes: false, exportRadiographs: false };
  const [{ id }] = await bench.db
    .insert(exports)
    .values({
      projectId: bench.projectId,
      config,
      status: 'completed',
      blobKey: 'exports/aa/expired',
      expiresAt: new Date(Date.now() - 1000),
      finishedAt: new Date(),
    })
    .returning();
  await bench.db.update(blobs).set({ createdAt: longAgo(2) });
  await runMaintenance(context(), never);
  const [row] = await bench.db.select().from(exports).where(eq(exports.id, id));
  expect([row.status, row.blobKey]).toEqual(['completed', null]);
  expect(await bench.store.head('exports/aa/expired')).toBeUndefined();
});

it('removes files of uploads that were given up, and keeps those that somebody may go on with', async () => {
  const place = async (days: number, values: Partial<typeof uploads.$inferInsert>) => {
    const [{ id }] = await bench.db
      .insert(uploads)
      .values({ projectId: bench.projectId, fileName: 'part.raw', ...values })
      .returning();
    const file = uploadFile(bench.config, id);
    await writeFile(file, 'half');
    const at = new Date(Date.now() - days * 24 * 3600 * 1000);
    await utimes(file, at, at);
    return file;
  };
  const expired = await place(8, { expiresAt: new Date(Date.now() - 1000) });
  const underWay = await place(3, { expiresAt: new Date(Date.now() + 1_000_000) });
  const strayId = crypto.randomUUID();
  await writeFile(uploadFile(bench.config, strayId), 'stray');
  const old = new Date(Date.now() - 3 * 24 * 3600 * 1000);
  await utimes(uploadFile(bench.config, strayId), old, old);
  await runMaintenance(context(), never);
  expect([existsSync(expired), existsSync(underWay), existsSync(uploadFile(bench.config, strayId))]).toEqual([
    false,
    true,
    false,
  ]);
});
