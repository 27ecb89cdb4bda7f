import { type Camera, projectPoint } from '../grid/camera.ts';
import {
  type PlaneView,
  planeAxes,
  planeToPane,
  type SliceName,
  worldToGridMm,
} from '../grid/plane-transform.ts';
import type { Grid, Vector3 } from '../grid/volume.ts';
import type { Canvas2D } from './canvas.ts';
import { type MeasurementShape, outlineMeasurement } from './outline-measurement.ts';
import { type Inks, onDark, overlayFont, paintDot, paintText, strokeWithHalo } from './paint.ts';

/** Where a point of the world lies in a pane; null where it is not seen. CSS pixels. */
export type Project = (point: Vector3) => readonly [number, number] | null;

/** A measurement with what is to be read beside it. */
export interface DrawnMeasurement extends MeasurementShape {
  name: string;
  /** with unit; null while its points don't determine one */
  value: string | null;
  isChosen: boolean;
}

const ink = '#e6a23c';
const chosenInk = '#ffd166';
/** How far from a slice a point still counts as in it, in voxels. */
const withinVoxels = 0.75;
/** Between a label and the edge of its pane. */
const labelMarginPx = 4;

/** What lies in a slice. */
export function projectOnSlice(
  grid: Grid,
  { name, positionMm }: { name: SliceName; positionMm: number },
  view: PlaneView,
): Project {
  const { u, v, normal } = planeAxes[name];
  const withinMm = withinVoxels * grid.voxelSizeMm[normal];
  return (point) => {
    const place = worldToGridMm(grid, point);
    return Math.abs(place[normal] - positionMm) > withinMm ? null : planeToPane(view, place[u], place[v]);
  };
}

/** In 3D, seen through the part: what is measured lies in it as well. */
export const projectInScene =
  (camera: Camera, [widthPx, heightPx]: readonly [number, number]): Project =>
  (point) =>
    projectPoint(camera, point, widthPx, heightPx);

/** Measurements with their names and values. CSS pixels. */
export function paintMeasurements(
  context: Canvas2D,
  shown: readonly DrawnMeasurement[],
  widthPx: number,
  inks: Inks,
  project: Project,
): void {
  context.lineJoin = 'round';
  const labels = shown.map((each) => paintShape(context, each, inks, project));
  // After all shapes: no line goes through what is to be read.
  for (const label of labels) if (label) paintLabel(context, label, widthPx, inks);
}

interface MeasuredLabel {
  at: readonly [number, number];
  text: string;
  isChosen: boolean;
  colour: string;
}

/** @returns what is to be read beside it; null where that is not in sight */
function paintShape(
  context: Canvas2D,
  measurement: DrawnMeasurement,
  inks: Inks,
  project: Project,
): MeasuredLabel | null {
  const { lines, dots, labelAt } = outlineMeasurement(measurement);
  const { isChosen } = measurement;
  const colour = isChosen && inks === onDark ? chosenInk : ink;
  context.beginPath();
  for (const line of lines) {
    let isBegun = false;
    for (const point of line) {
      const place = project(point);
      if (place && isBegun) context.lineTo(...place);
      else if (place) context.moveTo(...place);
      isBegun = place !== null;
    }
  }
  strokeWithHalo(context, colour, isChosen ? 2.5 : 1.75, inks, isChosen ? 5.5 : 4);
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
  context: Canvas2D,
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
