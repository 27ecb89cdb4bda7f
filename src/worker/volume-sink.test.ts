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

const tube = renderBody(hollowCylinder(12, 7, 30), { dimensions: [40, 40, 40], voxelSizeMm: [1, 1, 1] });
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'scanwright-sink-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function openSink(key: string) {
  const store = await openDiskStore(directory);
  const reads = [vi.spyOn(store, 'read'), vi.spyOn(store, 'readInto')];
  const { signal } = new AbortController();
  const pool = inlinePool(await kernelModule());
  const sink = await openVolumeSink(
    {
      blobs: { newVolumeKey: async () => key, describe: async () => undefined },
      context: { store, pool },
      run: { signal },
    } as unknown as Parameters<typeof openVolumeSink>[0],
    makeSlabs(tube).grid,
    tube.dataType,
  );
  return { sink, reads };
}

it('a scan is visible before its stored data are read again', async () => {
  const { sink, reads } = await openSink('volumes/seen');
  const { metadata } = await sink.take(makeSlabs(tube), () => undefined);
  for (const read of reads) expect(read).not.toHaveBeenCalled();
  expect(metadata.dimensions).toEqual([40, 40, 40]);
});

it('a volume made by an analysis is judged like an imported one', async () => {
  const { sink } = await openSink('volumes/made');
  await sink.append(tube.data);
  const { range, histogram, outline, quality } = (await sink.finish()).metadata;
  const source = (await sink.reader()).slabs(0);
  expect(quality).toEqual(await judgeScan({ ...source, range, histogram, outline }));
});
