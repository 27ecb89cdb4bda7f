/**
 * Where in a volume there is nothing but air: most scans have a wide margin of it, which no search for a surface or a
 * defect has to go through.
 */
import type { CellBox } from './region.ts';
import type { Vector3 } from './volume.ts';

/** The greatest finite grey value of each `step` planes across x, y and z; null where there is none or an infinite one. */
export interface GreyOutline {
  step: number;
  greatest: [(number | null)[], (number | null)[], (number | null)[]];
}

/** As the kernel sees them: planes of a slab. */
export const outlineStep = 8;

export const slabsIn = (dimensions: Vector3): Vector3 =>
  dimensions.map((n) => Math.ceil(n / outlineStep)) as Vector3;

/**
 * The part of a region that holds everything above a level, with `margin` cells of the region around it: all of the region
 * when it is not known, or when nothing in it is above.
 */
export function cellsAbove(
  region: CellBox,
  outline: GreyOutline | undefined,
  level: number,
  margin: number,
): CellBox {
  if (!outline) return region;
  const { step, greatest } = outline;
  const isAbove = (value: number | null) => value === null || value > level;
  const from: Vector3 = [...region.from];
  const to: Vector3 = [...region.to];
  for (const [axis, values] of greatest.entries()) {
    const first = values.findIndex(isAbove);
    if (first < 0) return region;
    from[axis] = Math.max(from[axis], first * step - margin);
    to[axis] = Math.min(to[axis], (values.findLastIndex(isAbove) + 1) * step + margin);
    if (from[axis] >= to[axis]) return region;
  }
  return { from, to };
}
