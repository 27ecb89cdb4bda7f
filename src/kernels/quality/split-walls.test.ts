import { expect, it } from 'vitest';
import { seededRandom } from '../random.ts';
import { box, movedBody } from '../testing/bodies.ts';
import { type Part, part, placed, union } from '../testing/families/bodies.ts';
import { impairPart } from '../testing/families/impair.ts';
import { renderPart } from '../testing/families/render-part.ts';
import { judge } from '../testing/judge-volume.ts';

const findShare = async (of: Part, blur: number, contrastToNoise: number) => {
  const rendered = renderPart(of, [44, 44, 44], [1, 1, 1], blur);
  const { faintGapShare, places } = await judge(impairPart(rendered, { contrastToNoise, seed: 4 }));
  return { faintGapShare, boxes: places.narrowGaps?.boxes.length ?? 0 };
};
const tilted = (body: Parameters<typeof placed>[0]) =>
  part(placed(body, seededRandom(22)), { isGrooved: true });
const plates = (thickness: number, gap: number) =>
  tilted(
    union(
      'plates',
      [1, -1].map((side) => movedBody(box([26, 24, thickness]), [0, 0, (side * (thickness + gap)) / 2])),
    ),
  );

it.each([
  [2.5, 0.3, 0.5, 8],
  [3, 0.3, 0.8, 15],
  [3, 0.5, 0.5, 8],
])(
  'detects that plates of %d voxels are %d voxels apart at a blur of %d and a contrast of %d times the noise',
  async (thickness, gap, blur, contrastToNoise) => {
    const { faintGapShare, boxes } = await findShare(plates(thickness, gap), blur, contrastToNoise);
    expect(faintGapShare).toBeGreaterThan(0.005);
    expect(faintGapShare).toBeLessThan((2 * gap) / thickness);
    expect(boxes).toBeGreaterThan(0);
  },
);

it('detects none in solid plates of the same thickness', async () => {
  for (const [blur, contrastToNoise] of [
    [0.5, 8],
    [0.8, 15],
  ] as const)
    expect((await findShare(tilted(box([26, 24, 5.3])), blur, contrastToNoise)).faintGapShare).toBe(0);
});
