import { expect, test, vi } from 'vitest';
import { FrameScheduler } from '../data/frame-scheduler.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import { LoadedSurface } from './loaded-surface.ts';

vi.stubGlobal('requestAnimationFrame', () => 1);
vi.stubGlobal('cancelAnimationFrame', () => undefined);

const bytes = (length: number) => new ArrayBuffer(length);

/** A surface whose area equals the number of bytes it was read from. */
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

test('the simplified surface loads first, then the original', async () => {
  const { surface, order, settled } = open(2e6);
  await settled();
  expect(order).toEqual(['1', '9']);
  expect(surface.isSimplified()).toBe(false);
  expect(surface.simplified.get()?.wholeTriangles).toBe(2e6);
});

test('without a simplified surface the original loads at once', async () => {
  const { surface, order, settled } = open(null);
  await settled();
  expect(order).toEqual(['9']);
  expect(surface.simplified.get()).toBeNull();
});

test('the original of a very large surface loads on request, once', async () => {
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

test('a surface that failed to load is loaded by a retry', async () => {
  const load = vi.fn(async () => bytes(9)).mockRejectedValueOnce(new Error('No answer came.'));
  const read = async (glb: ArrayBuffer) => ({ areaMm2: glb.byteLength }) as unknown as SurfaceData;
  const surface = new LoadedSurface(new FrameScheduler(), () => undefined, read);
  surface.load({ load });
  const reaches = (status: string) => expect.poll(() => surface.loading.get().status).toBe(status);
  await reaches('failed');
  surface.retry();
  await reaches('ready');
  expect(surface.whole.get()?.areaMm2).toBe(9);
  // There is nothing to retry.
  surface.retry();
  expect(load).toHaveBeenCalledTimes(2);
});

test('a cancelled load has no effect', async () => {
  const { surface } = open(2e6);
  surface.clear();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([surface.whole.get(), surface.simplified.get(), surface.loading.get().status]).toEqual([
    null,
    null,
    'none',
  ]);
});
