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

/** Projects a point of the world to a pane; null when it is not visible. CSS pixels. */
export type Project = (point: Vector3) => readonly [number, number] | null;

/** A measurement with the text beside it. */
export interface DrawnMeasurement extends MeasurementShape {
  name: string;
  /** with unit; null while its points do not determine a value */
  value: string | null;
  isChosen: boolean;
}

const ink = '#e6a23c';
const chosenInk = '#ffd166';
/** Distance in voxels within which a point counts as lying in a slice. */
const withinVoxels = 0.75;
/** Between a label and the edge of its pane. */
const labelMarginPx = 4;

/** Projects points that lie in a slice. */
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

/** In 3D also through the part, because measurements may lie inside it. */
export const projectInScene =
  (camera: Camera, [widthPx, heightPx]: readonly [number, number]): Project =>
  (point) =>
    projectPoint(camera, point, widthPx, heightPx);

/**
 * Draws measurements with their names and values. CSS pixels.
 *
 * @param taken places that the texts do not cover
 * @returns where the texts are, for labels to leave free
 */
export function paintMeasurements(
  context: Canvas2D,
  shown: readonly DrawnMeasurement[],
  size: readonly [widthPx: number, heightPx: number],
  inks: Inks,
  project: Project,
  taken: readonly LabelBox[] = [],
): LabelBox[] {
  context.lineJoin = 'round';
  const labels = shown.flatMap((each) => paintShape(context, each, inks, project) ?? []);
  return paintLabels(
    context,
    labels.filter(({ at }) => isWithin(at, size)),
    size,
    inks,
    taken,
  );
}

/** Whether a place lies in a pane of this size. */
export const isWithin = ([x, y]: readonly [number, number], [widthPx, heightPx]: readonly [number, number]) =>
  x >= 0 && x <= widthPx && y >= 0 && y <= heightPx;

interface MeasuredLabel {
  at: readonly [number, number];
  text: string;
  /** where texts would cover too much of the picture */
  short: string;
  isChosen: boolean;
  colour: string;
}

/** @returns the text beside it; null when it is not visible */
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
  return at && text !== '' ? { at, text, short: measurement.name || text, isChosen, colour } : null;
}

/**
 * Start of text beside a position, so that the pane contains all of it: to the right, or shifted left as far as needed.
 * CSS pixels.
 */
export const placeText = (x: number, textPx: number, widthPx: number): number =>
  Math.max(labelMarginPx, Math.min(x + 8, widthPx - labelMarginPx - textPx));

/** A label, in CSS pixels. */
export interface LabelBox {
  left: number;
  /** bottom of the text */
  y: number;
  width: number;
  height: number;
}

/** Height of a label of one line, in CSS pixels. */
const lineRowPx = 16;

/** Share of a pane that texts may cover. Beyond it they are shortened: the lists beside the view show all of them. */
const mostCovered = 0.25;

/** Whether texts would hide the picture. */
export const isCrowded = (
  boxes: readonly LabelBox[],
  [widthPx, heightPx]: readonly [number, number],
): boolean =>
  boxes.reduce((area, { width, height }) => area + width * height, 0) > mostCovered * widthPx * heightPx;

/**
 * Moves labels up or down by their own height until none covers another; the first keep their places. O(n² · rows)
 *
 * @param taken labels drawn before, which do not move
 * @returns the labels, all of each within the pane's height; null for one without a free place
 */
export function stackLabels(
  boxes: readonly LabelBox[],
  heightPx: number,
  taken: readonly LabelBox[] = [],
): (LabelBox | null)[] {
  const placed = [...taken];
  const covers = (one: LabelBox, other: LabelBox) =>
    one.y - one.height < other.y &&
    other.y - other.height < one.y &&
    one.left < other.left + other.width + labelMarginPx &&
    other.left < one.left + one.width + labelMarginPx;
  return boxes.map((box) => {
    const { height } = box;
    const count = 4 * (taken.length + boxes.length) + 1;
    const rows = Array.from({ length: count }, (_, i) => (i % 2 ? -1 : 1) * Math.ceil(i / 2));
    const free = rows
      .map((row) => ({ ...box, y: Math.max(box.y, height) + row * height }))
      .find(
        ({ y, ...moved }) =>
          y >= height && y <= heightPx && !placed.some((other) => covers({ ...moved, y }, other)),
      );
    if (free) placed.push(free);
    return free ?? null;
  });
}

/** Names and values above all shapes, each beside its shape or with a line to it. The chosen one is placed first. */
function paintLabels(
  context: Canvas2D,
  labels: readonly MeasuredLabel[],
  [widthPx, heightPx]: readonly [number, number],
  inks: Inks,
  taken: readonly LabelBox[],
): LabelBox[] {
  const ordered = labels.toSorted((one, other) => Number(other.isChosen) - Number(one.isChosen));
  const setFont = (isChosen: boolean) => {
    context.font = overlayFont(12, isChosen ? 650 : 550);
  };
  const measure = (isShort: boolean) =>
    ordered.map(({ at: [x, y], isChosen, ...label }) => {
      setFont(isChosen);
      const text = isShort && !isChosen ? label.short : label.text;
      const { width } = context.measureText(text);
      return { text, left: placeText(x, width, widthPx), y: y - 6, width, height: lineRowPx };
    });
  const whole = measure(false);
  const boxes = isCrowded(whole, [widthPx, heightPx]) ? measure(true) : whole;
  const placed = stackLabels(boxes, heightPx, taken);
  for (const [i, { at, colour }] of ordered.entries()) {
    const [box, label] = [boxes[i], placed[i]];
    if (!box || !label || Math.abs(label.y - box.y) < lineRowPx) continue;
    context.beginPath();
    context.moveTo(...at);
    context.lineTo(label.left - 2, label.y - lineRowPx / 2);
    strokeWithHalo(context, colour, 1, inks, 2.5);
  }
  context.textAlign = 'left';
  context.textBaseline = 'bottom';
  // After all lines, so that none crosses a text.
  for (const [i, { isChosen, colour }] of ordered.entries()) {
    setFont(isChosen);
    const label = placed[i];
    if (label)
      paintText(
        context,
        boxes[i]?.text ?? '',
        label.left,
        label.y,
        inks,
        inks === onDark ? colour : inks.text,
      );
  }
  return placed.filter((label) => label !== null);
}
