/**
 * Marks along the line where a plane cuts a surface: whiskers that magnify deviations, and arrows across walls. All
 * positions are u and v of the plane, mm.
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
  /** point on the surface */
  u: number;
  v: number;
  /** from the reference to the surface, projected into the plane: shorter than the deviation if that leaves the plane */
  du: number;
  dv: number;
  /** deviation, mm */
  value: number;
}

export interface WallArrow {
  from: readonly [u: number, v: number];
  to: readonly [u: number, v: number];
  /** thickness measured at `from`, mm */
  value: number;
}

/** Points of polylines and the index of the first point of each, as for a cut. */
export interface MarkLines {
  points: Float64Array;
  starts: Uint32Array;
}

/**
 * Relative tolerance between arrow length and thickness; beyond it, the wall is oblique to the plane and gets no arrow.
 */
const lengthAgrees = 0.1;
/** Wall directions are averaged over this share of the thickness, so that noise does not tilt them. */
const smoothedShare = 0.5;
/** Intersections closer than this share of the thickness belong to the face on which the arrow starts. */
const ownFaceShare = 0.05;
/** Arrows whose midpoints are closer than this share of the spacing are one: both faces of a wall give an arrow. */
const apartShare = 0.7;
/** Maximum whisker length, as a multiple of the larger limit; longer ones would cover the picture. */
const longestInLimits = 2;
/** Maximum length of a whisker at the limit, as a share of the picture height. */
const heightShare = 0.05;

/**
 * Deviations at even spacing along a cut. A deviation is a distance, so its gradient along the surface and the surface
 * normal give the direction from the nearest point of the reference, without the reference itself: the gradient is the
 * tangential part of that unit vector, the rest is along the normal. O(points).
 *
 * @param values deviation of each vertex, mm, positive outside the reference
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
 * Arrows across walls at even spacing along a cut, from one face to the other in the plane. Omitted if their length
 * differs from the thickness: the wall is oblique to the plane, or the thickness is that of a sphere in a corner.
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

/** Magnification of the whiskers: 1, 2 or 5 times a power of ten, so that the limits are visible. */
export function chooseMagnification(limits: readonly [number, number], heightMm: number): number {
  const most = (heightShare * heightMm) / Math.max(Math.abs(limits[0]), Math.abs(limits[1]));
  if (!(most > 1) || !Number.isFinite(most)) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return power * (most >= 5 * power ? 5 : most >= 2 * power ? 2 : 1);
}

/** One line per whisker, starting at the reference. */
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

/** Points per double arrow: the line traces both heads and back, so that it is one line. */
export const arrowPoints = 8;

/** One line per wall: the shaft and a head at each end. */
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

/** Unit vector away from the reference at a triangle; null if a corner has no value. */
function leanBySlope(
  { vertices: [a, b, c], edges: [p, q], normal }: CutTriangle,
  values: ArrayLike<number>,
  missing: number,
): number[] | null {
  if ([a, b, c].some((vertex) => values[vertex] === missing)) return null;
  const [toB, toC] = [values[b] - values[a], values[c] - values[a]];
  // Gradient of the linear function on the triangle, by the metric of its edges p and q.
  const [pp, pq, qq] = [dot(p, p), dot(p, q), dot(q, q)];
  const area = pp * qq - pq * pq;
  const [s, t] = [(toB * qq - toC * pq) / area, (toC * pp - toB * pq) / area];
  const slope = p.map((each, k) => s * each + t * q[k]);
  const steep = dot(slope, slope);
  // A distance cannot have a slope above 1; sliver triangles and noise can produce one.
  if (!(steep < 1)) return null;
  return slope.map((each, k) => each + Math.sqrt(1 - steep) * normal[k]);
}

/**
 * Distance from a point of a cut along a direction to the next face; null if there is none within twice the thickness.
 */
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

/** Signed distance of a point from the line through u, v along du, dv: positive on its left. */
const findSide = (points: Float64Array, i: number, u: number, v: number, du: number, dv: number) =>
  du * (points[2 * i + 1] - v) - dv * (points[2 * i] - u);
