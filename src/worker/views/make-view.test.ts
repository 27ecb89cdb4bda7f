import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { VolumeViewQuery } from '#contract/shapes/data-object.ts';
import { bytesSource } from '#formats/bytes/byte-source.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { openVolume } from '#formats/open-volume.ts';
import { collect, listValues } from '#formats/testing/collect.ts';
import { makeSlabs, type Volume } from '#kernels/grid/volume.ts';
import { dataViews } from '#storage/db/schema-data.ts';
import { requestWork } from '#storage/work/life.ts';
import { openWorkerHarness, type WorkerHarness } from '../testing/worker-harness.ts';

let harness: WorkerHarness;
let volumeId: string;

const ramp: Volume = {
  dimensions: [96, 40, 30],
  voxelSizeMm: [0.1, 0.2, 0.3],
  originMm: [1, 2, 3],
  directions: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  dataType: 'int16',
  data: Int16Array.from({ length: 96 * 40 * 30 }, (_, i) => (i % 96) - 48),
};

beforeAll(async () => {
  harness = await openWorkerHarness();
  await harness.startWorker();
  const { outputDataObjectIds } = await harness.ended(
    await harness.upload('ramp.nrrd', await collect(writeNrrd(makeSlabs(ramp)))),
  );
  volumeId = outputDataObjectIds[0];
});
afterAll(() => harness.close());

async function view(query: Record<string, unknown>, dataObjectId = volumeId) {
  const parameters = VolumeViewQuery.parse(query);
  const parametersHash = createHash('sha256').update(JSON.stringify(parameters)).digest('hex');
  const id = await harness.db.transaction(async (tx) => {
    const values = { dataObjectId, parametersHash, parameters, version: 1 };
    const [row] = await tx.insert(dataViews).values(values).returning();
    await requestWork(tx, 'view', row);
    return row.id;
  });
  const read = async () => (await harness.db.select().from(dataViews).where(eq(dataViews.id, id)))[0];
  await harness.until(async () => (await read()).finishedAt !== null);
  const row = await read();
  return { row, bytes: row.blobKey ? await harness.store.read(row.blobKey) : new Uint8Array(0) };
}

const opened = async (fileName: string, bytes: Uint8Array) => openVolume([bytesSource(fileName, bytes)]);

it('keeps grey values, type and grid without normalization', async () => {
  const { row, bytes } = await view({ skip_normalization: true });
  expect(row).toMatchObject({ status: 'completed', fileName: 'ramp_96x40x30.nrrd', sizeBytes: bytes.length });
  const volume = await opened('view.nrrd', bytes);
  expect(volume.dataType).toBe('int16');
  expect(volume.grid.originMm).toEqual([1, 2, 3]);
  expect(await listValues(volume.slabs)).toEqual([...ramp.data]);
});

it('stretches minimum to maximum over 16 bit by default', async () => {
  const volume = await opened('view.nrrd', (await view({})).bytes);
  expect(volume.dataType).toBe('uint16');
  const values = await listValues(volume.slabs);
  expect([values[0], values[95]]).toEqual([0, 65_535]);
});

it('maps a range of percentiles and clamps values outside', async () => {
  const { row, bytes } = await view({ mapped_percentile_range: [25, 75] });
  const [low, high] = row.parameters['mappedRange'] as number[];
  expect(Math.abs(low + 24)).toBeLessThanOrEqual(1);
  expect(Math.abs(high - 24)).toBeLessThanOrEqual(1);
  const values = await listValues((await opened('view.nrrd', bytes)).slabs);
  expect([values[0], values[10], values[95]]).toEqual([0, 0, 65_535]);
});

it('respects the largest dimension and the number of voxels', async () => {
  const half = await view({ max_dimension_size: 50, skip_normalization: true });
  expect(half.row.parameters['dimensions']).toEqual([48, 20, 15]);
  const volume = await opened('view.nrrd', half.bytes);
  expect(volume.grid.voxelSizeMm[0]).toBeCloseTo(0.2, 9);
  expect(volume.grid.originMm[0]).toBeCloseTo(1.05, 9);
  const few = await view({ max_voxel_count: 1000, skip_normalization: true });
  const [nx, ny, nz] = few.row.parameters['dimensions'] as number[];
  expect(nx * ny * nz).toBeLessThanOrEqual(1000);
  expect(nx * ny * nz).toBeGreaterThan(100);
});

it('writes TIFF and RAW with the same values', async () => {
  const tiff = await view({ outputFormat: 'tiff', max_dimension_size: 50 });
  expect(tiff.row.mediaType).toBe('image/tiff');
  const values = await listValues((await opened('view.tif', tiff.bytes)).slabs);
  const raw = await view({ outputFormat: 'raw', max_dimension_size: 50 });
  expect(raw.row.fileName).toBe('ramp_48x20x15.raw');
  expect([...new Uint16Array(raw.bytes.buffer, raw.bytes.byteOffset, raw.bytes.length / 2)]).toEqual(values);
});

it('reports that only volumes have views', async () => {
  const surface = { mode: 'value', value: 0 };
  const { id: operationId } = await harness.ended(await harness.request('createMesh', { surface }));
  const { row } = await view({}, (await harness.output(operationId, 'mesh')).id);
  expect(row).toMatchObject({ status: 'failed', error: { code: 'MISSING_INPUT' } });
});
