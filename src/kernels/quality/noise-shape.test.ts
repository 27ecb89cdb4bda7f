import { expect, it } from 'vitest';
import { summarizeVolume } from '../grid/summarize.ts';
import { makeSlabs, type Volume } from '../grid/volume.ts';
import { inlinePool } from '../pool.ts';
import { seededRandom } from '../random.ts';
import { box, movedBody } from '../testing/bodies.ts';
import { part, porousPart } from '../testing/families/bodies.ts';
import { bendGreys } from '../testing/families/change-greys.ts';
import { impairPart } from '../testing/families/impair.ts';
import { type RenderedPart, renderPart } from '../testing/families/render-part.ts';
import { render } from '../testing/judge-volume.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { judgeScan } from './judge-scan.ts';

const pool = inlinePool(await kernelModule());
const rendered = renderPart(
  part(movedBody(box([46, 44, 48]), [0.3, 0.2, 0.1])),
  [80, 80, 80],
  [1, 1, 1],
  0.6,
);

async function findShift(volume: Volume): Promise<number> {
  const source = makeSlabs(volume);
  return (await judgeScan({ ...source, ...(await summarizeVolume(source, pool)) }))?.greyShift ?? Number.NaN;
}

/** The part with changed heights where it is nearly air or nearly material. */
function changeHeights(isOne: (height: number) => boolean, change: (at: number) => number): RenderedPart {
  const heights = rendered.heights.map((height, at) => (isOne(height) ? height + change(at) : height));
  return { ...rendered, heights };
}

it('grains within the material are not a curve', async () => {
  const random = seededRandom(5);
  const grains = changeHeights(
    (height) => height > 0.99,
    () => (random() < 0.03 ? 0.2 : 0),
  );
  const scan = impairPart(grains, { contrastToNoise: 25 });
  expect(await findShift(scan)).toBe(0);
  expect(await findShift(bendGreys(scan, 1.4))).toBeGreaterThan(0.06);
});

it('light flecks in the air, as of tissue or foam, are not a curve', async () => {
  const random = seededRandom(6);
  const cubes = Array.from({ length: 20 ** 3 }, () => random() ** 3);
  const cubeAt = (at: number) =>
    ((Math.floor(at / 6400) >> 2) * 20 + ((Math.floor(at / 80) % 80) >> 2)) * 20 + ((at % 80) >> 2);
  const flecks = changeHeights(
    (height) => height < 0.01,
    (at) => 0.4 * cubes[cubeAt(at)] * random() ** 3,
  );
  expect(await findShift(impairPart(flecks, { contrastToNoise: 35 }))).toBe(0);
});

it('the grain of noise does not count as a stronger curve', async () => {
  const scan = (grain: number) => impairPart(rendered, { contrastToNoise: 15, grain });
  expect(await findShift(scan(0.7))).toBe(0);
  const [white, grained] = [
    await findShift(bendGreys(scan(0), 0.65)),
    await findShift(bendGreys(scan(0.7), 0.65)),
  ];
  expect(white).toBeLessThan(-0.06);
  expect(grained / white).toBeGreaterThan(0.5);
  expect(grained / white).toBeLessThan(2);
});

it('air clipped far from its mean is not a curve', async () => {
  for (const floor of [-0.07, -0.1])
    expect(await findShift(impairPart(rendered, { contrastToNoise: 20, grain: 0.5, floor }))).toBe(0);
});

it('a curve is detected in noise of a fiftieth of the contrast', async () => {
  const scan = impairPart(rendered, { contrastToNoise: 60 });
  expect(await findShift(scan)).toBe(0);
  expect(await findShift(bendGreys(scan, 1.4))).toBeGreaterThan(0.06);
});

it('the edge of the field of view, with one grey value for air, is not noise', async () => {
  const scan = impairPart(rendered, { contrastToNoise: 20 });
  const data = scan.data.map((grey: number, at: number) => {
    const [x, y] = [(at % 80) - 39.5, (Math.floor(at / 80) % 80) - 39.5];
    return Math.hypot(x, y) < 38 ? grey : 9000;
  });
  expect(await findShift({ ...scan, data } as Volume)).toBe(0);
});

it('a curve is detected when a part fills the scan and leaves little air', async () => {
  const wide = render(porousPart(22_002));
  for (const seed of [22_002, 3]) {
    const scan = impairPart(wide, { contrastToNoise: 20, seed });
    expect(await findShift(scan)).toBe(0);
    expect(await findShift(bendGreys(scan, 1.4))).toBeGreaterThan(0.06);
  }
});
