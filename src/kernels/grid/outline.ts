/**
 * Outline of the material in a volume: most scans have a wide margin of air, which searches for surfaces or defects can
 * skip.
 */
import type { CellBox } from './region.ts';
import type { Vector3 } from './volume.ts';

/**
 * Greatest finite grey value of each group of `step` planes across x, y and z; null if there is none or an infinite
 * one.
 */
export interface GreyOutline {
  step: number;
  greatest: [(number | null)[], (number | null)[], (number | null)[]];
}

/** Planes per group in the kernel. */
export const outlineStep = 8;

export const slabsIn = (dimensions: Vector3): Vector3 =>
  dimensions.map((n) => Math.ceil(n / outlineStep)) as Vector3;

/**
 * The part of a region that contains everything above a level, with a margin of `margin` cells within the region. The
 * whole region if there is no outline, or nothing in it is above the level.
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
