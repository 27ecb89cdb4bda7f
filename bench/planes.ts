/**
 * Planes of a stored volume as the service cuts them, and the whole volume, from the page cache: milliseconds, and
 * seconds per GiB, of wall-clock and CPU time; the best of several. `node bench/planes.ts in=<folder> [edge]`, where
 * `bench/operations.ts in=<folder>` has left its volume.
 */
import { ChunkCache } from '#formats/ome-zarr/chunk-cache.ts';
import { openVolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { readSlice } from '#service/resources/data/slice.ts';
import { openDiskStore } from '#storage/blobs/disk-store.ts';
import { cpuSeconds } from './process-figures.ts';

const words = process.argv.slice(2);
const folder = words.find((word) => word.startsWith('in='))?.slice(3);
const edge = Number(words.find((word) => /^\d+$/.test(word)) ?? 1024);
if (!folder) throw new Error('say where the volume lies: in=<folder>');
const store = await openDiskStore(folder);
const key = `volumes/cast-${edge}`;
const { signal } = new AbortController();
const query = { level: 0, format: 'raw', width: edge, height: edge } as const;
const { meta } = await openVolumeReader(store, key);
const sizeMm = meta.voxelSizeMm[0] * edge;
/** Through the middle, slightly tilted about every axis. */
const oblique = {
  cornerMm: [0.05, 0.12, 0.38].map((share) => share * sizeMm),
  uMm: [0.9, 0.05, 0.1].map((share) => share * sizeMm),
  vMm: [-0.04, 0.7, 0.2].map((share) => share * sizeMm),
};
const planes = {
  z: { ...query, axis: 'z' },
  y: { ...query, axis: 'y' },
  x: { ...query, axis: 'x' },
  oblique: { ...query, axis: 'oblique', ...oblique },
} as const;

/** The best of several first reads, each with nothing of the plane in the cache, and the best of the repeated reads. */
async function measure(work: (cache: ChunkCache) => Promise<unknown>, times = 4): Promise<string> {
  const best = { first: [Infinity, Infinity], next: [Infinity, Infinity] };
  const cache = new ChunkCache(320 * 1024 * 1024);
  const elsewhere = await openVolumeReader(store, key, { cache });
  for (let i = 0; i < times; i++) {
    // As in a service that has been running for a while: the cache is allocated, and holds other data.
    for (const n of [1, 2, 3]) await elsewhere.readPlane(0, 'y', edge - 64 * n);
    for (const each of ['first', 'next'] as const) {
      const [start, cpu] = [performance.now(), cpuSeconds()];
      await work(cache);
      const took = [performance.now() - start, 1000 * (cpuSeconds() - cpu)];
      best[each] = best[each].map((ms, k) => Math.min(ms, took[k] ?? Infinity));
    }
  }
  const say = ([ms = 0, cpu = 0]: number[]) => `${ms.toFixed(0)} ms (CPU ${cpu.toFixed(0)})`;
  return `${say(best.first)}, the next one ${say(best.next)}`;
}

for (const [name, plane] of Object.entries(planes)) {
  const said = await measure(async (cache) =>
    readSlice(await openVolumeReader(store, key, { cache }), plane, signal),
  );
  console.log(`${name} of ${edge}³: ${said}`);
}
const gibibytes = (edge ** 3 * 2) / 1024 ** 3;
const whole = await measure(async (cache) => {
  const { boxes } = (await openVolumeReader(store, key, { cache })).slabs(0);
  const target = new Uint8Array(2 * boxes.size[0] * boxes.size[1] * boxes.size[2]);
  await boxes.read([0, 0, 0], meta.dimensions, ({ load, size }) =>
    load(target.subarray(0, 2 * size[0] * size[1] * size[2])),
  );
}, 2);
console.log(`all of it, ${gibibytes.toFixed(2)} GiB: ${whole}`);
await store.close();
