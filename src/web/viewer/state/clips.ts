import { maxClipPlanes, type ViewState } from '#contract/shapes/view-state.ts';
import { isCutAway, listCuts } from '#kernels/grid/cut-away.ts';
import { gridMmToWorld, planeAxes, type SliceName } from '#kernels/grid/plane-transform.ts';
import { add, cross, dot, minus, scale, unit } from '#kernels/grid/vectors.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import type { ViewerModel } from './viewer-model.ts';

type Clips = ViewState['clips'];
export type ClipPlane = Clips['planes'][number];
type PlaneOrientation = Pick<ClipPlane, 'normal' | 'offsetMm'>;
export type Cuttable = Pick<ViewerModel, 'store' | 'bounds' | 'grid' | 'slice' | 'clipHistory'>;

/**
 * Tolerances within which two planes count as equal, because addresses round them: cosine of the angle between them,
 * and distance in voxels.
 */
const [parallelCosine, samePlace] = [1 - 1e-6, 0.1];
export function changeClips(model: Pick<Cuttable, 'store' | 'clipHistory'>, change: Partial<Clips>): void {
  const { clips } = model.store.get();
  model.store.update({ clips: { ...clips, ...change } });
  model.clipHistory.note(clips, model.store.get().clips, Date.now(), () => undoClips(model));
}

/** @returns whether there was a change to undo */
export function undoClips(model: Pick<Cuttable, 'store' | 'clipHistory'>): boolean {
  const before = model.clipHistory.takeLast();
  if (before) model.store.update({ clips: before });
  return before !== null;
}

/** Whether the part is clipped anywhere. */
export const hasClips = ({ box, planes, beforePlace }: Clips): boolean =>
  box !== null || planes.length > 0 || beforePlace !== null;

/**
 * Adds a clipping plane. An existing parallel one that keeps the same side is moved there instead, because only one of
 * the two would be visible.
 *
 * @returns false if the limit of planes is reached
 */
export function addPlane(model: Cuttable, orientation: PlaneOrientation): boolean {
  const { planes } = model.store.get().clips;
  const parallel = planes.findIndex(
    ({ normal }) => dot(unit(normal), unit(orientation.normal)) > parallelCosine,
  );
  const plane = { ...orientation, enabled: true };
  if (parallel < 0 && planes.length >= maxClipPlanes) return false;
  changeClips(model, { planes: parallel < 0 ? [...planes, plane] : planes.with(parallel, plane) });
  return true;
}

export function changePlane(model: Cuttable, index: number, change: Partial<ClipPlane>): void {
  const { planes } = model.store.get().clips;
  const plane = planes[index];
  if (plane) changeClips(model, { planes: planes.with(index, { ...plane, ...change }) });
}

export const removePlane = (model: Cuttable, index: number): void =>
  changeClips(model, { planes: model.store.get().clips.planes.toSpliced(index, 1) });

/** Keeps the other side. */
export function flipPlane(model: Cuttable, index: number): void {
  const plane = model.store.get().clips.planes[index];
  if (plane)
    changePlane(model, index, { normal: minus([0, 0, 0], plane.normal), offsetMm: -plane.offsetMm + 0 });
}

/** The plane of a slice as currently shown; the part is kept on its far side, so that the section is visible. */
function layAlong(model: Cuttable, name: SliceName): PlaneOrientation | null {
  const [grid, slice] = [model.grid(name), model.slice(name)];
  if (!grid || !slice) return null;
  const axes = planeAxes[name];
  const direction = (axis: number) => grid.directions.slice(3 * axis, 3 * axis + 3) as Vector3;
  // Avoids −0, which an address does not preserve.
  const normal = add(cross(direction(axes.u), direction(axes.v)), [0, 0, 0]);
  const point: Vector3 = [0, 0, 0];
  point[axes.normal] = slice.positionMm;
  return { normal, offsetMm: dot(normal, gridMmToWorld(grid, point)) };
}

/** Index of the clipping plane along a slice; −1 = none. */
function findAlong(model: Cuttable, name: SliceName): number {
  const here = layAlong(model, name);
  const voxelMm = Math.min(...(model.grid(name)?.voxelSizeMm ?? []));
  return model.store.get().clips.planes.findIndex(({ enabled, normal, offsetMm }) => {
    if (!enabled || !here) return false;
    const offMm = offsetMm / Math.hypot(...normal) - here.offsetMm;
    return dot(unit(normal), here.normal) > parallelCosine && Math.abs(offMm) < samePlace * voxelMm;
  });
}

/** Whether the part is clipped along a slice. */
export const isCutAlong = (model: Cuttable, name: SliceName): boolean => findAlong(model, name) >= 0;

/** Clips the part along a slice, or removes that plane again. */
export function toggleCutAlong(model: Cuttable, name: SliceName): void {
  const found = findAlong(model, name);
  const here = layAlong(model, name);
  if (found >= 0) changePlane(model, found, { enabled: false });
  else if (here) addPlane(model, here);
}

/** The handle of a plane: its point nearest to the centre of the part; null if it clips nothing. */
export function placePlane(model: Cuttable, index: number): { middle: Vector3; normal: Vector3 } | null {
  const plane = model.store.get().clips.planes[index];
  if (!plane?.enabled) return null;
  const { min, max } = model.bounds();
  const centre = scale(add(min, max), 0.5);
  const length = Math.hypot(...plane.normal);
  const normal = scale(plane.normal, 1 / length);
  return { middle: minus(centre, scale(normal, dot(normal, centre) - plane.offsetMm / length)), normal };
}

/** Moves a plane along its normal. */
export function movePlane(model: Cuttable, index: number, byMm: number): void {
  const plane = model.store.get().clips.planes[index];
  if (plane) changePlane(model, index, { offsetMm: plane.offsetMm + byMm * Math.hypot(...plane.normal) });
}

/** Tilts a plane about its point nearest to the centre of the part. */
export function tiltPlane(model: Cuttable, index: number, normal: Vector3): void {
  const placed = placePlane(model, index);
  if (!placed) return;
  const turned = unit(normal);
  changePlane(model, index, { normal: turned, offsetMm: dot(turned, placed.middle) });
}

/** Switches the box on or off; it starts around the whole part, or where it was before. */
export function toggleBox(model: Cuttable): void {
  const { box } = model.store.get().clips;
  if (box) changeClips(model, { box: { ...box, enabled: !box.enabled } });
  else fitBox(model);
}

/** Sets the box around the whole part. */
export function fitBox(model: Cuttable): void {
  const { box } = model.store.get().clips;
  const { min, max } = model.bounds();
  changeClips(model, { box: { enabled: true, minMm: min, maxMm: max, keep: box?.keep ?? 'inside' } });
}

/** Sets the position of a side of the box along its axis; it stops before the opposite one. */
export function setBoxSide(model: Cuttable, side: 'minMm' | 'maxMm', axis: 0 | 1 | 2, mm: number): void {
  const { box } = model.store.get().clips;
  if (!box) return;
  const { min, max } = model.bounds();
  const minSizeMm = Math.max(1e-3, 0.005 * Math.hypot(...minus(max, min)));
  const limited =
    side === 'minMm' ? Math.min(mm, box.maxMm[axis] - minSizeMm) : Math.max(mm, box.minMm[axis] + minSizeMm);
  changeClips(model, { box: { ...box, [side]: box[side].with(axis, limited) as Vector3 } });
}

/** The clips, with those that remove the given place switched off. */
export function showPlace({ box, planes, ...rest }: Clips, [x, y, z]: Vector3): Clips {
  const isFree = (cut: Partial<Clips>) =>
    !isCutAway(listCuts({ box: null, planes: [], beforePlace: null, ...cut }), x, y, z);
  return {
    ...rest,
    box: box && { ...box, enabled: box.enabled && isFree({ box }) },
    planes: planes.map((plane) => ({ ...plane, enabled: plane.enabled && isFree({ planes: [plane] }) })),
  };
}
