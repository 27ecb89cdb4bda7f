import { type Camera, projectPoint } from '#kernels/grid/camera.ts';
import {
  type PlaneView,
  planeAxes,
  planeToPane,
  type SliceName,
  worldToGridMm,
} from '#kernels/grid/plane-transform.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { type Inks, onDark, overlayFont, paintText } from '#kernels/overlay/paint.ts';
import type { ShownMeasurement } from '../state/measuring.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { outlineMeasurement } from './outline-measurement.ts';

/** Where a point of the world lies in the pane; null where it is not seen. */
type Project = (point: Vector3) => readonly [number, number] | null;

const ink = '#e6a23c';
const chosenInk = '#ffd166';
const nextInk = '#7ce0c3';
/** How far from a slice a point still counts as in it, in voxels. */
const withinVoxels = 0.75;
/** Between a label and the edge of its pane. */
const labelMarginPx = 4;

/** Measurements that lie in a slice, and the next point of what is being measured. */
export function paintSliceMeasurements(
  model: ViewerModel,
  name: SliceName,
  context: CanvasRenderingContext2D,
  view: PlaneView,
): void {
  const volume = model.grid(name);
  const slice = model.slice(name);
  if (!volume || !slice) return;
  const { u, v, normal } = planeAxes[name];
  const withinMm = withinVoxels * volume.voxelSizeMm[normal];
  paintMeasurements(model, context, view.widthPx, onDark, (point) => {
    const place = worldToGridMm(volume, point);
    if (Math.abs(place[normal] - slice.positionMm) > withinMm) return null;
    return planeToPane(view, place[u], place[v]);
  });
}

/** All measurements, seen through the part: what is measured lies in it as well. */
export function paintSceneMeasurements(
  model: ViewerModel,
  context: CanvasRenderingContext2D,
  camera: Camera,
  [widthPx, heightPx]: readonly [number, number],
  inks: Inks,
): void {
  paintMeasurements(model, context, widthPx, inks, (point) => projectPoint(camera, point, widthPx, heightPx));
}

function paintMeasurements(
  model: ViewerModel,
  context: CanvasRenderingContext2D,
  widthPx: number,
  inks: Inks,
  project: Project,
): void {
  const { visible, selectedId } = model.store.get().measurements;
  const props = model.measuring.props.get();
  const shown = visible ? (props?.shown ?? []) : [];
  context.save();
  context.lineJoin = 'round';
  context.lineCap = 'round';
  const labels = [
    ...shown.map((each) => paintShape(context, each, each.id === selectedId, inks, project)),
    ...(props?.draft ? [paintShape(context, props.draft, true, inks, project)] : []),
  ];
  // After all shapes: no line goes through what is to be read.
  for (const label of labels) if (label) paintLabel(context, label, widthPx, inks);
  const next = props?.draft && model.measuring.next.get();
  const place = next && project(next.pointWorld);
  if (place) paintDot(context, place, next.placement === 'free' ? inks.text : nextInk, 5, inks);
  context.restore();
}

interface MeasuredLabel {
  at: readonly [number, number];
  text: string;
  isChosen: boolean;
  colour: string;
}

/** @returns what is to be read beside it; null where that is not in sight */
function paintShape(
  context: CanvasRenderingContext2D,
  measurement: Omit<ShownMeasurement, 'id'>,
  isChosen: boolean,
  inks: Inks,
  project: Project,
): MeasuredLabel | null {
  const { lines, dots, labelAt } = outlineMeasurement(measurement);
  const colour = isChosen && inks === onDark ? chosenInk : ink;
  const path = new Path2D();
  for (const line of lines) {
    const places = line.map(project);
    for (let i = 1; i < places.length; i++) {
      const [from, to] = [places[i - 1], places[i]];
      if (!from || !to) continue;
      path.moveTo(...from);
      path.lineTo(...to);
    }
  }
  for (const [stroke, width] of [
    [inks.halo, isChosen ? 5.5 : 4],
    [colour, isChosen ? 2.5 : 1.75],
  ] as const) {
    context.strokeStyle = stroke;
    context.lineWidth = width;
    context.stroke(path);
  }
  for (const dot of dots) {
    const place = project(dot);
    if (place) paintDot(context, place, colour, isChosen ? 3.5 : 2.75, inks);
  }
  const at = labelAt && project(labelAt);
  const text = [measurement.name, measurement.value].filter(Boolean).join('  ');
  return at && text !== '' ? { at, text, isChosen, colour } : null;
}

/** Where text begins beside a place so that a pane has all of it: to the right, or as far to the left of that as it takes. CSS pixels. */
export const placeText = (x: number, textPx: number, widthPx: number): number =>
  Math.max(labelMarginPx, Math.min(x + 8, widthPx - labelMarginPx - textPx));

function paintLabel(
  context: CanvasRenderingContext2D,
  { at: [x, y], text, isChosen, colour }: MeasuredLabel,
  widthPx: number,
  inks: Inks,
): void {
  context.font = overlayFont(12, isChosen ? 650 : 550);
  context.textAlign = 'left';
  context.textBaseline = 'bottom';
  const textX = placeText(x, context.measureText(text).width, widthPx);
  paintText(context, text, textX, y - 6, inks, inks === onDark ? colour : inks.text);
}

function paintDot(
  context: CanvasRenderingContext2D,
  [x, y]: readonly [number, number],
  colour: string,
  radius: number,
  inks: Inks,
): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.fill();
  context.lineWidth = 1.5;
  context.strokeStyle = inks.halo;
  context.stroke();
}
