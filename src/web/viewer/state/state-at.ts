import type { ViewState } from '#contract/shapes/view-state.ts';
import { aimedAt, type Camera, frame } from '#kernels/grid/camera.ts';
import type { HalfSpace } from '#kernels/grid/cut-away.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { showPlace } from './clips.ts';
import { isHidden } from './is-hidden.ts';
import type { ViewerModel } from './viewer-model.ts';

/** Height of the scene around a place, as a share of the part's diagonal. */
const around = 0.5;
/**
 * Distance in front of a place at which the part is clipped, and within which it does not count as hidden; as a share
 * of the part's diagonal.
 */
const margin = 0.02;

/**
 * The state of the viewer with a place (mm) at the centre of the panes: the cursor there, the camera on its side and
 * close to it, zoomed slices moved. A closer zoom is kept. If the part's own wall hides the place, it is clipped in
 * front of it, and restored for the next place; a clip that removes the place is switched off. A defect is selected and
 * visible through everything in front of it, so the camera keeps its side.
 */
export function stateAt(model: ViewerModel, placeMm: Vector3): ViewState {
  const state = model.store.get();
  const { planes } = state;
  const size = model.paneSizes.get('3d');
  const before = model.camera(size ? size.widthPx / size.heightPx : 1);
  const { min, max } = model.bounds();
  const isDefects = model.surface?.shows === 'defects';
  const centre: Vector3 = [(min[0] + max[0]) / 2, (min[1] + max[1]) / 2, (min[2] + max[2]) / 2];
  const wholeMm = Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]);
  const heightMm = Math.min(before.heightMm, around * wholeMm || before.heightMm);
  const camera = aimedAt(before, placeMm, isDefects ? placeMm : centre, heightMm);
  const there = (plane: { heightMm: number }) => ({ ...plane, centerMm: placeMm });
  return {
    ...state,
    cursorMm: placeMm,
    planes: planes && { xy: there(planes.xy), xz: there(planes.xz), yz: there(planes.yz), oblique: null },
    camera,
    ...(isDefects
      ? { selectedDefectId: model.places.idAt(placeMm, margin * wholeMm) }
      : {
          clips: {
            ...showPlace(state.clips, placeMm),
            beforePlace: cutBefore(model, placeMm, camera, margin * wholeMm),
          },
        }),
  };
}

/** The plane that clips the surface in front of a hidden place; null if it is not hidden. */
function cutBefore(model: ViewerModel, placeMm: Vector3, camera: Camera, marginMm: number): HalfSpace | null {
  const surface = model.shownSurface.drawn();
  const { towards } = frame(camera);
  if (!surface || !isHidden(placeMm, towards, marginMm, surface.positions, surface.indices)) return null;
  const [[x, y, z], [a, b, c]] = [placeMm, towards];
  const offsetMm = marginMm + x * a + y * b + z * c;
  return { normal: towards, offsetMm };
}
