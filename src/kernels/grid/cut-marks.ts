/**
 * Marks along the line where a plane cuts a surface: whiskers that show deviations larger than they are, and arrows
 * across walls. All places are u and v of the plane, mm.
 */

import {
  averageAlong,
  type CutTriangle,
  type PlacedCut,
  spaceAlongCut,
  type ViewBox,
} from './space-along-cut.ts';
import { dot } from './vectors.ts';

export interface Whisker {
  /** where the surface lies */
  u: number;
  v: number;
  /** from the reference to the surface, as seen in the plane: shorter than the deviation where it leaves the plane */
  du: number;
  dv: number;
  /** the deviation itself, mm */
  value: number;
}

export interface WallArrow {
  from: readonly [u: number, v: number];
  to: readonly [u: number, v: number];
  /** the thickness that was measured at `from`, mm */
  value: number;
}

/** Points of lines and the first point of each, as of a cut. */
export interface MarkLines {
  points: Float64Array;
  starts: Uint32Array;
}

/** An arrow is drawn where it is as long as the thickness to this share of it; elsewhere the wall leaves the plane. */
const lengthAgrees = 0.1;
/** Directions of walls are means over this share of the thickness, so that noise does not tilt them. */
const smoothedShare = 0.5;
/** Nearer to its place, what the line of an arrow meets is the face that it starts on. */
const ownFaceShare = 0.05;
/** Arrows from both faces of a wall are one: the share of the spacing that their middles keep. */
const apartShare = 0.7;
/** A whisker ends at so many times the larger limit: one beyond would cover the picture. */
const longestInLimits = 2;
/** How much of the picture's height a whisker at the limit takes at most. */
const heightShare = 0.05;

/**
 * Deviations at even spacing along a cut. A deviation is a distance, so its slope along the surface and the surface's
 * normal give the direction to the nearest point of the reference without the reference: the slope is the part of that
 * unit vector in the surface, the rest is along the normal. O(points).
 *
 * @param values deviation of each vertex, mm, positive outside of the reference
 */
export function findWhiskers(
  cut: PlacedCut,
  values: ArrayLike<number>,
  box: ViewBox,
  spacingMm: number,
): Whisker[] {
  return spaceAlongCut(cut, values, box, spacingMm).flatMap((place) => {
    const direction = averageAlong(cut, place, spacingMm, (triangle) =>
      leanBySlope(triangle, values, cut.missing),
    );
    if (!direction) return [];
    const [x, y, z] = direction;
    const [ux, uy, uz, , vx, vy, vz] = cut.rows;
    const { u, v, value } = place;
    const [du, dv] = [ux * x + uy * y + uz * z, vx * x + vy * y + vz * z];
    return [{ u, v, du: value * du, dv: value * dv, value }];
  });
}

/**
 * Arrows across walls at even spacing along a cut, from one face to the other in the plane. Left out where that is not
 * as long as the thickness: the wall lies oblique to the plane there, or the thickness is a ball's in a corner.
 * O(points · arrows).
 *
 * @param values thickness at each vertex, mm
 */
export function findWalls(
  cut: PlacedCut,
  values: ArrayLike<number>,
  box: ViewBox,
  spacingMm: number,
): WallArrow[] {
  const walls: WallArrow[] = [];
  const apartMm = apartShare * spacingMm;
  for (const place of spaceAlongCut(cut, values, box, spacingMm)) {
    const { u, v, value } = place;
    const normal = averageAlong(cut, place, smoothedShare * value, ({ normal }) => normal);
    if (!normal || value <= 0) continue;
    const [ux, uy, uz, , vx, vy, vz] = cut.rows;
    const [x, y, z] = normal;
    const [du, dv] = [-(ux * x + uy * y + uz * z), -(vx * x + vy * y + vz * z)];
    const size = Math.hypot(du, dv);
    if (size === 0) continue;
    const length = findExit(cut, [u, v], [du / size, dv / size], value);
    if (length === null || Math.abs(length - value) > lengthAgrees * value) continue;
    const to = [u + (du / size) * length, v + (dv / size) * length] as const;
    const isNear = (wall: WallArrow) =>
      Math.hypot(wall.from[0] + wall.to[0] - u - to[0], wall.from[1] + wall.to[1] - v - to[1]) < 2 * apartMm;
    if (!walls.some(isNear)) walls.push({ from: [u, v], to, value });
  }
  return walls;
}

/** How often larger whiskers are drawn than deviations: 1, 2 or 5 times a power of ten, so that the limits can be seen. */
export function chooseMagnification(limits: readonly [number, number], heightMm: number): number {
  const most = (heightShare * heightMm) / Math.max(Math.abs(limits[0]), Math.abs(limits[1]));
  if (!(most > 1) || !Number.isFinite(most)) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return power * (most >= 5 * power ? 5 : most >= 2 * power ? 2 : 1);
}

/** A line each, from the reference outwards or inwards. */
export function traceWhiskers(
  whiskers: readonly Whisker[],
  magnification: number,
  limits: readonly [number, number],
): MarkLines {
  const longest = longestInLimits * Math.max(Math.abs(limits[0]), Math.abs(limits[1]));
  const points = whiskers.flatMap(({ u, v, du, dv, value }) => {
    const times = magnification * Math.min(1, longest / Math.abs(value || 1));
    return [u - du, v - dv, u + (times - 1) * du, v + (times - 1) * dv];
  });
  return { points: Float64Array.from(points), starts: everyPoints(whiskers.length, 2) };
}

/** Points that the line of one double arrow has: it goes out to its heads and back, so that it is one line. */
export const arrowPoints = 8;

/** One line for each wall: its length and a head at either end. */
export function traceWalls(walls: readonly WallArrow[], headMm: number): MarkLines {
  const points = walls.flatMap(({ from, to }) => {
    const [du, dv] = [to[0] - from[0], to[1] - from[1]];
    const length = Math.hypot(du, dv);
    const head = Math.min(headMm, length / 3) / length;
    const barb = ([u, v]: readonly [number, number], way: 1 | -1, side: 1 | -1) => [
      u + way * head * (du - side * 0.5 * dv),
      v + way * head * (dv + side * 0.5 * du),
    ];
    const start = [barb(from, 1, 1), from, barb(from, 1, -1), from];
    const end = [to, barb(to, -1, 1), to, barb(to, -1, -1)];
    return [...start, ...end].flat();
  });
  return { points: Float64Array.from(points), starts: everyPoints(walls.length, arrowPoints) };
}

const everyPoints = (lines: number, each: number) =>
  Uint32Array.from({ length: lines + 1 }, (_, i) => each * i);

/** Unit vector away from the reference at a triangle; null where a corner has no value. */
function leanBySlope(
  { vertices: [a, b, c], edges: [p, q], normal }: CutTriangle,
  values: ArrayLike<number>,
  missing: number,
): number[] | null {
  if ([a, b, c].some((vertex) => values[vertex] === missing)) return null;
  const [toB, toC] = [values[b] - values[a], values[c] - values[a]];
  // Gradient of what is linear on the triangle, by the metric of its edges p and q.
  const [pp, pq, qq] = [dot(p, p), dot(p, q), dot(q, q)];
  const area = pp * qq - pq * pq;
  const [s, t] = [(toB * qq - toC * pq) / area, (toC * pp - toB * pq) / area];
  const slope = p.map((each, k) => s * each + t * q[k]);
  const steep = dot(slope, slope);
  // No distance changes faster than its place; slivers of triangles and noise may say so.
  if (!(steep < 1)) return null;
  return slope.map((each, k) => each + Math.sqrt(1 - steep) * normal[k]);
}

/** How far from a place of a cut its line goes on to the next face; null where it meets none within twice the thickness. */
function findExit(
  { points, starts }: PlacedCut,
  [u, v]: readonly [number, number],
  [du, dv]: readonly [number, number],
  thicknessMm: number,
): number | null {
  const least = ownFaceShare * thicknessMm;
  let nearest = 2 * thicknessMm;
  const found = nearest;
  for (let line = 0; line + 1 < starts.length; line++) {
    let isLeft = false;
    for (let i = starts[line]; i < starts[line + 1]; i++) {
      const wasLeft: boolean = isLeft;
      isLeft = findSide(points, i, u, v, du, dv) >= 0;
      if (i === starts[line] || wasLeft === isLeft) continue;
      const [before, after] = [findSide(points, i - 1, u, v, du, dv), findSide(points, i, u, v, du, dv)];
      const share = before / (before - after);
      const at = 2 * i;
      const along =
        du * (points[at - 2] + (points[at] - points[at - 2]) * share - u) +
        dv * (points[at - 1] + (points[at + 1] - points[at - 1]) * share - v);
      if (along > least && along < nearest) nearest = along;
    }
  }
  return nearest < found ? nearest : null;
}

/** Distance of a point from the line through u, v along du, dv: above 0 to its left. */
const findSide = (points: Float64Array, i: number, u: number, v: number, du: number, dv: number) =>
  du * (points[2 * i + 1] - v) - dv * (points[2 * i] - u);
