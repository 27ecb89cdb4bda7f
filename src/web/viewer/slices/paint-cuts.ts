import { colorMap } from '#kernels/color/maps.ts';
import { missingValue } from '#kernels/color/weighted-histogram.ts';
import { type SurfaceCut, valuesAlongCut } from '#kernels/grid/cut-surface.ts';
import {
  mmPerPixel,
  type PlaneView,
  planeAxes,
  planeToPane,
  type SliceName,
  worldToGridMm,
} from '#kernels/grid/plane-transform.ts';
import { onDark } from '#kernels/overlay/paint.ts';
import { hasTriangles } from '../data/place-ball.ts';
import { chosenColour } from '../engine/chosen-layer.ts';
import { referenceColour } from '../engine/reference-layer.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import {
  beyondInks,
  fillOpacity,
  inkAt,
  linePx,
  listInks,
  missingInk,
  placePoint,
  type Range,
  strokePath,
} from './cut-inks.ts';
import { paintMarks } from './paint-marks.ts';

const haloPx = 3.5;
/** Light: the dark ends of the maps must stand out from air. */
const haloInk = 'rgb(236 240 245 / 55%)';
const plainInk = '#e3e8ee';
const dashPx = [7, 4];
const chosenPx = 2.5;
const chosenInk = `rgb(${chosenColour.map((share) => Math.round(255 * share)).join(' ')})`;

/** What a slice cuts: contour of the surface in its colours, defects filled, the reference dashed. */
export function paintCuts(
  model: ViewerModel,
  name: SliceName,
  context: CanvasRenderingContext2D,
  view: PlaneView,
): void {
  const { slices } = model.store.get();
  const reference = slices.reference ? model.cuts.get('reference', name) : null;
  // Of two contours nobody could tell which is the one that is being chosen.
  const isPlanned = model.plan.get() !== null;
  const surface = slices.surface && !isPlanned ? model.cuts.get('surface', name) : null;
  context.save();
  context.lineJoin = 'round';
  context.lineCap = 'butt';
  if (reference) paintReference(context, reference, view, model.reference?.isPart ?? false);
  if (surface) {
    paintSurface(context, surface, view, model);
    paintChosenBall(context, name, view, model);
  }
  context.restore();
  if (!isPlanned) paintMarks(model, name, context, view);
}

function paintReference(
  context: CanvasRenderingContext2D,
  cut: SurfaceCut,
  view: PlaneView,
  isPart: boolean,
): void {
  const path = tracePath(cut, listLines(cut), view);
  strokePath(context, path, onDark.halo, haloPx);
  if (!isPart) context.setLineDash(dashPx);
  const [r, g, b] = referenceColour.map((share) => Math.round(255 * share));
  strokePath(context, path, isPart ? plainInk : `rgb(${r} ${g} ${b})`, linePx);
  context.setLineDash([]);
}

function paintSurface(
  context: CanvasRenderingContext2D,
  cut: SurfaceCut,
  view: PlaneView,
  model: ViewerModel,
): void {
  const surface = model.surfaceData.get();
  const marks = model.places.marks();
  const ids = surface?.scalars[marks?.attribute ?? ''];
  const shown = marks?.shown ?? null;
  const idOf = ([first]: Line) => ids?.[cut.edges[2 * first] ?? -1] ?? null;
  const isShown = (id: number | null) => id === null || shown === null || shown[id] === 1;
  const all = listLines(cut);
  const lines = all.filter((line) => isShown(idOf(line)));
  const scalar = model.scalar();
  const scalars = scalar && surface?.scalars[scalar.name];
  const whole = tracePath(cut, lines, view);
  strokePath(context, whole, scalars ? haloInk : onDark.halo, haloPx);
  if (scalars) paintValues(context, cut, lines, scalars, view, model);
  else strokePath(context, whole, plainInk, linePx);
  const chosenId = marks?.chosenId ?? null;
  if (chosenId === null) return;
  // Of all lines: the chosen one is seen also where the filter leaves it out.
  const chosen = all.filter((line) => idOf(line) === chosenId);
  paintChosen(context, tracePath(cut, chosen, view));
}

function paintChosen(context: CanvasRenderingContext2D, path: Path2D): void {
  fill(context, path, chosenInk);
  strokePath(context, path, onDark.halo, chosenPx + 3);
  strokePath(context, path, chosenInk, chosenPx);
}

/** The chosen place where the surface has no triangles of it. */
function paintChosenBall(
  context: CanvasRenderingContext2D,
  name: SliceName,
  view: PlaneView,
  model: ViewerModel,
): void {
  const [grid, slice, marks] = [model.grid(name), model.slice(name), model.places.marks()];
  const ids = model.surfaceData.get()?.scalars[marks?.attribute ?? ''];
  if (!grid || !slice || !ids || !marks?.chosenBall || marks.chosenId === null) return;
  if (hasTriangles(ids, marks.chosenId)) return;
  const { u, v, normal } = planeAxes[name];
  const centre = worldToGridMm(grid, marks.chosenBall.centre);
  const radiusMm = Math.sqrt(marks.chosenBall.radiusMm ** 2 - (centre[normal] - slice.positionMm) ** 2);
  if (!(radiusMm > 0)) return;
  const path = new Path2D();
  path.arc(...planeToPane(view, centre[u], centre[v]), radiusMm / mmPerPixel(view), 0, 2 * Math.PI);
  paintChosen(context, path);
}

function paintValues(
  context: CanvasRenderingContext2D,
  cut: SurfaceCut,
  lines: readonly Line[],
  scalars: Float32Array,
  view: PlaneView,
  model: ViewerModel,
): void {
  const range = model.range();
  const { map, brush } = model.store.get().surface;
  const all = valuesAlongCut(cut, scalars, missingValue);
  const values = brush
    ? all.map((value) => (value < brush[0] || value > brush[1] ? missingValue : value))
    : all;
  const inks = listInks(colorMap(map));
  if (model.surface?.shows === 'defects')
    for (const [ink, path] of traceFills(cut, lines, values, range, view))
      fill(context, path, inks[ink] ?? missingInk);
  const { coloured, below, above } = traceColours(cut, lines, values, range, view);
  for (const [ink, path] of coloured) strokePath(context, path, inks[ink] ?? missingInk, linePx);
  // Hatched as on the surface: dark below the limits of the colours, light above.
  context.setLineDash([...beyondInks.dashPx]);
  strokePath(context, below, beyondInks.below, linePx);
  strokePath(context, above, beyondInks.above, linePx);
  context.setLineDash([]);
}

function fill(context: CanvasRenderingContext2D, path: Path2D, ink: string): void {
  context.fillStyle = ink;
  context.globalAlpha = fillOpacity;
  context.fill(path, 'evenodd');
  context.globalAlpha = 1;
}

/** The first point of a line, and the first after it. */
type Line = readonly [number, number];

const listLines = ({ starts }: SurfaceCut): Line[] =>
  Array.from(starts.subarray(1), (end, line) => [starts[line] ?? end, end]);

function tracePath(cut: SurfaceCut, lines: readonly Line[], view: PlaneView): Path2D {
  const path = new Path2D();
  for (const [first, end] of lines) addLine(path, cut, view, first, end);
  return path;
}

function addLine(path: Path2D, { points }: SurfaceCut, view: PlaneView, first: number, end: number): void {
  path.moveTo(...placePoint(view, points, first));
  for (let i = first + 1; i < end; i++) path.lineTo(...placePoint(view, points, i));
}

/** The lines whole, by the colour of their first point: a defect has one value. */
function traceFills(
  cut: SurfaceCut,
  lines: readonly Line[],
  values: Float32Array,
  range: Range,
  view: PlaneView,
): Map<number, Path2D> {
  const fills = new Map<number, Path2D>();
  for (const [first, end] of lines)
    addLine(pathIn(fills, inkAt(values[first] ?? missingValue, range)), cut, view, first, end);
  return fills;
}

/** The lines in pieces of one colour each; those of values beyond the limits once more. */
function traceColours(
  cut: SurfaceCut,
  lines: readonly Line[],
  values: Float32Array,
  range: Range,
  view: PlaneView,
): { coloured: Map<number, Path2D>; below: Path2D; above: Path2D } {
  const coloured = new Map<number, Path2D>();
  const [below, above] = [new Path2D(), new Path2D()];
  for (const [first, end] of lines) {
    let begin = first;
    let ink = -1;
    for (let i = first; i < end; i++) {
      const isLast = i + 1 === end;
      const a = values[i] ?? missingValue;
      const b = isLast ? 0 : (values[i + 1] ?? missingValue);
      const middle = a === missingValue || b === missingValue ? missingValue : (a + b) / 2;
      const next = isLast ? -1 : inkAt(middle, range);
      if (next !== ink) {
        if (ink >= 0) addLine(pathIn(coloured, ink), cut, view, begin, i + 1);
        [begin, ink] = [i, next];
      }
      if (isLast || middle === missingValue) continue;
      if (middle < range[0]) addLine(below, cut, view, i, i + 2);
      if (middle > range[1]) addLine(above, cut, view, i, i + 2);
    }
  }
  return { coloured, below, above };
}

function pathIn(paths: Map<number, Path2D>, ink: number): Path2D {
  const path = paths.get(ink) ?? new Path2D();
  paths.set(ink, path);
  return path;
}
