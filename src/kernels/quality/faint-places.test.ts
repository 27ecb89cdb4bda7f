import { expect, it } from 'vitest';
import { impairPart } from '../testing/families/impair.ts';
import { sealedFlanges, sealedHousing } from '../testing/families/machined-parts.ts';
import { judge, render } from '../testing/judge-volume.ts';

/** Larger shares of the part's volume are reported. */
const marked = 0.0075;

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
