/** Interpolates grey values in a plane, and finds the surface in it. */
import type { GreyRows } from './level-lines.ts';

/** One plane of a volume. */
export interface GreyPlane extends GreyRows {
  /** centre of the first value along u and v, in mm */
  originMm: readonly [number, number];
  spacingMm: readonly [number, number];
}

type Place = [u: number, v: number];

/** Bilinear grey value at a position (mm); null outside the outermost voxel centres. */
export function readGrey(
  { width, height, values, originMm, spacingMm }: GreyPlane,
  [u, v]: Place,
): number | null {
  const [x, y] = [(u - originMm[0]) / spacingMm[0], (v - originMm[1]) / spacingMm[1]];
  if (!(x >= 0 && y >= 0 && x <= width - 1 && y <= height - 1)) return null;
  const [column, row] = [Math.min(width - 2, Math.floor(x)), Math.min(height - 2, Math.floor(y))];
  const [right, down] = [x - column, y - row];
  const at = row * width + column;
  const upper = values[at] + (values[at + 1] - values[at]) * right;
  const lower = values[at + width] + (values[at + width + 1] - values[at + width]) * right;
  return upper + (lower - upper) * down;
}

const directions = 32;

/**
 * Point nearest to a given one where the grey values cross one of these levels: searched in all directions, then refined
 * along the gradient there; where noise crosses several times, the midpoint of the crossings.
 * @param levels of the outer surface, and between the materials of the part
 * @param reachMm search radius
 * @returns null if no level is crossed within reach
 */
export function findCrossing(
  plane: GreyPlane,
  from: Place,
  levels: readonly number[],
  reachMm: number,
): Place | null {
  if (plane.width < 2 || plane.height < 2) return null;
  const stepMm = Math.min(...plane.spacingMm) / 4;
  let nearest: { place: Place; distance: number; level: number } | null = null;
  for (const level of levels)
    for (let i = 0; i < directions; i++) {
      const angle = (2 * Math.PI * i) / directions;
      const direction: Place = [Math.cos(angle), Math.sin(angle)];
      const within = [0, nearest?.distance ?? reachMm] as const;
      const [distance] = listCrossings(plane, from, direction, within, level, stepMm);
      if (distance !== undefined) nearest = { place: moveAlong(from, direction, distance), distance, level };
    }
  if (!nearest) return null;
  const steepest = findSteepest(plane, nearest.place);
  if (!steepest) return nearest.place;
  const reach = 8 * stepMm;
  const crossings = listCrossings(plane, nearest.place, steepest, [-reach, reach], nearest.level, stepMm);
  if (crossings.length === 0) return nearest.place;
  return moveAlong(nearest.place, steepest, (crossings[0] + crossings[crossings.length - 1]) / 2);
}

const moveAlong = ([u, v]: Place, direction: Place, by: number): Place => [
  u + direction[0] * by,
  v + direction[1] * by,
];

/** Distances along a direction at which the level is crossed, ascending. */
function listCrossings(
  plane: GreyPlane,
  from: Place,
  direction: Place,
  [start, end]: readonly [number, number],
  level: number,
  stepMm: number,
): number[] {
  const found: number[] = [];
  const steps = Math.ceil((end - start) / stepMm);
  let before: number | null = null;
  for (let i = 0; i <= steps; i++) {
    const at = Math.min(end, start + i * stepMm);
    const grey = readGrey(plane, moveAlong(from, direction, at));
    const value = grey === null ? null : grey - level;
    if (value !== null && before !== null && value > 0 !== before > 0)
      found.push(at - (stepMm * value) / (value - before));
    before = value;
  }
  return found;
}

/** Unit vector of the gradient, from a plane fitted to 5 × 5 values. */
function findSteepest(plane: GreyPlane, place: Place): Place | null {
  const [du, dv] = plane.spacingMm;
  const slope: Place = [0, 0];
  for (let row = -2; row <= 2; row++)
    for (let column = -2; column <= 2; column++) {
      const grey = readGrey(plane, [place[0] + column * du, place[1] + row * dv]);
      if (grey === null) return null;
      slope[0] += (column * grey) / du;
      slope[1] += (row * grey) / dv;
    }
  const length = Math.hypot(...slope);
  return length > 0 ? [slope[0] / length, slope[1] / length] : null;
}
