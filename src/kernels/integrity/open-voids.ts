import type { Vector3 } from '../grid/volume.ts';
import { allocateBits, ballRows, combineBits, countBits, dilateBits } from './bit-grid.ts';
import type { BitStage } from './bit-stage.ts';
import { findComponents, paintComponent } from './components.ts';

/**
 * Depth in ball radii that a hollow must reach below the rolling ball to count as a void: the ball leaves 0.41 of its
 * radius uncovered in an inner edge and 0.73 in an inner corner of three walls, which are not defects.
 */
const hollowDepth = 0.75;

export interface OpenVoidOptions extends BitStage {
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
  outside: number,
  target: number,
  options: OpenVoidOptions,
): Promise<boolean> {
  const { radiusMm, spacingMm, scratch: a, progress, ...stage } = options;
  const { grid, arena } = stage;
  const mark = arena.mark();
  const ball = ballRows(radiusMm, spacingMm);
  const b = allocateBits(arena, grid);
  // Possible positions of the ball's centre.
  await dilateBits({ bits: outside, invert: true, ball, make: 'rest', target: a }, stage);
  progress?.(0.3);
  const inner = arena.mark();
  const places = await findComponents(a, 26, stage);
  await paintComponent(places, b, stage);
  arena.release(inner);
  progress?.(0.35);
  await dilateBits({ bits: b, ball, make: 'otherWithout', other: outside, target: a }, stage);
  progress?.(0.65);
  let found = (await countBits(a, stage)) > 0;
  if (found) {
    await combineBits({ a: outside, make: 'without', b: a, target: b }, stage);
    const depthMm = hollowDepth * radiusMm + Math.max(...spacingMm);
    const deep = ballRows(depthMm, spacingMm);
    await dilateBits({ bits: b, ball: deep, make: 'otherWithout', other: a, target }, stage);
    progress?.(0.8);
    found = (await countBits(target, stage)) > 0;
    if (found) {
      const back = ballRows(depthMm + Math.max(...spacingMm), spacingMm);
      await dilateBits({ bits: target, ball: back, make: 'otherWithin', other: a, target: b }, stage);
      await combineBits({ a: b, make: 'or', b: b, target: target }, stage);
    }
  }
  arena.release(mark);
  progress?.(1);
  return found;
}
