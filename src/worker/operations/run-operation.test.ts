import { once } from 'node:events';
import { and, eq, inArray, isNull } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Provenance } from '#contract/shapes/operation.ts';
import { readGlb } from '#formats/glb/read-glb.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { dataObjects, type RowOfKind } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations, workQueue } from '#storage/db/schema-work.ts';
import { copyProjects } from '#storage/projects/copy-projects.ts';
import { cancelWork } from '#storage/work/life.ts';
import { enqueue, priorities } from '#storage/work/queue.ts';
import type { WorkerContext } from '../context.ts';
import { completeWith } from '../results/write-results.ts';
import { expectStopped } from '../testing/expect-stopped.ts';
import { holdResult, holdThreads } from '../testing/hold.ts';
import { ingestTube } from '../testing/parts.ts';
import { openWorkerHarness, type WorkerHarness } from '../testing/worker-harness.ts';
import type { OperationWork } from '../work/work.ts';
import { WorkBlobs } from '../work/work-blobs.ts';
import { openSharedSurfaces } from './shared-surfaces.ts';

let harness: WorkerHarness;

beforeAll(async () => {
  harness = await openWorkerHarness();
  await harness.startWorker();
  await ingestTube(harness);
});
afterAll(() => harness.close());

const rowOf = async (id: string) =>
  (await harness.db.select().from(operations).where(eq(operations.id, id)))[0];
const isUnderWay = async (id: string) => {
  const { status, progress, finishedAt } = await rowOf(id);
  expect(finishedAt).toBeNull();
  return status === 'processing' && progress > 0;
};
const newestVolume = async (projectId: string) => {
  const of = and(eq(dataObjects.projectId, projectId), eq(dataObjects.kind, 'volume'));
  return (await harness.db.select().from(dataObjects).where(of))[0].id;
};
/** An analysis that is under way until it is stopped. */
const requestHeld = async () => {
  const { reached, release } = holdThreads(harness, 'rays');
  const id = await harness.request('runWallThickness', { smoothing: 2 });
  await reached;
  return { id, release };
};

it('runs an analysis on the newest volume, and writes its result, provenance and checksums together', async () => {
  const id = await harness.request('createMesh', { formats: ['glb', 'stl'] });
  const row = await harness.ended(id);
  expect(row.error).toBeNull();
  expect(row).toMatchObject({ status: 'completed', progress: 1, stage: null });
  const mesh = await harness.output(id, 'mesh');
  expect(mesh.metadata['watertight']).toBe(true);
  const truth = Math.PI * (2 ** 2 - 1.5 ** 2) * 4;
  expect(Math.abs((mesh.metadata['volumeMm3'] as number) / truth - 1)).toBeLessThan(0.01);
  // The scan and the surface determined from it.
  expect(row.inputDataObjectIds).toHaveLength(2);
  const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(row.provenance).toMatchObject({
    inputs: row.inputDataObjectIds.map((dataObjectId) => ({ dataObjectId, sha256 })),
    parameters: { smoothing: 'auto', surface: { mode: 'local' }, formats: ['glb', 'stl'] },
    version: '0.0.0-test',
  });
  const files = await harness.files(mesh.id);
  expect(files.map(({ fileName }) => fileName)).toEqual(['mesh.glb', 'mesh.stl']);
  const glb = readGlb(await harness.store.read(files[0].blobKey));
  expect(glb.indices.length / 3).toBe(mesh.metadata['triangles']);
  const [project] = await harness.db.select().from(projects).where(eq(projects.id, harness.projectId));
  expect([project.dataObjectCount, project.latestOperationId]).toEqual([3, id]);
});

it('determines a surface once, for all later and concurrent operations', async () => {
  const surfaces = () =>
    harness.db
      .select()
      .from(dataObjects)
      .where(and(eq(dataObjects.projectId, harness.projectId), eq(dataObjects.kind, 'surface')));
  const usedBy = async (id: string) => {
    const { error, inputDataObjectIds } = await harness.ended(id);
    expect(error).toBeNull();
    return inputDataObjectIds[1];
  };
  const [surface] = await surfaces();
  expect(surface.metadata).toMatchObject({ surfaceMode: 'local', oneLevel: 'even' });
  expect((await harness.files(surface.id)).map(({ fileName }) => fileName)).toEqual(['surface.json']);
  expect(await usedBy(await harness.request('runIntegrityAnalysis'))).toBe(surface.id);
  // In a region, and with another setting.
  const region = { min: [-3, -3, 0], max: [3, 3, 3] };
  expect(await usedBy(await harness.request('createMesh', { region }))).toBe(surface.id);
  const other = await usedBy(await harness.request('createMesh', { surface: { mode: 'otsu' } }));
  expect(other).not.toBe(surface.id);
  // Two operations that determine the same surface at once name one data object; the first to finish writes it.
  const project = async () =>
    (await harness.db.select().from(projects).where(eq(projects.id, harness.projectId)))[0];
  const before = await project();
  const row = await rowOf(surface.createdByOperationId ?? '');
  const file = {
    fileName: 'surface.json',
    mediaType: 'application/json',
    parts: [new Uint8Array([123, 125])],
  };
  const determine = async () => ({
    metadata: surface.metadata as RowOfKind<'surface'>['metadata'],
    files: [file],
  });
  const scan = row.inputDataObjectIds[0];
  const readScanRow = async () =>
    (await harness.db.select().from(dataObjects).where(eq(dataObjects.id, scan)))[0];
  const made = await Promise.all(
    [1, 2].map(async () => {
      const blobs = new WorkBlobs(harness.db, harness.store, row.id, new AbortController().signal);
      const context = { db: harness.db, store: harness.store } as WorkerContext;
      const shared = openSharedSurfaces({ row, context, blobs }, readScanRow);
      await shared.surface(scan, { mode: 'of my own' }, determine);
      return (await shared.finish()).made;
    }),
  );
  expect(made[0][0].id).toBe(made[1][0].id);
  for (const shared of made) {
    const provenance = { inputs: [] } as unknown as Provenance;
    const end = completeWith({ row, project: before } as OperationWork, {
      ...{ dataObjects: [], shared, warnings: [], provenance },
    });
    await harness.db.transaction(async (tx) => end.write?.(tx));
  }
  expect((await surfaces()).map(({ id }) => id).sort()).toEqual([surface.id, other, made[0][0].id].sort());
  expect((await project()).dataObjectCount).toBe(before.dataObjectCount + 1);
});

it('a copied project uses its own copies of the scan and its surface', async () => {
  const { db, projectId, userId, organizationId } = harness;
  const [{ workspaceId }] = await db.select().from(projects).where(eq(projects.id, projectId));
  const named = await harness.request('createMesh', { sourceDataObjectId: await newestVolume(projectId) });
  await harness.ended(named);
  const copies = await inTransaction(db, (tx) =>
    copyProjects(tx, { userId, email: 'engineer@example.com' }, [projectId], {
      id: workspaceId,
      organizationId,
    }),
  );
  const copyId = copies.get(projectId)?.id ?? '';
  const originals = await db.select().from(dataObjects).where(eq(dataObjects.projectId, projectId));
  const done = await db.select().from(operations).where(eq(operations.projectId, copyId));
  expect(done.length).toBeGreaterThan(3);
  const text = JSON.stringify(done);
  expect(originals.filter(({ id }) => text.includes(id))).toEqual([]);
  const mesh = await harness.ended(await harness.request('createMesh', {}, copyId));
  expect(mesh.error).toBeNull();
  const rows = await db.select().from(dataObjects).where(eq(dataObjects.projectId, copyId));
  const used = mesh.inputDataObjectIds.map((id) => rows.find((row) => row.id === id));
  expect(used.map((row) => row?.kind)).toEqual(['volume', 'surface']);
  expect(used.every((row) => row?.copiedFromDataObjectId)).toBe(true);
});

it('measurements of a part are stored with its surface by the first operation that makes them', async () => {
  const surfaceOf = async (operationId: string) => {
    const id = (await harness.ended(operationId)).inputDataObjectIds[1] ?? '';
    const [row] = await harness.db.select().from(dataObjects).where(eq(dataObjects.id, id));
    return row;
  };
  // The setting of no other test, and an analysis that measures no volume.
  const surface = { mode: 'iso50' };
  const determined = await surfaceOf(await harness.request('runWallThickness', { surface }));
  expect(determined.metadata).not.toHaveProperty('part');
  const mesh = await harness.request('createMesh', { surface });
  const measured = await surfaceOf(mesh);
  const { volumeMm3, areaMm2 } = (await harness.output(mesh, 'mesh')).metadata;
  expect(measured).toMatchObject({ id: determined.id, metadata: { part: { volumeMm3, areaMm2 } } });
  const integrity = await harness.request('runIntegrityAnalysis', { threshold: surface });
  expect(await surfaceOf(integrity)).toEqual(measured);
  expect((await harness.output(integrity, 'integrity')).metadata['materialVolumeMm3']).toBe(volumeMm3);
});

it('does nothing again if it is queued again after its end', async () => {
  const id = await harness.request('runWallThickness', { minThicknessMm: 0.4 });
  const first = await harness.ended(id);
  expect(first.error).toBeNull();
  const demand = { place: 'compute', priority: priorities.interactive } as const;
  await harness.db.transaction((tx) => enqueue(tx, 'operation', id, demand));
  // A later request ends later: by then the repeated job has been claimed.
  await harness.ended(await harness.request('createMesh'));
  expect(await rowOf(id)).toEqual(first);
  expect(await harness.outputs(id)).toHaveLength(1);
});

it('reports what is missing if there is no input', async () => {
  const id = await harness.request('createMesh', {}, await harness.newProject('Empty'));
  expect((await harness.ended(id)).error).toMatchObject({
    code: 'MISSING_INPUT',
    detail: 'Mesh needs data of the kind volume; upload it to the project first.',
  });
});

it('reports the range of grey values if a surface level is outside it', async () => {
  const id = await harness.request('createMesh', { surface: { mode: 'value', value: 70_000 } });
  expect((await harness.ended(id)).error).toMatchObject({ code: 'NO_SURFACE' });
});

it('stops within a second when it is cancelled, and leaves nothing', () =>
  expectStopped(harness, requestHeld));

it('takes only operations that it can start, and measures their duration from then on', async () => {
  const { id: slow, release } = await requestHeld();
  const meshes = [await harness.request('createMesh'), await harness.request('createMesh')];
  // A worker that would take them, too, has done so by the time it has looked at a file that came later.
  const elsewhere = await harness.newProject('Later');
  await harness.ended(await harness.upload('later.stl', new Uint8Array(1), {}, elsewhere));
  const waiting = and(inArray(workQueue.id, meshes), isNull(workQueue.workerId));
  expect(await harness.db.$count(workQueue, waiting)).toBe(2);
  for (const id of meshes) expect(await rowOf(id)).toMatchObject({ status: 'pending', startedAt: null });
  await harness.db.transaction((tx) => cancelWork(tx, 'operation', slow));
  release();
  let before = await harness.ended(slow);
  for (const id of meshes) {
    const row = await harness.ended(id);
    const startedAt = row.startedAt?.getTime() ?? 0;
    expect(startedAt).toBeGreaterThanOrEqual(before.finishedAt?.getTime() ?? Number.POSITIVE_INFINITY);
    const seconds = ((row.finishedAt?.getTime() ?? 0) - startedAt) / 1000;
    expect((row.provenance as { seconds: number }).seconds).toBeLessThanOrEqual(seconds);
    before = row;
  }
});

it('continues after the worker was asked to stop in the middle', async () => {
  const { id, release } = await requestHeld();
  await harness.stopWorker();
  release();
  const stoppedAt = Date.now();
  expect((await rowOf(id)).status).toBe('processing');
  await harness.startWorker();
  const row = await harness.ended(id);
  expect(row.status).toBe('completed');
  expect(row.startedAt?.getTime()).toBeGreaterThan(stoppedAt);
  expect(await harness.outputs(id)).toHaveLength(1);
});

it('continues after the worker process was killed in the middle', async () => {
  await harness.stopWorker();
  const release = await holdResult(harness, 'wallThickness');
  const child = harness.spawnWorker();
  const id = await harness.request('runWallThickness');
  await harness.until(() => isUnderWay(id));
  await harness.killWorker(child);
  const killedAt = Date.now();
  expect((await rowOf(id)).status).toBe('processing');
  await release();
  await harness.startWorker();
  const row = await harness.ended(id);
  expect(row.status).toBe('completed');
  expect(row.startedAt?.getTime()).toBeGreaterThan(killedAt);
  expect(await harness.outputs(id)).toHaveLength(1);
});

it('exits by itself within seconds after its parent is gone', async () => {
  const child = harness.spawnWorker();
  await once(child, 'message');
  child.disconnect();
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});
