/** Pores that the surface cuts open, which a rolling ball sinks into, and the part's own edges, which look alike to it. */
import { expect, it } from 'vitest';
import { inlinePool } from '#kernels/pool.ts';
import { type Body, box, hollowCylinder, movedBody, sphere } from '#kernels/testing/bodies.ts';
import { impairPart } from '#kernels/testing/families/impair.ts';
import { renderPart } from '#kernels/testing/families/render-part.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { ballVolume, runIntegrity } from './testing/integrity-run.ts';

const pool = inlinePool(await kernelModule());

const block = box([44, 42, 24]);
const without = (body: Body, ...holes: Body[]): Body => ({
  ...body,
  distanceMm: (x, y, z) =>
    Math.max(body.distanceMm(x, y, z), ...holes.map((hole) => -hole.distanceMm(x, y, z))),
});

async function measure(body: Body, contrastToNoise = 20, widestOpeningMm?: number) {
  const part = { body, edgesMm: 0, pores: [], phases: [] };
  const rendered = renderPart(part, [64, 64, 48], [1, 1, 1], 0.6);
  const scan = impairPart(rendered, { contrastToNoise, seed: 2 });
  const { metadata, warnings } = await runIntegrity(scan, pool, { widestOpeningMm });
  return { metadata, said: warnings.filter(({ code }) => code === 'SURFACE_HOLLOWS') };
}

it.each([
  [4, 20],
  [4.2, 12],
])('half a ball of radius %s counts as an open void, at a contrast of %s', async (radius, contrast) => {
  const pits = [movedBody(sphere(radius), [-9.3, 6.2, 12]), movedBody(sphere(radius), [10.1, -5.4, -12])];
  const { metadata, said } = await measure(without(block, ...pits), contrast);
  expect(metadata.surfaceConnectedCount).toBe(2);
  // A mouth that blur rounds, and the ball sinks into, costs a third of so small ones.
  const share = metadata.voidVolumeMm3 / ballVolume(radius);
  expect(share).toBeGreaterThan(0.5);
  expect(share).toBeLessThan(1.1);
  const [first] = said.filter(({ message }) => message.includes('are shallower than the widest opening'));
  expect(first?.message).toContain('2 hollows of the surface');
  expect(first?.measures).toContain('openPorosity');
  expect(first?.invalidates).toBe(true);
  expect(metadata.uncertainties?.openPorosity).toBeUndefined();
});

it.each([7, 9])(
  'half a ball of radius %s is wider than the widest opening, and is reported',
  async (radius) => {
    const { metadata, said } = await measure(without(block, movedBody(sphere(radius), [2.3, 1.2, 12])));
    expect(metadata.surfaceConnectedCount).toBe(0);
    expect(said[0]?.message).toContain('One hollow of the surface is wider than the widest opening');
  },
);

it.each<[string, Body]>([
  ['a block', block],
  ['a pocket', without(block, movedBody(box([30, 28, 20]), [0, 0, 12]))],
  ['a bore', without(block, hollowCylinder(7, 0, 30))],
])('edges and corners of the part are none: %s', async (_name, body) => {
  const { metadata, said } = await measure(body);
  expect(metadata.defectCount).toBe(0);
  expect(said).toEqual([]);
});

it.each([18, 24, 40])('half balls that an opening of %s passes over are reported', async (widest) => {
  const pits = [movedBody(sphere(4), [-9.3, 6.2, 12]), movedBody(sphere(5), [10.1, -5.4, -12])];
  const { metadata, said } = await measure(without(block, ...pits), 20, widest);
  expect(metadata.surfaceConnectedCount).toBe(0);
  expect(metadata.uncertainties?.openPorosity).toBeUndefined();
  expect(said[0]?.message).toContain('2 hollows of the surface are shallower than the widest opening');
  expect(said[0]?.message).toContain('set a smaller widest opening');
  expect(said[0]?.invalidates).toBe(true);
});

it.each<[string, Body]>([
  ['a block', block],
  ['a pocket', without(block, movedBody(box([30, 28, 20]), [0, 0, 12]))],
])('edges and corners are none below a wide ball either: %s', async (_name, body) => {
  for (const widest of [18, 40]) {
    const { metadata, said } = await measure(body, 20, widest);
    expect(metadata.surfaceConnectedCount).toBe(0);
    expect(said).toEqual([]);
  }
});

const capVolume = (radius: number, height: number) => (Math.PI * height ** 2 * (3 * radius - height)) / 3;

it.each([
  ['a sharp lip', 7, 5.6, 16],
  ['a steeper lip', 6, 3.9, 15],
  ['a small mouth', 5, 4.4, 10],
])(
  'the band of a ball that the surface cuts with %s holds its volume below the rolling ball',
  async (_lip, radius, depth, widest) => {
    const { metadata } = await measure(
      without(block, movedBody(sphere(radius), [1.3, 0.7, 12 - depth])),
      20,
      widest,
    );
    const mouth = Math.sqrt(radius ** 2 - depth ** 2);
    const sinks = widest / 2 - Math.sqrt((widest / 2) ** 2 - mouth ** 2);
    const volume = ballVolume(radius) - capVolume(radius, radius - depth) - capVolume(widest / 2, sinks);
    const [
      {
        volumeBandMm3: [low, high],
      },
    ] = metadata.defects;
    expect(low).toBeLessThan(volume);
    expect(high).toBeGreaterThan(volume);
    expect(high - low).toBeLessThan(0.4 * volume);
  },
);
