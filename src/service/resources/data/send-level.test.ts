import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openVolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { createVolumeWriter } from '#formats/ome-zarr/volume-writer.ts';
import { identityDirections, type Vector3 } from '#kernels/grid/volume.ts';
import { registerBlob } from '#storage/blobs/sweep.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { type TestService, testService } from '../../testing/service.ts';
import { prepareThings } from '../../testing/things.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});
afterAll(() => service.close());

const dimensions: Vector3 = [300, 20, 135];

test('sends the complete finest level within the size limit, one layer of bricks at a time', async () => {
  const { db, blobs, token, server } = service;
  const volumeKey = `volumes/aa/${randomUUID()}`;
  await registerBlob(db, { key: volumeKey, kind: 'volume' });
  const grid = {
    dimensions,
    voxelSizeMm: [0.5, 0.5, 1] satisfies Vector3,
    originMm: [1, 2, 3] satisfies Vector3,
  };
  const writer = createVolumeWriter(blobs, volumeKey, {
    ...grid,
    directions: identityDirections(),
    dataType: 'uint16',
  });
  const values = Uint16Array.from({ length: 300 * 20 * 135 }, (_, i) => (i * 7919) % 65_536);
  await writer.append(values);
  await writer.finish();
  const { id: projectId } = await service.project();
  const row = { projectId, ...exampleContent('volume'), name: 'Scan', volumeKey };
  const [{ id }] = await db.insert(dataObjects).values(row).returning();
  const ask = (maximum: number) =>
    server.inject({
      url: `/api/v2/data/${id}/level?max_dimension_size=${maximum}`,
      headers: { authorization: `Token ${token}` },
    });
  const reader = await openVolumeReader(blobs, volumeKey);
  for (const [maximum, level] of [
    [300, 0],
    [299, 1],
    [64, 3],
  ]) {
    const { headers, rawPayload } = await ask(maximum);
    const [nx, ny, nz] = reader.meta.levels[level].dimensions;
    expect(headers['x-dimensions']).toBe(`${nx},${ny},${nz}`);
    expect(headers['x-origin-mm']).toBe(reader.meta.levels[level].originMm.join());
    expect(Number(headers['content-length'])).toBe(2 * nx * ny * nz);
    const whole = await reader.readSlab(level, 0, nz);
    expect(Buffer.compare(rawPayload, Buffer.from(whole.buffer as ArrayBuffer))).toBe(0);
  }
  expect((await ask(300)).rawPayload).toEqual(Buffer.from(values.buffer));
});

test('browsers may cache slices but not problems', async () => {
  const id = await (await prepareThings(service)).readableVolume();
  const headers = { authorization: `Token ${service.token}` };
  const ask = (positionMm: number) =>
    service.server.inject({ url: `/api/v2/data/${id}/slice?axis=z&positionMm=${positionMm}`, headers });
  const [slice, problem] = [await ask(1), await ask(1e6)];
  expect([slice.statusCode, slice.headers['cache-control']]).toEqual([
    200,
    'private, max-age=86400, immutable',
  ]);
  expect(problem.json()).toMatchObject({ code: 'VALIDATION_FAILED', field: 'positionMm' });
  expect([problem.headers['cache-control'], problem.headers.etag]).toEqual(['no-store', undefined]);
});
