import { expect, it } from 'vitest';
import { plainPart } from '../testing/families/bodies.ts';
import { impairPart } from '../testing/families/impair.ts';
import { sealedFlanges, sealedHousing } from '../testing/families/machined-parts.ts';
import { judge, render } from '../testing/judge-volume.ts';

/** Larger shares of the part's volume are reported. */
const marked = 0.0075;
const usualNoise = { contrastToNoise: 20, seed: 1 };

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

// Cells within three deviations of each were listed: radiographs, with a blur of tens of voxels, filled the memory.
it('finds none in a blur of tens of voxels, without reading all around', async () => {
  const { blurVoxels, faintShare, unresolved } = await judge(impairPart(render(plainPart(1), 8), usualNoise));
  expect(blurVoxels).toBeGreaterThan(10);
  expect(faintShare).toBe(0);
  expect(unresolved).toBe(0);
});
