import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { drawPlanes } from '../slices/draw-plane.ts';
import { cutAxis } from './extract-plane.ts';
import { FrameScheduler } from './frame-scheduler.ts';
import { PlaneLoader, restMs } from './plane-loader.ts';
import type { PlaneRequest, SlicePlane, SliceSource, VolumeDescription } from './slice-source.ts';
import { TileCache, tileCacheBytes } from './tile-cache.ts';

const volume: VolumeDescription = {
  id: 'scan',
  dataType: 'uint16',
  dimensions: [1100, 4, 9],
  voxelSizeMm: [0.5, 0.5, 2],
  originMm: [10, -3, 7],
  directions: [1, 0, 0, 0, 1, 0, 0, 0, 1],
};
const grey = (x: number, y: number, z: number) => ((x * 7919) ^ (y * 104_729) ^ (z * 31)) & 0xfff;

function readPlane({
  positionMm,
  rect: [left, top, right, bottom],
}: Omit<PlaneRequest, 'signal'>): SlicePlane {
  const z = Math.round((positionMm - 7) / 2);
  const [width, height] = [right - left, bottom - top];
  const values = Uint16Array.from({ length: width * height }, (_, i) =>
    grey(left + (i % width), top + Math.floor(i / width), z),
  );
  return {
    width,
    height,
    values,
    originMm: [10 + 0.5 * left, -3 + 0.5 * top],
    spacingMm: [0.5, 0.5],
    exact: true,
  };
}

/** The region around x = 512, where two tiles meet. */
const view = { centreU: 10 + 0.5 * 511.6, centreV: -2.2, heightMm: 3, widthPx: 64, heightPx: 24 };
const at = (z: number) => ({ positionMm: 7 + 2 * z, view, scale: 1 });

describe('The planes of a pane', () => {
  const asked: { rect: number[]; z: number; signal: AbortSignal }[] = [];
  let isAnswering = true;
  const source: SliceSource = {
    getPlane: (request) => {
      const { rect, positionMm, signal } = request;
      asked.push({ rect, z: (positionMm - 7) / 2, signal });
      return isAnswering ? Promise.resolve(readPlane(request)) : new Promise(() => undefined);
    },
    sample: () => Promise.reject(new Error('no plane of any lie is asked for')),
  };
  const open = (cache = new TileCache(), slices = source) => {
    const sources = { slices, cutter: cutAxis('z'), cache };
    const loader = new PlaneLoader(volume, sources, new FrameScheduler(), () => undefined);
    const [nx, ny, nz] = [2, 2, 9];
    const data = new Uint16Array(nx * ny * nz).fill(9);
    loader.setPreview({
      ...volume,
      dimensions: [nx, ny, nz],
      voxelSizeMm: [275, 1, 2],
      data,
      dataType: 'uint16',
    });
    return loader;
  };

  /** A volume of three levels, each tile of which takes so long (ms), with a preview that is 275 times as coarse. */
  const openDeep = (msOf: (level: number) => number) => {
    const levels = [1, 2, 4].map((times) => ({
      dimensions: [1100 / times, 64 / times, 60 / times] as [number, number, number],
      voxelSizeMm: [0.5 * times, 0.5 * times, 2 * times] as [number, number, number],
    }));
    const deep = { ...volume, ...levels[0], levels } as VolumeDescription;
    const asked: PlaneRequest[] = [];
    const slow: SliceSource = {
      ...source,
      getPlane: async (request) => {
        asked.push(request);
        const plane = readPlane(request);
        const times = 2 ** request.level;
        await new Promise((resolve) => setTimeout(resolve, msOf(request.level)));
        return { ...plane, spacingMm: [0.5 * times, 0.5 * times], exact: request.level === 0 };
      },
    };
    const sources = { slices: slow, cutter: cutAxis('z'), cache: new TileCache() };
    const loader = new PlaneLoader(deep, sources, new FrameScheduler(), () => undefined);
    loader.setPreview({
      ...volume,
      dimensions: [2, 2, 2],
      voxelSizeMm: [275, 16, 60],
      data: new Uint16Array(2 * 2 * 2).fill(9),
      dataType: 'uint16',
    });
    return { loader, asked };
  };
  /**
   * Simulates a key held down, one slice per 33 ms.
   * @returns voxel sizes (mm) of what was drawn of each slice
   */
  const passSlices = async (loader: PlaneLoader, from: number, to: number) => {
    const shown: number[][] = [];
    for (let z = from; z < to; z++) {
      loader.planes(at(z));
      await vi.advanceTimersByTimeAsync(restMs - 7);
      shown.push(loader.planes(at(z)).map(({ spacingMm }) => spacingMm[0]));
    }
    return shown;
  };

  beforeEach(() => {
    vi.useFakeTimers();
    asked.length = 0;
    isAnswering = true;
  });
  afterEach(() => vi.useRealTimers());

  it('are drawn from tiles as from the whole plane, and from the preview until the tiles arrive', async () => {
    const loader = open();
    expect(loader.planes(at(4)).map(({ exact }) => exact)).toEqual([false]);
    await vi.advanceTimersByTimeAsync(restMs);
    expect(asked.map(({ rect }) => rect)).toEqual([
      [0, 0, 513, 4],
      [512, 0, 1025, 4],
    ]);
    const draw = (planes: SlicePlane[], smooth: boolean) => {
      const picture = { widthPx: 64, heightPx: 24, pixels: new Uint32Array(64 * 24) };
      drawPlanes(planes, view, [0, 4095], 1, smooth, picture);
      return picture.pixels;
    };
    expect(loader.planes(at(4))).toHaveLength(1);
    const whole = readPlane({ axis: 'z', level: 0, positionMm: 15, rect: [0, 0, 1100, 4] });
    for (const smooth of [true, false])
      expect(draw(loader.planes(at(4)), smooth)).toEqual(draw([whole], smooth));
    expect(loader.planeAt(at(4), 10 + 0.5 * 300, -3)?.exact).toBe(true);
    expect(loader.planeAt(at(4), 10 + 0.5 * 1099, -3)?.exact).toBeUndefined();
  });

  it('include the next slices in the direction of scrolling, each requested once', async () => {
    const loader = open();
    for (const z of [2, 3]) {
      loader.planes(at(z));
      await vi.advanceTimersByTimeAsync(restMs);
    }
    expect(asked.map(({ z }) => z)).toEqual([2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]);
    loader.planes(at(4));
    await vi.advanceTimersByTimeAsync(restMs);
    expect(asked.slice(12).map(({ z }) => z)).toEqual([8, 8]);
    expect(loader.planes(at(4)).every(({ exact }) => exact)).toBe(true);
  });

  it('are sharp at once, without a pause, if scrolling is no faster than slices arrive', async () => {
    const late: SliceSource = {
      ...source,
      getPlane: async (request) => {
        const plane = await source.getPlane(request);
        await new Promise((resolve) => setTimeout(resolve, 1.2 * restMs));
        return plane;
      },
    };
    const loader = open(new TileCache(), late);
    for (const z of [0, 1]) {
      loader.planes(at(z));
      await vi.advanceTimersByTimeAsync(20 * restMs);
    }
    for (const z of [2, 3, 4, 5, 6, 7, 8]) {
      expect(loader.planes(at(z)).map(({ exact }) => exact)).toEqual([true]);
      await vi.advanceTimersByTimeAsync(restMs - 5);
    }
    expect(asked).toHaveLength(2 * 9);
  });

  it('take no more memory than the cache, and request nothing twice, through all of a large volume', async () => {
    const cache = new TileCache(12 * 2 * 513 * 4);
    const loader = open(cache);
    const most = { bytes: 0 };
    for (const z of [0, 1, 2, 3, 4, 5, 6, 7, 8]) {
      loader.planes(at(z));
      await vi.advanceTimersByTimeAsync(restMs);
      most.bytes = Math.max(most.bytes, cache.bytes);
      expect(loader.planes(at(z)).map(({ exact }) => exact)).toEqual([true]);
    }
    expect(most.bytes).toBe(cache.limitBytes);
    // Two tiles per slice are visible; no other part of the 1100 × 4 × 9 voxels is requested.
    expect(asked.map(({ z, rect }) => `${z} ${rect}`).sort()).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((z) => [`${z} 0,0,513,4`, `${z} 512,0,1025,4`]),
    );
    // The first slices are no longer cached and are requested again.
    loader.planes(at(0));
    await vi.advanceTimersByTimeAsync(restMs);
    expect(asked.slice(18).map(({ z }) => z)).toEqual([0, 0]);
  });

  it.each([
    { which: 'a coarser level', slow: [0], mm: 1 },
    { which: 'one that is coarser still', slow: [0, 1], mm: 2 },
  ])(
    'are of $which while scrolling is faster than slices arrive, and sharp in a pause',
    async ({ slow: slowLevels, mm }) => {
      const { loader, asked } = openDeep((level) => (slowLevels.includes(level) ? 4 * restMs : restMs / 2));
      const shown = await passSlices(loader, 5, 40);
      // After the first few, the preview is never shown, which is 275 times as coarse.
      const followed = shown.slice(4 * slowLevels.length ** 2);
      expect(followed).toEqual(followed.map(() => [mm]));
      // Each coarser tile replaces two, and none is requested twice or outside the view.
      const coarse = asked.filter(({ level }) => level === 1);
      if (mm === 1) expect(coarse.length).toBeLessThanOrEqual(2 * (35 / 2 + 5));
      expect(asked.filter(({ level }) => level === 0)).toEqual([]);
      await vi.advanceTimersByTimeAsync(10 * restMs);
      expect(loader.planes(at(39)).map(({ spacingMm, exact }) => [spacingMm[0], exact])).toEqual([
        [0.5, true],
      ]);
      expect(loader.brought(at(38)).map(({ spacingMm }) => spacingMm[0])).not.toContain(1);
      loader.dispose();
    },
  );

  it('are sharp while a key is held down, if the service is as fast as the key', async () => {
    const { loader, asked } = openDeep((level) => (level === 0 ? 15 : 4));
    const shown = await passSlices(loader, 2, 40);
    const firstSharp = shown.findIndex(([mm]) => mm === 0.5);
    expect(firstSharp).toBeLessThan(8);
    // It changes once from coarse to sharp, and never back.
    expect(shown.slice(2, firstSharp)).toEqual(shown.slice(2, firstSharp).map(() => [1]));
    expect(shown.slice(firstSharp)).toEqual(shown.slice(firstSharp).map(() => [0.5]));
    const parts = asked.map(({ level, positionMm, rect }) => `${level} ${positionMm} ${rect}`);
    expect(new Set(parts).size).toBe(parts.length);
    loader.dispose();
  });

  it('are no longer requested when others are needed', async () => {
    const loader = open();
    isAnswering = false;
    loader.planes(at(2));
    loader.planes(at(3));
    await vi.advanceTimersByTimeAsync(restMs);
    expect(asked.map(({ z }) => z)).toEqual([3, 3]);
    loader.planes(at(7));
    expect(asked.every(({ signal }) => signal.aborted)).toBe(true);
    loader.dispose();
  });
});

describe('The cache of tiles', () => {
  it('drops the least recently used tile', () => {
    const cache = new TileCache();
    const tile = (bytes: number) => ({
      ...readPlane({ axis: 'z', level: 0, positionMm: 7, rect: [0, 0, 1, 1] }),
      values: { byteLength: bytes } as unknown as Uint8Array,
    });
    for (const name of ['a', 'b', 'c']) cache.keep(name, tile(tileCacheBytes / 3));
    cache.get('a');
    cache.keep('d', tile(tileCacheBytes / 3));
    expect(['a', 'b', 'c', 'd'].map((name) => cache.has(name))).toEqual([true, false, true, true]);
    expect(cache.bytes).toBeLessThanOrEqual(tileCacheBytes);
  });
});
