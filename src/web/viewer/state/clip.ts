/** The plane that cuts the part open in 3D: what lies on the side that its normal points to is left out. */
import type { ViewState } from '#contract/shapes/view-state.ts';
import { gridMmToWorld, planeAxes, type SliceName } from '#kernels/grid/plane-transform.ts';
import { add, cross, dot, minus, scale, unit } from '#kernels/grid/vectors.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import type { ViewerModel } from './viewer-model.ts';

type Clip = NonNullable<ViewState['clip']>;
type Cuttable = Pick<ViewerModel, 'store' | 'bounds' | 'grid' | 'slice'>;

/** How far two cuts may differ and still be the same one, as an address rounds them: cosine of the angle between, and voxels. */
const [sameLie, samePlace] = [1 - 1e-6, 0.1];

/** The plane of a slice as it is shown now; who looks at the slice sees the section. */
function clipAlong(model: Cuttable, name: SliceName): Pick<Clip, 'normal' | 'offsetMm'> | null {
  const [grid, slice] = [model.grid(name), model.slice(name)];
  if (!grid || !slice) return null;
  const axes = planeAxes[name];
  const direction = (axis: number) => grid.directions.slice(3 * axis, 3 * axis + 3) as Vector3;
  // Without −0, which an address does not keep.
  const normal = add(cross(direction(axes.u), direction(axes.v)), [0, 0, 0]);
  const point: Vector3 = [0, 0, 0];
  point[axes.normal] = slice.positionMm;
  return { normal, offsetMm: dot(normal, gridMmToWorld(grid, point)) };
}

/** Whether the part is cut open along a slice. */
export function isCutAlong(model: Cuttable, name: SliceName): boolean {
  const { clip } = model.store.get();
  const here = clip?.enabled ? clipAlong(model, name) : null;
  if (!clip || !here) return false;
  const offMm = clip.offsetMm / Math.hypot(...clip.normal) - here.offsetMm;
  const voxelMm = Math.min(...(model.grid(name)?.voxelSizeMm ?? []));
  return dot(unit(clip.normal), here.normal) > sameLie && Math.abs(offMm) < samePlace * voxelMm;
}

/** Cuts the part open along a slice, or closes it again where that has been done. */
export function toggleCutAlong(model: Cuttable, name: SliceName): void {
  const { clip } = model.store.get();
  if (clip && isCutAlong(model, name)) model.store.update({ clip: { ...clip, enabled: false } });
  else {
    const here = clipAlong(model, name);
    if (here) model.store.update({ clip: { enabled: true, filled: clip?.filled ?? true, ...here } });
  }
}

/** Where the cut is gripped: its place nearest to the middle of the part; null where nothing is cut. */
export function placeClip(model: Cuttable): { middle: Vector3; normal: Vector3 } | null {
  const { clip } = model.store.get();
  if (!clip?.enabled) return null;
  const { min, max } = model.bounds();
  const centre = scale(add(min, max), 0.5);
  const length = Math.hypot(...clip.normal);
  const normal = scale(clip.normal, 1 / length);
  return { middle: minus(centre, scale(normal, dot(normal, centre) - clip.offsetMm / length)), normal };
}

/** Along its normal. */
export function moveClip(model: Cuttable, byMm: number): void {
  const { clip } = model.store.get();
  if (!clip) return;
  model.store.update({ clip: { ...clip, offsetMm: clip.offsetMm + byMm * Math.hypot(...clip.normal) } });
}

/** About its place nearest to the middle of the part. */
export function tiltClip(model: Cuttable, normal: Vector3): void {
  const { clip } = model.store.get();
  const placed = placeClip(model);
  if (!clip || !placed) return;
  const turned = unit(normal);
  model.store.update({ clip: { ...clip, normal: turned, offsetMm: dot(turned, placed.middle) } });
}
