import { expect, it } from 'vitest';
import { plainGround } from '../color/scene-ground.ts';
import type { Camera } from '../grid/camera.ts';
import { nothingCut } from '../grid/cut-away.ts';
import { drawScene } from './draw-scene.ts';
import type { SurfaceLook } from './shade-surface.ts';

const size = 120;
/** Looks down along z, a little from the front, so that the wall is seen. */
const camera = (projection: Camera['projection']): Camera => ({
  position: [0, -20, 20],
  target: [0, 0, 0],
  up: [0, 0, 1],
  projection,
  heightMm: 12,
});
/** A floor of 20 mm, and on it a wall of 4 mm along x, which meet at a right angle at y = 0. */
const room = {
  positions: Float32Array.of(
    -10,
    -10,
    0,
    10,
    -10,
    0,
    10,
    0,
    0,
    -10,
    0,
    0,
    -10,
    0,
    0,
    10,
    0,
    0,
    10,
    0,
    4,
    -10,
    0,
    4,
  ),
  normals: null,
  indices: Uint32Array.of(0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7),
};

async function draw(change: Partial<SurfaceLook>, projection: Camera['projection'] = 'orthographic') {
  const picture = {
    width: size,
    height: size,
    channels: 3 as const,
    samples: new Uint8Array(3 * size * size),
  };
  const pane = { picture, x: 0, y: 0, width: size, height: size };
  const seen = {
    camera: camera(projection),
    colours: null,
    opacity: 1,
    shaded: true,
    edges: false,
    cuts: nothingCut,
  };
  await drawScene(pane, { surface: room }, { ...seen, ...change }, async () => {}, [
    plainGround,
    plainGround,
  ]);
  return (y: number) => picture.samples[3 * (y * size + size / 2)] ?? 0;
}

it('darkens both sides of an inner edge, and leaves open faces unchanged', async () => {
  for (const projection of ['orthographic', 'perspective'] as const) {
    const [plain, hollow] = [await draw({}, projection), await draw({ hollows: true }, projection)];
    // The edge lies in the middle of the picture, 10 pixels are a mm.
    for (const y of [57, 62]) expect(hollow(y) / plain(y), `${projection} ${y}`).toBeLessThan(0.9);
    for (const y of [100, 110]) expect(plain(y) - hollow(y), `${projection} ${y}`).toBeLessThanOrEqual(1);
    // Least where the other face is far.
    expect(hollow(75) / plain(75)).toBeGreaterThan(hollow(63) / plain(63));
  }
});

it('leaves exact colours unchanged', async () => {
  const [plain, hollow] = [await draw({ shaded: false }), await draw({ shaded: false, hollows: true })];
  for (let y = 0; y < size; y++) expect(hollow(y)).toBe(plain(y));
});
