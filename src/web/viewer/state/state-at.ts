import type { ViewState } from '#contract/shapes/view-state.ts';
import { aimedAt } from '#kernels/grid/camera.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import type { ViewerModel } from './viewer-model.ts';

/** What the scene shows around a place, as a share of the picture that has the whole part in it. */
const around = 0.5;

/**
 * The state of the viewer with a place (mm) in the middle of the panes: the cursor there, the camera on its side and near
 * to it, slices that were zoomed into moved. Who is nearer already stays so.
 */
export function stateAt(model: ViewerModel, placeMm: Vector3): ViewState {
  const state = model.store.get();
  const { planes } = state;
  const size = model.paneSizes.get('3d');
  const camera = model.camera(size ? size.widthPx / size.heightPx : 1);
  const { min, max } = model.bounds();
  const centre: Vector3 = [(min[0] + max[0]) / 2, (min[1] + max[1]) / 2, (min[2] + max[2]) / 2];
  const wholeMm = Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]);
  const heightMm = Math.min(camera.heightMm, around * wholeMm || camera.heightMm);
  const there = (plane: { heightMm: number }) => ({ ...plane, centerMm: placeMm });
  return {
    ...state,
    cursorMm: placeMm,
    planes: planes && { xy: there(planes.xy), xz: there(planes.xz), yz: there(planes.yz) },
    camera: aimedAt(camera, placeMm, centre, heightMm),
  };
}
