import { expect, it } from 'vitest';
import { box, hollowCylinder, movedBody, sphere } from '../testing/bodies.ts';
import { gyroid, type Part, part, plainPart, porousPart, randomPart } from '../testing/families/bodies.ts';
import { addHaze } from '../testing/families/change-greys.ts';
import { impairPart } from '../testing/families/impair.ts';
import { gear, pairOfMaterials } from '../testing/families/machined-parts.ts';
import { judge, render } from '../testing/judge-volume.ts';

const judgeRendered = (each: Part, impairments = {}) =>
  judge(impairPart(render(each), { contrastToNoise: 20, ...impairments }));

it.each([0.3, 0.5, 0.7])(
  'a ball of %d of the grey value beside a block is another material',
  async (share) => {
    const { materials, airGrey } = await judgeRendered(pairOfMaterials(share, 3));
    expect(materials).toHaveLength(2);
    const [lighter, denser] = materials.map(({ grey }) => grey - airGrey);
    expect(Math.abs((lighter ?? 0) / (denser ?? 1) - share)).toBeLessThan(0.05);
  },
);

it('uneven grey values, haze, thin sheets and filled voids are not another material', async () => {
  for (const each of [plainPart(1), randomPart(4), porousPart(2), gyroid(3, 26, 1), gear(20, 3, 1)])
    expect((await judgeRendered(each)).materials).toHaveLength(1);
  for (const impairments of [
    { cupping: 0.4 },
    { drift: 0.3 },
    { bands: { height: 0.2, period: 14 } },
    { ramp: 0.8 },
  ])
    expect((await judgeRendered(porousPart(2), impairments)).materials).toHaveLength(1);
  // A tube that is darkest at its bore.
  expect((await judgeRendered(plainPart(5010), { cupping: 0.35, seed: 5010 })).materials).toHaveLength(1);
  const hazed = addHaze(impairPart(render(randomPart(4)), { contrastToNoise: 20 }), 0.2, 4);
  expect((await judge(hazed)).materials).toHaveLength(1);
  const resin = part(movedBody(hollowCylinder(22, 0, 40), [0.3, 0.2, 0.1]), {
    phases: [{ body: movedBody(sphere(8), [6, -4, 3]), share: 0.5 }],
  });
  expect((await judgeRendered(resin)).materials).toHaveLength(1);
  // Foam in which a part is bedded.
  const block = box([24, 26, 22]);
  const foam = box([60, 60, 60]);
  const bedded = part(
    {
      ...foam,
      distanceMm: (x, y, z) => Math.min(block.distanceMm(x, y, z), Math.max(foam.distanceMm(x, y, z), z + 8)),
    },
    {
      phases: [
        {
          body: {
            ...foam,
            distanceMm: (x, y, z) => -Math.min(-foam.distanceMm(x, y, z), block.distanceMm(x, y, z)),
          },
          share: 0.1,
        },
      ],
    },
  );
  expect((await judgeRendered(bedded)).materials).toHaveLength(1);
});
