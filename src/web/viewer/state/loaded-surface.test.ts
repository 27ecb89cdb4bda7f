import { expect, test, vi } from 'vitest';
import { FrameScheduler } from '../data/frame-scheduler.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import { LoadedSurface } from './loaded-surface.ts';

vi.stubGlobal('requestAnimationFrame', () => 1);
vi.stubGlobal('cancelAnimationFrame', () => undefined);

const bytes = (length: number) => new ArrayBuffer(length);

/** A surface whose area is the number of bytes that it came in. */
function open(wholeTriangles: number | null) {
  const order: string[] = [];
  const read = vi.fn(async (glb: ArrayBuffer) => ({ areaMm2: glb.byteLength }) as unknown as SurfaceData);
  const onChange = () => order.push(String(surface.drawn()?.areaMm2));
  const surface = new LoadedSurface(new FrameScheduler(), onChange, read);
  surface.load({
    load: async () => bytes(9),
    loadSimplified: async () => (wholeTriangles === null ? null : { bytes: bytes(1), wholeTriangles }),
  });
  const settled = () => expect.poll(() => surface.loading.get()).toEqual({ status: 'ready' });
  return { surface, order, settled, read };
}

test('fewer triangles are there first, then all of them', async () => {
  const { surface, order, settled } = open(2e6);
  await settled();
  expect(order).toEqual(['1', '9']);
  expect(surface.isSimplified()).toBe(false);
  expect(surface.simplified.get()?.wholeTriangles).toBe(2e6);
});

test('a surface that is not simplified yet comes whole', async () => {
  const { surface, order, settled } = open(null);
  await settled();
  expect(order).toEqual(['9']);
  expect(surface.simplified.get()).toBeNull();
});

test('every triangle of a very large one comes when it is asked for, once', async () => {
  const { surface, order, settled, read } = open(11e6);
  await settled();
  expect(surface.isSimplified()).toBe(true);
  expect([surface.whole.get(), order]).toEqual([null, ['1', '1']]);
  surface.bringWhole();
  surface.bringWhole();
  await settled();
  expect(surface.whole.get()?.areaMm2).toBe(9);
  expect(read).toHaveBeenCalledTimes(2);
});

test('what could not be loaded comes when it is asked for once more', async () => {
  const load = vi.fn(async () => bytes(9)).mockRejectedValueOnce(new Error('No answer came.'));
  const read = async (glb: ArrayBuffer) => ({ areaMm2: glb.byteLength }) as unknown as SurfaceData;
  const surface = new LoadedSurface(new FrameScheduler(), () => undefined, read);
  surface.load({ load });
  const reaches = (status: string) => expect.poll(() => surface.loading.get().status).toBe(status);
  await reaches('failed');
  surface.retry();
  await reaches('ready');
  expect(surface.whole.get()?.areaMm2).toBe(9);
  // There is nothing to ask for again.
  surface.retry();
  expect(load).toHaveBeenCalledTimes(2);
});

test('what was given up does not come', async () => {
  const { surface } = open(2e6);
  surface.clear();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([surface.whole.get(), surface.simplified.get(), surface.loading.get().status]).toEqual([
    null,
    null,
    'none',
  ]);
});
