/** How far apart the grey values of a scan are that it has at all. */
import type { DetailSlab } from './detail.ts';

/** Voxels of a slab that are looked at, about. */
const looked = 20_000;

/** Adds grey values of a slab between air and the lightest material. */
export function addGreys({ values, levels }: DetailSlab, greys: Set<number>): void {
  const every = Math.max(1, Math.floor(values.length / looked));
  const [{ grey: most }] = levels.materials;
  for (let at = 0; at < values.length; at += every)
    if (values[at] >= levels.air && values[at] < most) greys.add(values[at]);
}
