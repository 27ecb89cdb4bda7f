import { expect, it } from 'vitest';
import { plainPart, porousPart, randomPart } from '../testing/families/bodies.ts';
import { impairPart } from '../testing/families/impair.ts';
import { skinnedBlock } from '../testing/families/machined-parts.ts';
import { grainedBlock, wovenBlock } from '../testing/families/textured-parts.ts';
import { judge, render } from '../testing/judge-volume.ts';

/** Larger shares of the edges are reported. */
const marked = 0.25;

it.each([
  [1, 2, 0.6],
  [1.5, 2, 0.8],
  [1.5, 3, 0.6],
  [1.3, 1.3, 0.6],
])(
  'detects a layer of %d voxels around a core %d times as dense, blurred by %d',
  async (layer, core, blur) => {
    const { doubleShare } = await judge(
      impairPart(render(skinnedBlock(layer, core, 1), blur), { contrastToNoise: 15, seed: 1 }),
    );
    expect(doubleShare).toBeGreaterThan(marked);
  },
);

it('finds no second step in good parts, cupping, sharp and wide blur, wood and laminates', async () => {
  for (const [part, impairments, blur] of [
    [plainPart(3), { contrastToNoise: 9 }, 0.6],
    [plainPart(4), { contrastToNoise: 20, cupping: 0.3 }, 1],
    [randomPart(2), { contrastToNoise: 20 }, 0.3],
    [porousPart(2), { contrastToNoise: 20 }, 0.6],
    [grainedBlock(5, true), { contrastToNoise: 20 }, 0.6],
    [wovenBlock(2, false), { contrastToNoise: 20 }, 0.6],
  ] as const) {
    const { doubleShare } = await judge(impairPart(render(part, blur), impairments));
    expect(doubleShare ?? 0).toBeLessThan(marked);
  }
});
