import type { Arena } from '../arena.ts';
import type { Vector3 } from '../grid/volume.ts';
import type { KernelPool } from '../pool.ts';
import { allocateBits, ballRows, combineBits, countBits, dilateBits, type StageOptions } from './bit-grid.ts';
import type { BitGrid } from './bit-layout.ts';
import { findComponents, paintComponent } from './components.ts';

/**
 * Depth in ball radii that a hollow must reach below the rolling ball to count as a void: the ball leaves 0.41 of its
 * radius uncovered in an inner edge and 0.73 in an inner corner of three walls, which are not defects.
 */
const hollowDepth = 0.75;

export interface OpenVoidOptions extends StageOptions {
  /** radius of the ball, in mm */
  radiusMm: number;
  spacingMm: Vector3;
  /** bits that may be overwritten */
  scratch: number;
}

/** Margin (cells) that the ball needs around the region. */
export const findBallMargin = (radiusMm: number, spacingMm: Vector3): Vector3 =>
  spacingMm.map((edge) => Math.ceil(radiusMm / edge) + 3) as Vector3;

/**
 * Outside air that a ball rolling in from outside cannot reach: pores and cracks that are open to the surface. The
 * outside is opened by the ball (a closing of the part), starting from where the ball can get without passing narrow
 * places; remains at inner edges and corners, shallower than the ball itself, are left out.
 * @param outside bits of the air connected with the margin
 * @param target receives the bits of the open voids
 * @returns whether there are any
 * @see Serra, Image Analysis and Mathematical Morphology, 1982 (opening and closing, reconstruction)
 */
export async function findOpenVoids(
  grid: BitGrid,
  outside: number,
  target: number,
  pool: KernelPool,
  arena: Arena,
  options: OpenVoidOptions,
): Promise<boolean> {
  const { radiusMm, spacingMm, scratch: a, signal, slabPlanes } = options;
  const stage = { signal, slabPlanes };
  const mark = arena.mark();
  const ball = ballRows(radiusMm, spacingMm);
  const b = allocateBits(arena, grid);
  // Possible positions of the ball's centre.
  await dilateBits(grid, { bits: outside, invert: true, ball, make: 'rest', target: a }, pool, arena, stage);
  options.progress?.(0.3);
  const inner = arena.mark();
  const places = await findComponents(grid, a, 26, pool, arena, stage);
  await paintComponent(grid, places, b, pool, arena, stage);
  arena.release(inner);
  options.progress?.(0.35);
  await dilateBits(
    grid,
    { bits: b, ball, make: 'otherWithout', other: outside, target: a },
    pool,
    arena,
    stage,
  );
  options.progress?.(0.65);
  let found = (await countBits(grid, a, pool, arena, stage)) > 0;
  if (found) {
    await combineBits(grid, { a: outside, make: 'without', b: a, target: b }, pool, arena, stage);
    const depthMm = hollowDepth * radiusMm + Math.max(...spacingMm);
    const deep = ballRows(depthMm, spacingMm);
    await dilateBits(
      grid,
      { bits: b, ball: deep, make: 'otherWithout', other: a, target },
      pool,
      arena,
      stage,
    );
    options.progress?.(0.8);
    found = (await countBits(grid, target, pool, arena, stage)) > 0;
    if (found) {
      const back = ballRows(depthMm + Math.max(...spacingMm), spacingMm);
      await dilateBits(
        grid,
        { bits: target, ball: back, make: 'otherWithin', other: a, target: b },
        pool,
        arena,
        stage,
      );
      await combineBits(grid, { a: b, make: 'or', b: b, target: target }, pool, arena, stage);
    }
  }
  arena.release(mark);
  options.progress?.(1);
  return found;
}
