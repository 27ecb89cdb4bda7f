import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { makeSlabs } from '#kernels/grid/volume.ts';
import { inlinePool } from '#kernels/pool.ts';
import { judgeScan } from '#kernels/quality/judge-scan.ts';
import { hollowCylinder } from '#kernels/testing/bodies.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { openDiskStore } from '#storage/blobs/disk-store.ts';
import { openVolumeSink } from './volume-sink.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'scanwright-sink-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

it('a scan is there to be seen before what is stored of it is read again, and is judged as it would be then', async () => {
  const body = hollowCylinder(12, 7, 30);
  const volume = renderBody(body, { dimensions: [40, 40, 40], voxelSizeMm: [1, 1, 1] });
  const store = await openDiskStore(directory);
  const reads = [vi.spyOn(store, 'read'), vi.spyOn(store, 'readInto')];
  const { signal } = new AbortController();
  const pool = inlinePool(await kernelModule());
  const sink = await openVolumeSink(
    {
      blobs: { newVolumeKey: async () => 'volumes/tube', describe: async () => undefined },
      context: { store, pool },
      run: { signal },
    } as unknown as Parameters<typeof openVolumeSink>[0],
    makeSlabs(volume).grid,
    volume.dataType,
  );
  const { volume: stored, judge } = await sink.take(makeSlabs(volume), () => undefined);
  for (const read of reads) expect(read).not.toHaveBeenCalled();
  const { range, histogram, outline } = stored.metadata;
  const source = (await sink.reader()).slabs(0);
  expect(await judge()).toEqual(await judgeScan({ ...source, range, histogram, outline }));
});
