import { expect, it } from 'vitest';
import { seededRandom } from '../random.ts';
import { box, movedBody, sphere, turnedBody } from '../testing/bodies.ts';
import { part } from '../testing/families/bodies.ts';
import { strewSpecks } from '../testing/families/change-greys.ts';
import { impairPart } from '../testing/families/impair.ts';
import { renderPart } from '../testing/families/render-part.ts';
import { findSpecks, withoutSpecks } from './specks.ts';
import { makeSlabs, type Volume } from './volume.ts';

const peaks = { air: 8000, material: 40_000, iso50: 24_000 };
const [ball, block] = [movedBody(sphere(11.3), [0.2, 0.4, 0.1]), turnedBody(box([19, 17, 21]), [21, 14, 33])];
const scan = (body: typeof ball, blur: number, contrastToNoise: number) =>
  impairPart(renderPart(part(body), [36, 36, 36], [1, 1, 1], blur), { contrastToNoise, seed: 4 });
const summarized = (volume: Volume) => ({
  ...makeSlabs(volume),
  ...{ histogram: { min: 0, max: 65_536, counts: [1] }, range: [0, 65_535] as [number, number] },
});

it.each<[string, typeof ball, ...number[]]>([
  ['a ball', ball, 0.6, 20, 0.003],
  ['a block', block, 0.4, 8, 0.004],
  ['a block', block, 0.9, 40, 0.0015],
])('specks of %s are found and replaced, and hardly any other voxel', async (_, body, blur, noise, share) => {
  const clean = scan(body, blur, noise);
  const spoilt = strewSpecks(clean, share, 9);
  const specks = await findSpecks(makeSlabs(spoilt), peaks);
  expect((specks?.share ?? 0) / share).toBeGreaterThan(0.5);
  expect((specks?.share ?? 0) / share).toBeLessThan(1.2);
  const corrected = withoutSpecks(summarized(spoilt), specks ?? { share: 0, leastStep: 0 });
  const all = await corrected.readSlab(0, 36);
  let [left, changed, strewn] = [0, 0, 0];
  for (let at = 0; at < all.length; at++) {
    const isSpeck = spoilt.data[at] !== clean.data[at];
    if (isSpeck) strewn++;
    if (isSpeck && Math.abs(all[at] - clean.data[at]) > 1.2 * (specks?.leastStep ?? 0)) left++;
    if (!isSpeck && all[at] !== clean.data[at]) changed++;
  }
  expect(left).toBeLessThan(0.05 * strewn);
  expect(changed).toBe(0);
  // Single planes are the same as those of the whole volume.
  expect(await corrected.readSlab(17, 19)).toEqual(all.slice(17 * 1296, 19 * 1296));
});

it.each<[string, typeof ball, ...number[]]>([
  ['a ball', ball, 0.6, 20],
  ['a block', block, 0.3, 6],
  ['a block', block, 0, 40],
])('a scan without specks has none: %s', async (_, body, blur, noise) => {
  expect(await findSpecks(makeSlabs(scan(body, blur, noise)), peaks)).toBeNull();
});

it('single voxels of a mask are not specks', async () => {
  const random = seededRandom(3);
  const mask = scan(ball, 0, 1e9);
  const data = Uint16Array.from(mask.data, (grey) => (random() < 0.01 ? 48_000 - grey : grey));
  expect(await findSpecks(makeSlabs({ ...mask, data }), peaks)).toBeNull();
});
