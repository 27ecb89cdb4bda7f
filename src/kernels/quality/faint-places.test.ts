import { expect, it } from 'vitest';
import { impairPart } from '../testing/families/impair.ts';
import { sealedFlanges, sealedHousing } from '../testing/families/machined-parts.ts';
import { judge, render } from '../testing/judge-volume.ts';

/** Larger shares of the part's volume are reported. */
const marked = 0.0075;

it.each([
  ['a gasket', sealedFlanges, 0.12, 20, 0.5],
  ['a seal', sealedHousing, 0.12, 20, 0.5],
  ['a seal in strong noise', sealedHousing, 0.25, 9, 0.5],
  ['a seal in noise and blur', sealedHousing, 0.25, 12, 1],
] as const)('finds %s too faint for a level of its own', async (_, make, share, contrastToNoise, blur) => {
  for (const seed of [1, 2]) {
    const scan = impairPart(render(make(share, seed), blur), { contrastToNoise, seed });
    const { faintShare } = await judge(scan);
    expect(faintShare).toBeGreaterThan(marked);
  }
});
