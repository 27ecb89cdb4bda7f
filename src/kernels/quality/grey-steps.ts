/** Distance between the distinct grey values that occur in a scan. */
import type { DetailSlab } from './detail.ts';

/** Approximate number of voxels sampled per slab. */
const looked = 20_000;

/** Adds grey values of a slab between air and the lightest material. */
export function addGreys({ values, levels }: DetailSlab, greys: Set<number>): void {
  const every = Math.max(1, Math.floor(values.length / looked));
  const [{ grey: most }] = levels.materials;
  for (let at = 0; at < values.length; at += every)
    if (values[at] >= levels.air && values[at] < most) greys.add(values[at]);
}
