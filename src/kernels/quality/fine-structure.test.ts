import { expect, it } from 'vitest';
import { type Part, plainPart, porousPart } from '../testing/families/bodies.ts';
import { impairPart } from '../testing/families/impair.ts';
import { coil, foilStack, strandedWire } from '../testing/families/machined-parts.ts';
import { grainedBlock, wovenBlock } from '../testing/families/textured-parts.ts';
import { judge, render } from '../testing/judge-volume.ts';

/** Larger values are reported (share of the contrast). */
const marked = 0.125;

it.each([
  [1.2, 2.2],
  [1.4, 2.4],
  [2, 3.4],
  [2.5, 3.5],
])(
  'detects foils of %d voxels with a period of %d, none of whose gaps is resolved',
  async (thickness, pitch) => {
    for (const seed of [1, 2]) {
      const { unresolved } = await judge(
        impairPart(render(foilStack(thickness, pitch, seed)), { contrastToNoise: 15, seed }),
      );
      expect(unresolved).toBeGreaterThan(marked);
    }
  },
);

it.each<[string, Part, number]>([
  ['foils of 1.4 voxels', foilStack(1.4, 2.4, 1), 1],
  ['a coil whose windings form a wall of 11 voxels', coil(2), 1],
  ['strands with a period of 2.4 voxels', strandedWire(1), 0.6],
])('detects %s by the faint trace that blur leaves of them', async (_, part, blur) => {
  const { unresolved } = await judge(impairPart(render(part, blur), { contrastToNoise: 20, seed: 10 }));
  expect(unresolved).toBeGreaterThan(marked);
});

it('finds none in noise with and without a grain, pores, laminates and wood', async () => {
  for (const [part, impairments, blur] of [
    [plainPart(3), { contrastToNoise: 4 }],
    [plainPart(3), { contrastToNoise: 8, grain: 0.8 }],
    [porousPart(2), { contrastToNoise: 12, cupping: 0.3 }, 1],
    [wovenBlock(2, true), { contrastToNoise: 20 }],
    [grainedBlock(5, true), { contrastToNoise: 20 }, 1],
  ] as const) {
    const { unresolved } = await judge(impairPart(render(part, blur), impairments));
    expect(unresolved ?? 0).toBeLessThan(marked);
  }
});
