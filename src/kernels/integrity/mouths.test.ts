import { expect, it } from 'vitest';
import { Arena } from '../arena.ts';
import { wholeGrid } from '../grid/region.ts';
import { makeSlabs } from '../grid/volume.ts';
import { inlinePool } from '../pool.ts';
import { type Body, box, hollowCylinder, movedBody, sphere, turnedBody } from '../testing/bodies.ts';
import { blockWith, partGrey } from '../testing/carve.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { findDefects } from './find-defects.ts';

const half = 15;

/** Open voids of a block of 48 × 48 × 30 mm in voxels of 1 mm, found with a rolling ball of 10 mm. */
async function findOpen(holes: readonly Body[]) {
  const volume = blockWith(holes, { dimensions: [64, 64, 48], blockMm: [48, 48, 2 * half] });
  const source = makeSlabs(volume);
  const { air, material } = partGrey;
  const { voids } = await findDefects(source, new Arena(inlinePool(await kernelModule())), {
    cells: wholeGrid(source.grid),
    levels: { air, material, level: (air + material) / 2, uncertainty: 320 },
    minVoxels: 3,
    limitVoxels: 3,
    openingRadiusMm: 5,
    shells: {
      source,
      levels: { air, material },
      field: null,
      blur: 0.6,
      axis: { at: [0, 0], scatter: 0 },
      levelSpread: 0.05,
      levelError: 0,
      paleShare: 0,
      rimShare: 0,
      inward: 0,
      denserFrom: null,
      noise: null,
    },
    maxTriangles: 0,
  });
  return voids.defects.filter(({ surfaceConnected }) => surfaceConnected);
}

const atTop = (body: Body, x = 0, y = 0, z = half) => movedBody(body, [x, y, z]);
const bore = (radius: number, height: number) => hollowCylinder(radius, 0, height);
const gaps: Record<string, Body[]> = {
  'a slot across the part': [atTop(box([6, 60, 24]))],
  'a slot with an end': [atTop(box([7, 30, 20]))],
  'a slot that is turned': [turnedBody(atTop(box([6, 80, 24])), [0, 0, 0.4])],
  'a bore through the part': [bore(3, 60)],
  'a wide bore through the part': [bore(4.5, 60)],
  'a bore askew': [turnedBody(bore(3, 60), [0.4, 0, 0])],
  'a bore with an end': [atTop(bore(3, 24))],
  'a ring groove': [atTop(hollowCylinder(16, 11, 16))],
};
const pores: Record<string, Body[]> = {
  'a pore cut above its middle': [atTop(sphere(6), 2, 1, 11)],
  'a pore cut at a third': [atTop(sphere(7), -3, 5, 10)],
  'a pore with a narrow mouth': [atTop(sphere(7), 5, 2, 9.5)],
  'two pores that run together': [atTop(sphere(5), 0, 0, 11.5), atTop(sphere(6), 5, 3, 4)],
  'a ragged hollow': [
    atTop(sphere(4), 0, 0, 12.5),
    atTop(sphere(6), 3, 3, 5),
    atTop(sphere(5), -3, 6, 1),
    atTop(sphere(4), -8, 2, 0),
  ],
};

it.each(Object.entries(gaps))('recognizes a gap of the part: %s', async (_, holes) => {
  const open = await findOpen(holes);
  expect(open.length).toBeGreaterThan(0);
  expect(open.map(({ gapLike }) => gapLike)).toEqual(open.map(() => true));
});

it.each(Object.entries(pores))('does not take a pore for a gap: %s', async (_, holes) => {
  const open = await findOpen(holes);
  expect(open.map(({ gapLike }) => gapLike)).toEqual([false]);
});
