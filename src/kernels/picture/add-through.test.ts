import { expect, it } from 'vitest';
import { plainGround } from '../color/scene-ground.ts';
import type { Camera } from '../grid/camera.ts';
import { nothingCut } from '../grid/cut-away.ts';
import { drawScene, type SceneContent } from './draw-scene.ts';
import type { Surface } from './place-triangles.ts';
import type { SurfaceLook } from './shade-surface.ts';

const size = 32;
/** Looks down along z; 1 mm is 8 pixels. */
const camera: Camera = {
  position: [0, 0, 20],
  target: [0, 0, 0],
  up: [0, 1, 0],
  projection: 'orthographic',
  heightMm: 4,
};
const look: SurfaceLook = {
  ...{ camera, colours: null, opacity: 0.5, shaded: false, edges: false, cuts: nothingCut },
};

/** Squares of 2 mm across z, in this order; `tilt` leans their normals to the right. */
function stack(heights: readonly number[], tilt = 0): Surface {
  const corners = [-1, -1, 1, -1, 1, 1, -1, 1];
  const positions = heights.flatMap((z) =>
    [0, 2, 4, 6].flatMap((i) => [corners[i] ?? 0, corners[i + 1] ?? 0, z]),
  );
  const normal = [Math.sin(tilt), 0, Math.cos(tilt)];
  return {
    positions: Float32Array.from(positions),
    normals: Float32Array.from({ length: positions.length }, (_, i) => normal[i % 3] ?? 0),
    indices: Uint32Array.from(heights.flatMap((_, k) => [0, 1, 2, 0, 2, 3].map((i) => 4 * k + i))),
  };
}

async function draw(things: SceneContent, change: Partial<SurfaceLook> = {}) {
  const picture = {
    width: size,
    height: size,
    channels: 4 as const,
    samples: new Uint8Array(4 * size * size),
  };
  const pane = { picture, x: 0, y: 0, width: size, height: size };
  await drawScene(pane, things, { ...look, ...change }, async () => {}, [plainGround, plainGround]);
  return (x = size / 2, y = size / 2) => [
    ...picture.samples.subarray(4 * (y * size + x), 4 * (y * size + x) + 4),
  ];
}

it('each wall transmits a share of the light, in any drawing order', async () => {
  const one = await draw({ surface: stack([0]) });
  expect(one()[3]).toBe(128);
  for (const heights of [
    [0, 1, -1],
    [-1, 0, 1],
  ]) {
    const pixel = await draw({ surface: stack(heights) });
    expect(pixel()[3]).toBe(Math.round(255 * (1 - 0.5 ** 3)));
    expect(pixel(2, 2)[3]).toBe(0);
    // All of them have the colour of a part.
    expect(Math.abs((pixel()[0] ?? 0) - 0.74 * 255)).toBeLessThanOrEqual(1);
  }
});

it('is more opaque where the view runs along the surface', async () => {
  const straight = await draw({ surface: stack([0]) }, { shaded: true });
  const tilted = await draw({ surface: stack([0], Math.PI / 3) }, { shaded: true });
  expect(straight()[3]).toBe(128);
  expect(tilted()[3]).toBe(Math.round(255 * (1 - 0.5 ** 2)));
});

it('shows the surrounding part around and in front of the surface it encloses, but not behind it', async () => {
  const orange: SurfaceLook = { ...look, plain: [1, 0.5, 0] };
  const [before, behind] = [
    await draw({ around: { surface: stack([1]), look: orange }, surface: stack([0]) }, { opacity: 1 }),
    await draw({ around: { surface: stack([-1]), look: orange }, surface: stack([0]) }, { opacity: 1 }),
  ];
  const grey = [0.74, 0.76, 0.79].map((share) => Math.round(share * 255));
  expect(behind()).toEqual([...grey, 255]);
  const half = [1, 0.5, 0].map((share, k) => (share * 255 + (grey[k] ?? 0)) / 2);
  for (const [k, value] of half.entries())
    expect(Math.abs((before()[k] ?? 0) - value)).toBeLessThanOrEqual(1);
});

it('draws no feature edge where smooth normals face away from the viewer on a front face', async () => {
  // From leaning away on the left to leaning as far to the other side: nowhere a bend.
  const smooth = stack([0]);
  const lean = (corner: number, tilt: number) =>
    smooth.normals?.set([Math.sin(tilt), 0, Math.cos(tilt)], 3 * corner);
  for (const corner of [0, 3]) lean(corner, 1.7);
  for (const corner of [1, 2]) lean(corner, 1.3);
  const [lined, bare] = [
    await draw({ surface: smooth }, { shaded: true, opacity: 1, edges: true }),
    await draw({ surface: smooth }, { shaded: true, opacity: 1 }),
  ];
  for (let x = 11; x < 22; x++) expect(lined(x)).toEqual(bare(x));
});

it('keeps the apparent thickness of hatching lines in a large picture', async () => {
  const surface = stack([0]);
  const colours = {
    values: Float32Array.of(2, 2, 2, 2),
    ...{ missing: -1, range: [0, 1] as const, lut: new Uint8Array(3 * 258), brush: null },
  };
  const countLines = async (edge: number) => {
    const width = edge / 5;
    const picture = {
      width,
      height: edge,
      channels: 3 as const,
      samples: new Uint8Array(3 * width * edge),
    };
    const pane = { picture, x: 0, y: 0, width, height: edge };
    const seen = { ...look, colours, opacity: 1, camera: { ...camera, heightMm: 2 } };
    await drawScene(pane, { surface }, seen, async () => {}, [plainGround, plainGround]);
    const row = Array.from(
      { length: width },
      (_, x) => (picture.samples[3 * ((edge / 2) * width + x)] ?? 0) > 60,
    );
    return row.filter((isLine, x) => isLine && !row[x - 1]).length;
  };
  const [plain, large] = [await countLines(600), await countLines(1200)];
  expect(plain).toBeGreaterThan(12);
  expect(Math.abs(large - plain)).toBeLessThanOrEqual(1);
});
