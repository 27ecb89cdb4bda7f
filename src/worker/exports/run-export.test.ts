import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bytesSource } from '#formats/bytes/byte-source.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { openVolume } from '#formats/open-volume.ts';
import { collect, listValues } from '#formats/testing/collect.ts';
import { readZipDirectory } from '#formats/zip/zip-directory.ts';
import { UnpackedCache, zipEntrySource } from '#formats/zip/zip-entry-source.ts';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { box } from '#kernels/testing/bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { notifications } from '#storage/db/schema-collaboration.ts';
import { type ExportConfig, exports } from '#storage/db/schema-work.ts';
import { cancelWork, requestWork } from '#storage/work/life.ts';
import { openWorkerHarness, type WorkerHarness } from '../testing/worker-harness.ts';

let harness: WorkerHarness;
const block = renderBody(box([2, 2, 2]), { dimensions: [40, 40, 40], voxelSizeMm: [0.1, 0.1, 0.1] });

beforeAll(async () => {
  harness = await openWorkerHarness();
  await harness.startWorker();
  await harness.ended(await harness.upload('block: 1.nrrd', await collect(writeNrrd(makeSlabs(block)))));
  await harness.ended(await harness.request('createMesh', { formats: ['glb', 'stl'] }));
});
afterAll(() => harness.close());

const all: ExportConfig = { exportMeshes: true, exportVolumes: true, exportRadiographs: true };

async function request(config: ExportConfig, projectId = harness.projectId): Promise<string> {
  return harness.db.transaction(async (tx) => {
    const values = { projectId, config, createdBy: harness.userId };
    const [row] = await tx.insert(exports).values(values).returning();
    await requestWork(tx, 'export', row);
    return row.id;
  });
}

async function ended(id: string) {
  const read = async () => (await harness.db.select().from(exports).where(eq(exports.id, id)))[0];
  await harness.until(async () => (await read()).finishedAt !== null);
  return read();
}

async function unpack(bytes: Uint8Array): Promise<Map<string, Uint8Array>> {
  const source = bytesSource('export.zip', bytes);
  const cache = new UnpackedCache();
  const entries = new Map<string, Uint8Array>();
  for (const entry of await readZipDirectory(source)) {
    const part = zipEntrySource(source, entry, cache);
    entries.set(entry.path, await part.read(0, part.size));
  }
  return entries;
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

it('packs everything with correct checksums, and notifies the requester', async () => {
  const row = await ended(await request(all));
  expect(row.error).toBeNull();
  expect(row).toMatchObject({ status: 'completed', progress: 1 });
  expect(row.fileName).toMatch(/^Part_\d{4}-\d\d-\d\d\.zip$/);
  expect(row.exportGenerationTime).toBeInstanceOf(Date);
  expect((row.expiresAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(6.9 * 24 * 3600 * 1000);
  const archive = await harness.store.read(row.blobKey ?? '');
  expect([archive.length, sha256(archive)]).toEqual([row.sizeBytes, row.sha256]);
  const entries = await unpack(archive);
  expect([...entries.keys()].sort()).toEqual([
    'SHA256SUMS',
    'manifest.json',
    'meshes/Mesh/mesh.glb',
    'meshes/Mesh/mesh.stl',
    'surfaces/Surface of block- 1/surface.json',
    'volumes/block- 1/block- 1.nrrd',
    'volumes/block- 1/volume.nrrd',
  ]);
  const text = (path: string) => Buffer.from(entries.get(path) ?? []).toString();
  const sums = text('SHA256SUMS').trimEnd().split('\n');
  expect(sums).toHaveLength(entries.size - 1);
  for (const line of sums) {
    const [sum, path] = line.split('  ');
    expect(sha256(entries.get(path) ?? new Uint8Array(0))).toBe(sum);
  }
  const manifest = JSON.parse(text('manifest.json'));
  expect(manifest.project).toMatchObject({ id: harness.projectId, name: 'Part' });
  for (const file of manifest.files) {
    const bytes = entries.get(file.path) ?? new Uint8Array(0);
    expect([file.sha256, file.sizeBytes]).toEqual([sha256(bytes), bytes.length]);
  }
  const volume = await openVolume([
    bytesSource('volume.nrrd', entries.get('volumes/block- 1/volume.nrrd') ?? new Uint8Array(0)),
  ]);
  expect(await listValues(volume.slabs)).toEqual([...block.data]);
  const told = await harness.db
    .select()
    .from(notifications)
    .where(eq(notifications.kind, 'export.completed'));
  expect(told.map(({ title }) => title)).toEqual(['Export is ready: Part']);
});

it('packs only the selected contents', async () => {
  const row = await ended(
    await request({ exportMeshes: true, exportVolumes: false, exportRadiographs: false }),
  );
  const entries = await unpack(await harness.store.read(row.blobKey ?? ''));
  expect([...entries.keys()].filter((path) => path.startsWith('volumes/'))).toEqual([]);
});

it('reports if there are no data of the selected kinds', async () => {
  const row = await ended(
    await request({ exportMeshes: false, exportVolumes: false, exportRadiographs: true }),
  );
  expect(row).toMatchObject({ status: 'failed', error: { code: 'NOTHING_TO_EXPORT' } });
});

it('can be cancelled before it starts, and leaves no archive', async () => {
  await harness.stopWorker();
  const id = await request(all);
  await harness.db.transaction((tx) => cancelWork(tx, 'export', id));
  await harness.startWorker();
  expect(await ended(id)).toMatchObject({ status: 'cancelled', blobKey: null });
});

it('fails rather than deliver a stored file that was modified', async () => {
  const { rows } = await harness.database.connection.pool.query<{ blob_key: string }>(
    "select blob_key from data_object_files where file_name = 'mesh.stl'",
  );
  const bytes = await harness.store.read(rows[0].blob_key);
  bytes[200] ^= 1;
  await harness.store.put(rows[0].blob_key, bytes);
  const row = await ended(
    await request({ exportMeshes: true, exportVolumes: false, exportRadiographs: false }),
  );
  expect(row).toMatchObject({ status: 'failed', blobKey: null });
});
