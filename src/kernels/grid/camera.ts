/** Moves of the 3D camera as pure functions: each returns a new camera. Lengths in mm, angles in radians. */

import { cross, dot, minus } from './vectors.ts';

/** Viewpoint of a picture; part of the view state. */
export interface Camera {
  position: Point;
  target: Point;
  up: Point;
  projection: 'orthographic' | 'perspective';
  /** height of the picture at the target, in mm */
  heightMm: number;
}
export type Point = [number, number, number];

export interface Bounds {
  min: Point;
  max: Point;
}

/** Vertical field of view in perspective; narrow, for little distortion. */
export const fieldOfView = (30 * Math.PI) / 180;

const add = (a: Point, b: Point, k = 1): Point => [a[0] + b[0] * k, a[1] + b[1] * k, a[2] + b[2] * k];
export const unit = (a: Point): Point => {
  const length = Math.hypot(...a) || 1;
  return [a[0] / length, a[1] / length, a[2] / length];
};

/** Unit vectors of the picture in world space: right, up and towards the viewer. */
export function frame(camera: Camera): { right: Point; up: Point; towards: Point } {
  const towards = unit(minus(camera.position, camera.target));
  const right = unit(cross(camera.up, towards));
  return { right, up: cross(towards, right), towards };
}

/** Projects a point of the world to pixels (y down); null if it is behind the camera. */
export function projectPoint(
  camera: Camera,
  point: Point,
  widthPx: number,
  heightPx: number,
): [number, number] | null {
  const { right, up, towards } = frame(camera);
  const off = minus(point, camera.target);
  const away = distanceMm(camera.heightMm);
  const before = away - dot(off, towards);
  if (camera.projection === 'perspective' && !(before > 0)) return null;
  const scale = (heightPx / camera.heightMm) * (camera.projection === 'perspective' ? away / before : 1);
  return [widthPx / 2 + dot(off, right) * scale, heightPx / 2 - dot(off, up) * scale];
}

/** Distance at which the perspective camera shows `heightMm` at its target. */
export const distanceMm = (heightMm: number): number => heightMm / (2 * Math.tan(fieldOfView / 2));

function placed(camera: Camera, target: Point, towards: Point, up: Point, heightMm: number): Camera {
  return { ...camera, target, up, heightMm, position: add(target, towards, distanceMm(heightMm)) };
}

function turned(v: Point, axis: Point, angle: number): Point {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return add(add([v[0] * c, v[1] * c, v[2] * c], cross(axis, v), s), axis, dot(axis, v) * (1 - c));
}

/**
 * Orbits the part: `yaw` about the vertical of the picture, `pitch` about the horizontal. There is no fixed up axis, so
 * the part can be viewed from every direction.
 */
export function orbited(camera: Camera, yaw: number, pitch: number): Camera {
  const { right, up, towards } = frame(camera);
  const turnedTowards = turned(turned(towards, up, -yaw), right, -pitch);
  const turnedUp = turned(up, right, -pitch);
  return placed(camera, camera.target, unit(turnedTowards), unit(turnedUp), camera.heightMm);
}

/** Rolls the picture about the line of sight. */
export function rolled(camera: Camera, angle: number): Camera {
  const { up, towards } = frame(camera);
  return placed(camera, camera.target, towards, unit(turned(up, towards, angle)), camera.heightMm);
}

/** Pans the part by mm in the picture; right and up are positive. */
export function panned(camera: Camera, rightMm: number, upMm: number): Camera {
  const { right, up, towards } = frame(camera);
  const target = add(add(camera.target, right, -rightMm), up, -upMm);
  return placed(camera, target, towards, camera.up, camera.heightMm);
}

/** Zooms by `factor` (> 1 = closer); the point `rightMm`, `upMm` from the centre stays in place. */
export function zoomed(camera: Camera, factor: number, rightMm = 0, upMm = 0): Camera {
  const { right, up, towards } = frame(camera);
  const keep = 1 - 1 / factor;
  const target = add(add(camera.target, right, rightMm * keep), up, upMm * keep);
  return placed(camera, target, towards, camera.up, camera.heightMm / factor);
}

export const standardViews = ['isometric', 'front', 'back', 'left', 'right', 'top', 'bottom'] as const;
export type StandardView = (typeof standardViews)[number];

const directions: Record<StandardView, { towards: Point; up: Point }> = {
  isometric: { towards: unit([0.4967, -0.7094, 0.5]), up: [0, 0, 1] },
  front: { towards: [0, -1, 0], up: [0, 0, 1] },
  back: { towards: [0, 1, 0], up: [0, 0, 1] },
  left: { towards: [-1, 0, 0], up: [0, 0, 1] },
  right: { towards: [1, 0, 0], up: [0, 0, 1] },
  top: { towards: [0, 0, 1], up: [0, 1, 0] },
  bottom: { towards: [0, 0, -1], up: [0, -1, 0] },
};

/** A camera on a standard side that shows all of `bounds` in a picture of the given aspect ratio. */
export function standardView(
  view: StandardView,
  bounds: Bounds,
  aspect: number,
  projection: Camera['projection'] = 'orthographic',
): Camera {
  const { towards, up } = directions[view];
  const camera: Camera = { position: towards, target: [0, 0, 0], up, projection, heightMm: 1 };
  return fitted(camera, bounds, aspect);
}

/** The same viewing direction, with all of `bounds` in the picture and a margin of 8 %. */
export function fitted(camera: Camera, bounds: Bounds, aspect: number): Camera {
  const { right, up, towards } = frame(camera);
  const centre: Point = [0, 1, 2].map((k) => (bounds.min[k] + bounds.max[k]) / 2) as Point;
  const half: Point = [0, 1, 2].map((k) => (bounds.max[k] - bounds.min[k]) / 2) as Point;
  const reach = (axis: Point) =>
    Math.abs(axis[0]) * half[0] + Math.abs(axis[1]) * half[1] + Math.abs(axis[2]) * half[2];
  let heightMm = 2 * Math.max(reach(up), reach(right) / Math.max(aspect, 1e-3)) * 1.16;
  if (!(heightMm > 0)) heightMm = 1;
  // In perspective, the near side appears larger than the target and needs more room.
  if (camera.projection === 'perspective') heightMm += 2 * reach(towards) * Math.tan(fieldOfView / 2);
  return placed(camera, centre, towards, unit(up), heightMm);
}

/**
 * Moves the camera to a place on or in a part: the place is in the centre of the picture, which shows `heightMm`. If
 * the place would be hidden on the far side of the part, the camera goes around the vertical to that side, or above or
 * below.
 *
 * @param centre centre of the part, mm
 */
export function aimedAt(camera: Camera, place: Point, centre: Point, heightMm: number): Camera {
  const { towards, up } = frame(camera);
  const outwards = minus(place, centre);
  if (dot(outwards, towards) >= 0) return placed(camera, place, towards, up, heightMm);
  const [level, away] = [Math.hypot(towards[0], towards[1]), Math.hypot(outwards[0], outwards[1])];
  const isAside = away > Math.abs(outwards[2]);
  const side: Point = isAside
    ? unit([
        (outwards[0] / away) * Math.max(level, 0.5),
        (outwards[1] / away) * Math.max(level, 0.5),
        towards[2],
      ])
    : unit([towards[0], towards[1], Math.sign(outwards[2]) * Math.max(Math.abs(towards[2]), 0.5)]);
  const upright: Point = Math.abs(side[2]) < 0.99 ? [0, 0, 1] : [0, 1, 0];
  return placed(camera, place, side, upright, heightMm);
}
