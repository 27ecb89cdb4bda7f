import type { Camera } from '#kernels/grid/camera.ts';
import type { PlaneView, SliceName } from '#kernels/grid/plane-transform.ts';
import { type Inks, onDark, paintDot } from '#kernels/overlay/paint.ts';
import {
  type LabelBox,
  type Project,
  paintMeasurements,
  projectInScene,
  projectOnSlice,
} from '#kernels/overlay/paint-measurements.ts';
import type { ViewerModel } from '../state/viewer-model.ts';

const nextInk = '#7ce0c3';

/** Draws the measurements that lie in a slice, and the next point of the one in progress. Returns where their texts are. */
export function paintSliceMeasurements(
  model: ViewerModel,
  name: SliceName,
  context: CanvasRenderingContext2D,
  view: PlaneView,
  taken: readonly LabelBox[],
): LabelBox[] {
  const grid = model.grid(name);
  const slice = model.slice(name);
  if (!grid || !slice) return [];
  const project = projectOnSlice(grid, { name, positionMm: slice.positionMm }, view);
  return paintShown(model, context, [view.widthPx, view.heightPx], onDark, project, taken);
}

/** Draws all measurements, and the next point of the one in progress. Returns where their texts are. */
export function paintSceneMeasurements(
  model: ViewerModel,
  context: CanvasRenderingContext2D,
  camera: Camera,
  size: readonly [number, number],
  inks: Inks,
): LabelBox[] {
  return paintShown(model, context, size, inks, projectInScene(camera, size));
}

function paintShown(
  model: ViewerModel,
  context: CanvasRenderingContext2D,
  size: readonly [number, number],
  inks: Inks,
  project: Project,
  taken?: readonly LabelBox[],
): LabelBox[] {
  const { visible, selectedId } = model.store.get().measurements;
  const props = model.measuring.props.get();
  const saved = visible ? (props?.shown ?? []) : [];
  const shown = saved.map((each) => ({ ...each, isChosen: each.id === selectedId }));
  if (props?.draft) shown.push({ id: '', ...props.draft, isChosen: true });
  context.save();
  context.lineCap = 'round';
  const texts = paintMeasurements(context, shown, size, inks, project, taken);
  const next = props?.draft && model.measuring.next.get();
  const place = next && project(next.pointWorld);
  if (place) paintDot(context, place, next.placement === 'free' ? inks.text : nextInk, 5, inks);
  context.restore();
  return texts;
}
