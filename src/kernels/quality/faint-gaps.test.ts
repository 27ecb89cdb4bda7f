import { expect, it } from 'vitest';
import { seededRandom } from '../random.ts';
import { type Body, box, hollowCylinder } from '../testing/bodies.ts';
import { type Part, part, placed } from '../testing/families/bodies.ts';
import { type Impairments, impairPart } from '../testing/families/impair.ts';
import { pinInRing, stackedBlocks } from '../testing/families/machined-parts.ts';
import { judge, render } from '../testing/judge-volume.ts';

const usual: Impairments = { contrastToNoise: 20, seed: 4 };
const findShare = async (of: Part, impairments: Impairments = usual) =>
  (await judge(impairPart(render(of, 0.6), impairments))).faintGapShare;

it.each([
  [0.3, 0.35, 12],
  [0.3, 0.6, 20],
  [0.45, 0.6, 10],
  [0.45, 1, 15],
])(
  'measures gaps of %d voxels at a blur of %d and a contrast of %d times the noise',
  async (gap, blur, contrastToNoise) => {
    for (const make of [pinInRing, stackedBlocks]) {
      const scan = impairPart(render(make(gap, 5), blur), { contrastToNoise, seed: 4 });
      const { faintGapShare, places } = await judge(scan);
      expect(faintGapShare).toBeGreaterThan(0.005);
      expect(faintGapShare).toBeLessThan(0.045);
      expect(places.narrowGaps?.boxes.length).toBeGreaterThan(0);
    }
  },
);

/** Rings of 5 voxels with gaps of 0.3: a place in the middle of a ring lies between two gaps. */
it('detects gaps between stacked washers', async () => {
  const tube = hollowCylinder(17, 7, 24.6);
  const washers: Body = {
    ...tube,
    distanceMm: (x, y, z) => Math.max(tube.distanceMm(x, y, z), Math.abs(z - 5 * Math.round(z / 5)) - 2.35),
  };
  expect(await findShare(part(placed(washers, seededRandom(71)), { isGrooved: true }))).toBeGreaterThan(
    0.005,
  );
});

it('does not take a lighter material between close fibres for gaps', async () => {
  const pitch = 9;
  const off = (x: number) => x - pitch * Math.round(x / pitch);
  const fibres: Body = {
    ...box([30, 30, 30]),
    distanceMm: (x, y, z) => Math.max(Math.hypot(off(x), off(y)) - 3.2, Math.abs(z) - 15),
  };
  const composite = part(box([40, 40, 40]), { phases: [{ body: fibres, share: 1.2 }] });
  expect(await findShare(composite, { contrastToNoise: 40 })).toBeLessThan(0.004);
});
