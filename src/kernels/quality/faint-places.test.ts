import { expect, it } from 'vitest';
import { plainPart, porousPart, randomPart } from '../testing/families/bodies.ts';
import { impairPart } from '../testing/families/impair.ts';
import { sealedFlanges, sealedHousing } from '../testing/families/machined-parts.ts';
import { judge, render } from '../testing/judge-volume.ts';

/** Larger shares of the part's volume are reported. */
const marked = 0.006;

it.each([
  ['a gasket', sealedFlanges, 0.12, 20],
  ['a seal', sealedHousing, 0.12, 20],
  ['a seal in strong noise', sealedHousing, 0.25, 9],
] as const)('finds %s too faint for a level of its own', async (_, make, share, contrastToNoise) => {
  for (const seed of [1, 2]) {
    const { faintShare } = await judge(impairPart(render(make(share, seed), 0.5), { contrastToNoise, seed }));
    expect(faintShare).toBeGreaterThan(marked);
  }
});

it('finds none beside good parts, in noise, cupping, ramps, fine rings and blur', async () => {
  for (const [part, impairments, blur] of [
    [plainPart(3), { contrastToNoise: 6 }, 0.6],
    [plainPart(4), { contrastToNoise: 20, ramp: 0.4 }, 0.6],
    [randomPart(2), { contrastToNoise: 12, cupping: 0.3 }, 0.6],
    [porousPart(2), { contrastToNoise: 20, rings: { height: 0.05 } }, 0.6],
    [porousPart(5), { contrastToNoise: 20 }, 1],
  ] as const) {
    const { faintShare } = await judge(impairPart(render(part, blur), impairments));
    expect(faintShare).toBeLessThan(marked);
  }
});
