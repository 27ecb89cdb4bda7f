import { expect, it } from 'vitest';
import { impairPart } from '../testing/families/impair.ts';
import { skinnedBlock } from '../testing/families/machined-parts.ts';
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
