import type { ViewState } from '#contract/shapes/view-state.ts';
import { extentMm, gridMmToWorld, worldToGridMm } from '#kernels/grid/plane-transform.ts';
import {
  defaultOrientation,
  listCorners,
  makePlaneFrame,
  type PlaneOrientation,
} from '#kernels/grid/turned-grid.ts';
import { add, dot, minus, rotate, scale } from '#kernels/grid/vectors.ts';
import type { Grid, Vector3 } from '#kernels/grid/volume.ts';
import type { ViewStore } from './view-store.ts';

/** The part of the viewer that determines its oblique plane. */
interface Aslant {
  readonly store: ViewStore;
  cursorWorld(): Vector3;
  cursorIn(name: 'oblique'): Vector3;
  setCursorIn(name: 'oblique', point: Vector3): void;
}

export const readOrientation = ({ oblique }: Pick<ViewState, 'oblique'>): PlaneOrientation =>
  oblique ?? defaultOrientation;

/** Changes the orientation of the plane about the cursor. The centre of its picture stays the same. */
export function setOrientation(model: Aslant, orientation: PlaneOrientation): void {
  const { towards, up } = makePlaneFrame(orientation);
  model.store.update({ oblique: { normal: towards, up } });
}

/** Rotates the plane about a world axis through the cursor, counterclockwise when seen against the axis. */
export function turnOrientation(model: Aslant, axis: Vector3, radians: number): void {
  const { towards, up } = makePlaneFrame(readOrientation(model.store.get()));
  setOrientation(model, { normal: rotate(towards, axis, radians), up: rotate(up, axis, radians) });
}

/** Offset of the plane along its normal, from the origin of the world. */
export const readOffsetMm = (model: Aslant): number =>
  dot(makePlaneFrame(readOrientation(model.store.get())).towards, model.cursorWorld());

export function moveAlongNormal(model: Aslant, byMm: number): void {
  const [u, v, at] = model.cursorIn('oblique');
  model.setCursorIn('oblique', [u, v, at + byMm]);
}

/** Orientation of the plane in degrees, in angles that an engineer would use. */
export interface OrientationAngles {
  /** of the normal about Z, from X */
  azimuth: number;
  /** of the normal from Z */
  tilt: number;
  /** of the picture in the plane, counterclockwise; 0 where Z is up, or Y where the plane is horizontal */
  roll: number;
}

const degrees = 180 / Math.PI;

export function readAngles(orientation: PlaneOrientation): OrientationAngles {
  const { towards, up } = makePlaneFrame(orientation);
  const upright = makePlaneFrame({ normal: towards, up: [0, 0, 0] });
  return {
    azimuth: Math.hypot(towards[0], towards[1]) > 1e-9 ? Math.atan2(towards[1], towards[0]) * degrees : 0,
    tilt: Math.acos(Math.min(1, Math.max(-1, towards[2]))) * degrees,
    roll: Math.atan2(-dot(up, upright.right), dot(up, upright.up)) * degrees,
  };
}

export function orientByAngles({ azimuth, tilt, roll }: OrientationAngles): PlaneOrientation {
  const [a, t] = [azimuth / degrees, tilt / degrees];
  const normal: Vector3 = [Math.sin(t) * Math.cos(a), Math.sin(t) * Math.sin(a), Math.cos(t)];
  const { up, towards } = makePlaneFrame({ normal, up: [0, 0, 0] });
  return { normal: towards, up: rotate(up, towards, roll / degrees) };
}

/**
 * Moves a point of a rotated grid (its mm) that is outside the volume back into it within its own plane: straight
 * towards the volume's diagonal, which every plane through the volume intersects.
 *
 * @returns world mm
 */
export function putInside(volume: Grid, turned: Grid, point: Vector3): Vector3 {
  const corners = listCorners(volume).map((corner) => worldToGridMm(turned, corner));
  const byHeight = corners.toSorted((one, other) => one[2] - other[2]);
  const [low, high] = [byHeight[0], byHeight.at(-1)];
  if (!low || !high) return gridMmToWorld(turned, point);
  const height = Math.min(high[2], Math.max(low[2], point[2]));
  const share = (height - low[2]) / (high[2] - low[2]);
  const inside = worldToGridMm(volume, gridMmToWorld(turned, add(low, scale(minus(high, low), share))));
  const wanted = worldToGridMm(volume, gridMmToWorld(turned, [point[0], point[1], height]));
  let back = 0;
  for (const axis of [0, 1, 2] as const) {
    const [from, to] = extentMm(volume, axis);
    const end = Math.min(to, Math.max(from, wanted[axis]));
    if (end !== wanted[axis]) back = Math.max(back, (wanted[axis] - end) / (wanted[axis] - inside[axis]));
  }
  return gridMmToWorld(volume, add(wanted, scale(minus(inside, wanted), Math.min(1, back))));
}
