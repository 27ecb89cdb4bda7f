import { beforeAll, expect, it } from 'vitest';
import type { KernelPool } from '#kernels/arena.ts';
import type { Vector3, Volume } from '#kernels/grid/volume.ts';
import { inlinePool } from '#kernels/pool.ts';
import { box, movedBody, sphere, turnedBody } from '#kernels/testing/bodies.ts';
import { cutBy, part, plainPart, union } from '#kernels/testing/families/bodies.ts';
import { renderPart } from '#kernels/testing/families/render-part.ts';
import { grainedBlock, wovenBlock } from '#kernels/testing/families/textured-parts.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { scan } from './testing/families/family.ts';
import { measureCase } from './testing/families/measure-case.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

it('renders a bar whose edges pass through cell centres', () => {
  const bar = part(movedBody(box([16, 9, 9]), [0.5, 0, 0]));
  const { volumeMm3 } = renderPart(bar, [32, 16, 16], [1, 1, 1], 0.6);
  expect(Math.abs(volumeMm3 / (16 * 9 * 9) - 1)).toBeLessThan(0.02);
});

/** As scans of a region of interest have it: no value beyond the circle that turns through the view. */
const withoutCorners = (volume: Volume): Volume => {
  const [nx, ny] = volume.dimensions;
  const data = Float32Array.from(volume.data, (grey, i) => {
    const [x, y] = [(i % nx) - (nx - 1) / 2, (Math.floor(i / nx) % ny) - (ny - 1) / 2];
    return Math.hypot(x, y) > 0.48 * nx ? Number.NaN : grey;
  });
  return { ...volume, dataType: 'float32', data };
};

it('corners without a number are not reported as lost slices', async () => {
  const judged = await measureCase(scan('masked', plainPart(3), { process: withoutCorners }), pool);
  expect(judged.filter((each) => each.class !== 'right' || each.isWarned)).toEqual([]);
});

it('a laminate whose faces follow its layers has a volume within its interval and no double edges reported', async () => {
  for (const seed of [2, 5]) {
    const judged = await measureCase(scan('laminate', wovenBlock(seed, true), {}, seed), pool);
    const volume = judged.find(({ path }) => path === 'volumeMm3');
    const error = Math.abs((volume?.measured ?? 0) - (volume?.truth ?? 0));
    // The error exceeds the bound, because the level is uncertain.
    expect(error).toBeGreaterThan(volume?.bound ?? 0);
    expect(error).toBeLessThan(volume?.expanded ?? 0);
    expect(judged.flatMap(({ codes }) => codes)).toEqual([]);
  }
});

it('wood with annual rings is reported neither as double nor as ringed', async () => {
  for (const seed of [1, 2, 3]) {
    const judged = await measureCase(scan('wood', grainedBlock(seed, false), {}, seed), pool);
    expect(judged.filter((each) => each.class === 'silent')).toEqual([]);
    const codes = judged.flatMap((each) => each.codes);
    expect(codes).not.toContain('SCAN_DOUBLE_EDGES');
    expect(codes).not.toContain('SCAN_RINGS');
  }
});

it('balls and bars of a dozen voxels in a wide field are measured, from the few cells deep inside', async () => {
  const bar = turnedBody(box([32, 9, 9]), [21, 14, 33]);
  const edgesMm = 4 * (32 + 9 + 9);
  for (const each of [
    part(movedBody(sphere(6.3), [0.3, 0.1, 0.7])),
    part(movedBody(sphere(7.5), [0.2, 0.6, 0.4])),
    part(movedBody(bar, [0.2, 0.6, 0.4]), { edgesMm }),
  ]) {
    const judged = await measureCase(scan('small', each), pool);
    expect(judged.filter((one) => one.class !== 'right' || one.isWarned)).toEqual([]);
    const volume = judged.find(({ path }) => path === 'volumeMm3');
    expect(Math.abs((volume?.measured ?? 0) - (volume?.truth ?? 0))).toBeLessThan(volume?.expanded ?? 0);
  }
});

it('a blurred bar with hardly a cell as bright as its material is not measured a fifth too large', async () => {
  const bar = movedBody(box([32, 9, 9]), [0, 0.5, 0.5]);
  const judged = await measureCase(
    scan('blurred', part(bar, { edgesMm: 200 }), {
      ...{ dimensions: [48, 48, 48], blurMm: 1 },
      impairments: { contrastToNoise: 1000 },
    }),
    pool,
  );
  const volume = judged.find(({ path }) => path === 'volumeMm3');
  expect(Math.abs((volume?.measured ?? 0) / (volume?.truth ?? 1) - 1)).toBeLessThan(0.03);
});

it('a board under solder balls too small to be a separate material has no volume without a warning', async () => {
  const balls = Array.from({ length: 20 }, (_, i) =>
    movedBody(sphere(3), [9 * (i % 5) - 18, 9 * Math.floor(i / 5) - 14, 5]),
  );
  const board = box([50, 44, 6]);
  const solder = union('solder', balls);
  const bare = cutBy(board, solder, -1);
  const populated = part(union('board', [board, ...balls]), {
    isGrooved: true,
    edgesMm: 400,
    phases: [{ body: bare, share: 0.35 }],
  });
  const judged = await measureCase(scan('board', populated, { impairments: { cupping: 0.12 } }, 3004), pool);
  const volume = judged.find(({ path }) => path === 'volumeMm3');
  expect(Math.abs((volume?.measured ?? 0) / (volume?.truth ?? 1) - 1)).toBeGreaterThan(0.1);
  expect(judged.filter((each) => each.class === 'silent')).toEqual([]);
});

/** A cup and a plug in it, with walls of 3 voxels that are 0.3 voxels apart. */
function snapFit() {
  const hollow = (outer: Vector3, inner: Vector3, at: Vector3, open: number) =>
    cutBy(movedBody(box(outer), at), movedBody(box(inner), [at[0], at[1], at[2] + open]), -1);
  const both = [
    hollow([30, 26, 20], [24, 20, 20], [0, 0, 0], 3),
    hollow([23.4, 19.4, 14], [17.4, 13.4, 14], [0, 0, 5], 3),
  ];
  return part(movedBody(turnedBody(union('snap fit', both), [21, 14, 33]), [0.3, 0.1, 0.7]), {
    isGrooved: true,
  });
}

it.each([
  [0.6, 20],
  [0.8, 30],
])(
  'walls with a gap that blur of %s hides have no volume without a warning (contrast %s)',
  async (blurMm, contrastToNoise) => {
    const dimensions: Vector3 = [48, 48, 48];
    const judged = await measureCase(
      scan('snap fit', snapFit(), { dimensions, blurMm, impairments: { contrastToNoise } }),
      pool,
    );
    expect(judged.filter((each) => each.class === 'silent')).toEqual([]);
  },
);
