import type { ViewState } from '#contract/shapes/view-state.ts';
import { aimedAt, frame } from '#kernels/grid/camera.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { isHidden } from './is-hidden.ts';
import { reachOfPiece } from './pieces.ts';
import type { ViewerModel } from './viewer-model.ts';

/** What the scene shows around a place, as a share of the diagonal of the part. */
const around = 0.5;
/** How far before a place the part is cut open, and is not said to hide it, as a share of its diagonal. */
const margin = 0.02;

/**
 * The state of the viewer with a place (mm) in the middle of the panes: the cursor there, the camera on its side and near
 * to it, slices that were zoomed into moved. Who is nearer already stays so. A part whose own wall hides the place is cut
 * open before it, a pore that others hide before its whole body; one that was cut open to show another place is whole
 * again.
 */
export function stateAt(model: ViewerModel, placeMm: Vector3): ViewState {
  const state = model.store.get();
  const { planes } = state;
  const size = model.paneSizes.get('3d');
  const before = model.camera(size ? size.widthPx / size.heightPx : 1);
  const { min, max } = model.bounds();
  const centre: Vector3 = [(min[0] + max[0]) / 2, (min[1] + max[1]) / 2, (min[2] + max[2]) / 2];
  const wholeMm = Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]);
  const heightMm = Math.min(before.heightMm, around * wholeMm || before.heightMm);
  const camera = aimedAt(before, placeMm, centre, heightMm);
  const { towards } = frame(camera);
  const surface = model.surfaceData.get();
  const isDefects = model.surface?.shows === 'defects';
  const bodyMm =
    surface && isDefects ? reachOfPiece(placeMm, towards, surface.positions, surface.indices) : 0;
  const marginMm = Math.max(margin * wholeMm, bodyMm * 1.02);
  const hidden = surface !== null && isHidden(placeMm, towards, marginMm, surface.positions, surface.indices);
  const offsetMm = placeMm.reduce((sum, value, k) => sum + value * towards[k], marginMm);
  const there = (plane: { heightMm: number }) => ({ ...plane, centerMm: placeMm });
  return {
    ...state,
    cursorMm: placeMm,
    planes: planes && { xy: there(planes.xy), xz: there(planes.xz), yz: there(planes.yz) },
    camera,
    clip: hidden
      ? { enabled: true, normal: towards, offsetMm }
      : state.clip && { ...state.clip, enabled: false },
  };
}
