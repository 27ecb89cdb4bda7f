import { findCrossing } from '#kernels/grid/grey-plane.ts';
import {
  gridMmToWorld,
  mmPerPixel,
  type PlaneView,
  planeAxes,
  type SliceName,
} from '#kernels/grid/plane-transform.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import type { SurfaceHit } from '../engine/layer.ts';
import type { PickedPoint } from '../state/measuring.ts';
import type { ViewerModel } from '../state/viewer-model.ts';

/** Maximum distance of the surface from the pointer, in pixels of the pane. */
const reachPx = 14;

/**
 * Moves a point of a slice (grid mm along its axes) to the nearby determined surface: to the contour of the loaded part
 * surface, else to where the grey values of the scan cross ISO 50, of the part or between two of its materials. Averages of coarser voxels are not used.
 */
export function snapPoint(
  model: ViewerModel,
  name: SliceName,
  view: PlaneView,
  [u, v]: readonly [number, number],
): PickedPoint | null {
  const { volume } = model;
  const slice = model.slice(name);
  const grid = model.grid(name);
  if (!volume || !slice || !grid) return null;
  const reachMm = reachPx * mmPerPixel(view);
  const axes = planeAxes[name];
  const toPoint = (place: readonly [number, number]): Vector3 => {
    const point: Vector3 = [0, 0, 0];
    point[axes.u] = place[0];
    point[axes.v] = place[1];
    point[axes.normal] = slice.positionMm;
    return gridMmToWorld(grid, point);
  };
  const isPart = model.surface?.shows === 'part' && model.store.get().slices.surface;
  const cut = isPart ? model.cuts.get('surface', name) : null;
  const onSurface = cut && findNearest(cut, [u, v], reachMm);
  if (onSurface)
    return { pointWorld: toPoint(onSurface), placement: 'surface', surfaceId: model.surface?.id ?? null };
  const shown = { positionMm: slice.positionMm, view, scale: devicePixelRatio };
  const plane = model.loaders[name]?.planeAt(shown, u, v);
  const onEdge =
    plane?.exact && volume.isoValue !== undefined
      ? findCrossing(plane, [u, v], [volume.isoValue, ...(volume.materialLevels ?? [])], reachMm)
      : null;
  return { pointWorld: toPoint(onEdge ?? [u, v]), placement: onEdge ? 'edge' : 'free', surfaceId: null };
}

/**
 * A surface point picked in 3D. On a simplified surface the point counts as free, because the exact surface may be
 * elsewhere.
 */
export const describePick = (
  { surface }: ViewerModel,
  { pointWorld, isSimplified }: SurfaceHit,
): PickedPoint => ({
  pointWorld,
  placement: surface?.shows === 'part' && !isSimplified ? 'surface' : 'free',
  surfaceId: surface && !isSimplified ? surface.id : null,
});

interface Lines {
  /** u and v alternating */
  points: ArrayLike<number>;
  /** first point of each line, and the end of the last */
  starts: ArrayLike<number>;
}

/** The nearest point on these lines, within reach. */
export function findNearest(
  { points, starts }: Lines,
  [u, v]: readonly [number, number],
  reachMm: number,
): [number, number] | null {
  let nearest: [number, number] | null = null;
  let best = reachMm * reachMm;
  for (let line = 0; line + 1 < starts.length; line++) {
    const end = starts[line + 1] ?? 0;
    for (let i = starts[line] ?? 0; i + 1 < end; i++) {
      const [au, av] = [points[2 * i] ?? 0, points[2 * i + 1] ?? 0];
      const [du, dv] = [(points[2 * i + 2] ?? 0) - au, (points[2 * i + 3] ?? 0) - av];
      const length = du * du + dv * dv;
      const share = length > 0 ? Math.min(1, Math.max(0, ((u - au) * du + (v - av) * dv) / length)) : 0;
      const [pu, pv] = [au + share * du, av + share * dv];
      const distance = (pu - u) ** 2 + (pv - v) ** 2;
      if (distance < best) {
        best = distance;
        nearest = [pu, pv];
      }
    }
  }
  return nearest;
}
