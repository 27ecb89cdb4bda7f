import type { ViewState } from '#contract/shapes/view-state.ts';
import { aimedAt, type Camera, frame } from '#kernels/grid/camera.ts';
import type { HalfSpace } from '#kernels/grid/cut-away.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { showPlace } from './clips.ts';
import { isHidden } from './is-hidden.ts';
import type { ViewerModel } from './viewer-model.ts';

/** What the scene shows around a place, as a share of the diagonal of the part. */
const around = 0.5;
/** How far before a place the part is cut open, and is not said to hide it, as a share of its diagonal. */
const margin = 0.02;

/**
 * The state of the viewer with a place (mm) in the middle of the panes: the cursor there, the camera on its side and near
 * to it, slices that were zoomed into moved. Who is nearer already stays so. A part whose own wall hides the place is cut
 * open before it, and whole again for the next one; a cut that took it away is switched off. A defect is chosen, and is seen through whatever lies before it: the
 * camera keeps its side.
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

/** The plane that cuts the surface open before a place that it hides; null where it does not. */
function cutBefore(model: ViewerModel, placeMm: Vector3, camera: Camera, marginMm: number): HalfSpace | null {
  const surface = model.shownSurface.drawn();
  const { towards } = frame(camera);
  if (!surface || !isHidden(placeMm, towards, marginMm, surface.positions, surface.indices)) return null;
  const [[x, y, z], [a, b, c]] = [placeMm, towards];
  const offsetMm = marginMm + x * a + y * b + z * c;
  return { normal: towards, offsetMm };
}
