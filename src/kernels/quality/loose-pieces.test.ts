import { expect, it } from 'vitest';
import { type Body, box, hollowCylinder, movedBody, sphere, torus } from '../testing/bodies.ts';
import { cutBy, part, union } from '../testing/families/bodies.ts';
import { impairPart } from '../testing/families/impair.ts';
import { judge, render } from '../testing/judge-volume.ts';

const block = movedBody(box([20, 22, 24]), [-11, 0, 0]);
/**
 * Judges a scan with a piece beside the block, at a distance of 4 voxels. @param share its grey value as a share of the
 * block's
 */
const judgeBeside = (piece: Body, share = 1, impairments = {}) => {
  const phases = share === 1 ? [] : [{ body: cutBy(piece, block, -1), share }];
  const rendered = render(part(union('both', [block, piece]), { phases }));
  return judge(impairPart(rendered, { contrastToNoise: 20, ...impairments }));
};

it.each([
  [4, 0.3],
  [4, 0.5],
  [6, 0.5],
  [5, 0.7],
])(
  'a ball of radius %d of %d of the grey value beside a block is another material',
  async (radius, share) => {
    const { materials, airGrey, places } = await judgeBeside(
      movedBody(sphere(radius), [3 + radius, 2, 1]),
      share,
    );
    expect(materials).toHaveLength(2);
    const [lighter, denser] = materials.map(({ grey }) => grey - airGrey);
    expect(Math.abs((lighter ?? 0) / (denser ?? 1) - share)).toBeLessThan(0.08);
    expect(places.materials?.boxes.length).toBeGreaterThan(0);
  },
);

it('a seal of a quarter of the grey value in its groove is another material, a filled void is not', async () => {
  const ring = torus(15, 2.6);
  const bore = hollowCylinder(12.5, 0, 60);
  const housing = hollowCylinder(22, 0, 24);
  const sealed = part(union('housing', [cutBy(cutBy(housing, bore, -1), ring, -1), ring]), {
    phases: [{ body: ring, share: 0.25 }],
  });
  const { materials, airGrey } = await judge(impairPart(render(sealed), { contrastToNoise: 20 }));
  const [lighter, denser] = materials.map(({ grey }) => grey - airGrey);
  expect(Math.abs((lighter ?? 0) / (denser ?? 1) - 0.25)).toBeLessThan(0.05);
  const filled = part(housing, { phases: [{ body: ring, share: 0.5 }] });
  const judged = await judge(impairPart(render(filled), { contrastToNoise: 20 }));
  expect(judged.materials).toHaveLength(1);
});

it('loose and thin pieces of the same material, and noise and rings in air, are not another material', async () => {
  for (const piece of [
    movedBody(sphere(2.5), [6, 2, 1]),
    movedBody(hollowCylinder(1.8, 0, 20), [6, 2, 1]),
    // Attached to the block.
    movedBody(box([16, 1.4, 12]), [4, 2, 1]),
  ])
    expect((await judgeBeside(piece)).materials).toHaveLength(1);
  for (const impairments of [{ contrastToNoise: 8 }, { rings: { height: 0.4 } }, { ramp: 0.5 }])
    expect((await judgeBeside(movedBody(sphere(8), [13, 2, 1]), 1, impairments)).materials).toHaveLength(1);
});

it('what a cone beam makes of faces along slices is neither another material nor faint places', async () => {
  const volume = impairPart(render(part(box([44, 44, 24]))), { contrastToNoise: 20 });
  const { data } = volume;
  const sharp = data.slice();
  const reach = 4;
  for (let z = reach; z < 64 - reach; z++)
    for (let y = 24; y < 40; y++)
      for (let x = 24; x < 40; x++) {
        let sum = 0;
        for (let step = -reach; step <= reach; step++) sum += sharp[((z + step) * 64 + y) * 64 + x];
        data[(z * 64 + y) * 64 + x] = sum / (2 * reach + 1);
      }
  // Faces are smeared near the axis, and brighten the whole slices beside them by a twelfth of the contrast.
  for (let at = 52 * 64 ** 2; at < 56 * 64 ** 2; at++) data[at] += 2500;
  const { materials, faintShare } = await judge(volume);
  expect(materials).toHaveLength(1);
  expect(faintShare).toBeLessThan(0.0075);
});
