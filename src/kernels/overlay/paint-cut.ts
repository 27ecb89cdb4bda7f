/** Draws contours of surfaces on slices, for the viewer and server-side pictures. */
import { chosenColour, referenceColour } from '../color/scene-ground.ts';
import { missingValue } from '../color/weighted-histogram.ts';
import type { MarkLines } from '../grid/cut-marks.ts';
import { type SurfaceCut, valuesAlongCut } from '../grid/cut-surface.ts';
import {
  mmPerPixel,
  type PlaneView,
  planeAxes,
  planeToPane,
  type SliceName,
  worldToGridMm,
} from '../grid/plane-transform.ts';
import type { Grid } from '../grid/volume.ts';
import { hasTriangles } from '../places/place-ball.ts';
import type { PlaceMarks } from '../places/place-marks.ts';
import type { Canvas2D } from './canvas.ts';
import {
  beyondInks,
  fillOpacity,
  inkAt,
  linePx,
  listInks,
  missingInk,
  placePoint,
  type Range,
} from './cut-inks.ts';
import { onDark, strokePath, strokeWithHalo } from './paint.ts';

const haloPx = 3.5;
/** Light, so that the dark ends of the colour maps stand out from air. */
const haloInk = 'rgb(236 240 245 / 55%)';
const plainInk = '#e3e8ee';
const dashPx = [7, 4];
const chosenPx = 2.5;
const writeInk = (colour: readonly number[]) =>
  `rgb(${colour.map((share) => Math.round(255 * share)).join(' ')})`;

/** Mapping from values to colours. */
export interface CutColours {
  range: Range;
  /** including the entries for values beyond the limits */
  lut: Uint8Array;
  /** only values between these are coloured; null = all */
  brush: Range | null;
}

export interface ColouredCut {
  cut: SurfaceCut;
  /** with the value at each vertex of the surface; null = a single colour */
  colours: (CutColours & { values: Float32Array }) | null;
  /** whether contours are filled, as for defects */
  isFilled: boolean;
  /** with the place number at each vertex; null when the surface is not one of places */
  places: { ids: Float32Array; marks: PlaceMarks } | null;
}

/** First point of a line, and one past its last. */
type Line = readonly [number, number];

/** Draws the contour of the reference dashed, and that of the part around defects solid. */
export function paintReferenceCut(
  context: Canvas2D,
  cut: SurfaceCut,
  view: PlaneView,
  isPart: boolean,
): void {
  context.lineJoin = 'round';
  tracePath(context, cut, listLines(cut), view);
  strokePath(context, onDark.halo, haloPx);
  if (!isPart) context.setLineDash(dashPx);
  strokePath(context, isPart ? plainInk : writeInk(referenceColour), linePx);
  context.setLineDash([]);
}

/** Draws the contour of the surface in its colours, places filled, the selected one on top. */
export function paintSurfaceCut(context: Canvas2D, view: PlaneView, surface: ColouredCut): void {
  const { cut, colours, places } = surface;
  const shown = places?.marks.shown ?? null;
  const chosenId = places?.marks.chosenId ?? null;
  const findId = ([first]: Line) => places?.ids[cut.edges[2 * first] ?? -1] ?? null;
  const isShown = (id: number | null) => id === null || shown === null || shown[id] === 1;
  const all = listLines(cut);
  const lines = all.filter((line) => isShown(findId(line)));
  context.lineJoin = 'round';
  tracePath(context, cut, lines, view);
  strokePath(context, colours ? haloInk : onDark.halo, haloPx);
  if (colours) paintValues(context, view, lines, surface, colours);
  else strokePath(context, plainInk, linePx);
  if (chosenId === null) return;
  // From all lines: the selected place is shown even if the filter excludes it.
  tracePath(
    context,
    cut,
    all.filter((line) => findId(line) === chosenId),
    view,
  );
  paintChosen(context);
}

/** Draws the selected place if the surface has no triangles for it. */
export function paintChosenBall(
  context: Canvas2D,
  { grid, name, positionMm }: { grid: Grid; name: SliceName; positionMm: number },
  view: PlaneView,
  { ids, marks }: NonNullable<ColouredCut['places']>,
): void {
  if (!marks.chosenBall || marks.chosenId === null || hasTriangles(ids, marks.chosenId)) return;
  const { u, v, normal } = planeAxes[name];
  const centre = worldToGridMm(grid, marks.chosenBall.centre);
  const radiusMm = Math.sqrt(marks.chosenBall.radiusMm ** 2 - (centre[normal] - positionMm) ** 2);
  if (!(radiusMm > 0)) return;
  context.beginPath();
  context.arc(...planeToPane(view, centre[u], centre[v]), radiusMm / mmPerPixel(view), 0, 2 * Math.PI);
  paintChosen(context);
}

/** Draws the marks beside a contour, each in the colour of its value. */
export function paintMarkLines(
  context: Canvas2D,
  view: PlaneView,
  { lines, values }: { lines: MarkLines; values: readonly number[] },
  { range, lut, brush }: CutColours,
): void {
  const inks = listInks(lut);
  const byInk = new Map<number, Line[]>();
  const [below, above]: [Line[], Line[]] = [[], []];
  const all = listLines(lines);
  for (const [i, line] of all.entries()) {
    const value = values[i] ?? missingValue;
    const isLeftOut = isBrushedAway(value, brush);
    addTo(byInk, inkAt(isLeftOut ? missingValue : value, range), line);
    if (isLeftOut || value === missingValue) continue;
    if (value < range[0]) below.push(line);
    if (value > range[1]) above.push(line);
  }
  context.lineJoin = 'round';
  tracePath(context, lines, all, view);
  strokePath(context, onDark.halo, haloPx);
  for (const [ink, some] of byInk) {
    tracePath(context, lines, some, view);
    strokePath(context, inks[ink] ?? missingInk, linePx);
  }
  hatch(context, lines, view, { below, above });
}

function paintChosen(context: Canvas2D): void {
  fill(context, writeInk(chosenColour));
  strokeWithHalo(context, writeInk(chosenColour), chosenPx, onDark, chosenPx + 3);
}

function paintValues(
  context: Canvas2D,
  view: PlaneView,
  lines: readonly Line[],
  { cut, isFilled }: Pick<ColouredCut, 'cut' | 'isFilled'>,
  { values: scalars, range, lut, brush }: NonNullable<ColouredCut['colours']>,
): void {
  const all = valuesAlongCut(cut, scalars, missingValue);
  const values = brush ? all.map((value) => (isBrushedAway(value, brush) ? missingValue : value)) : all;
  const inks = listInks(lut);
  if (isFilled) {
    // Grouped by the colour of their first point: a defect has a single value.
    const fills = new Map<number, Line[]>();
    for (const line of lines) addTo(fills, inkAt(values[line[0]] ?? missingValue, range), line);
    for (const [ink, some] of fills) {
      tracePath(context, cut, some, view);
      fill(context, inks[ink] ?? missingInk);
    }
  }
  const { coloured, below, above } = divideByColour(lines, values, range);
  for (const [ink, some] of coloured) {
    tracePath(context, cut, some, view);
    strokePath(context, inks[ink] ?? missingInk, linePx);
  }
  hatch(context, cut, view, { below, above });
}

const isBrushedAway = (value: number, brush: Range | null) =>
  brush !== null && (value < brush[0] || value > brush[1]);

/** Hatched as on the surface: dark below the limits of the colours, light above. */
function hatch(
  context: Canvas2D,
  lines: MarkLines,
  view: PlaneView,
  { below, above }: { below: readonly Line[]; above: readonly Line[] },
): void {
  context.setLineDash([...beyondInks.dashPx]);
  tracePath(context, lines, below, view);
  strokePath(context, beyondInks.below, linePx);
  tracePath(context, lines, above, view);
  strokePath(context, beyondInks.above, linePx);
  context.setLineDash([]);
}

function fill(context: Canvas2D, ink: string): void {
  context.fillStyle = ink;
  context.globalAlpha = fillOpacity;
  context.fill('evenodd');
  context.globalAlpha = 1;
}

const listLines = ({ starts }: Pick<MarkLines, 'starts'>): Line[] =>
  Array.from(starts.subarray(1), (end, line) => [starts[line] ?? end, end]);

function tracePath(
  context: Canvas2D,
  { points }: Pick<MarkLines, 'points'>,
  lines: readonly Line[],
  view: PlaneView,
): void {
  context.beginPath();
  for (const [first, end] of lines) {
    context.moveTo(...placePoint(view, points, first));
    for (let i = first + 1; i < end; i++) context.lineTo(...placePoint(view, points, i));
  }
}

/** Splits lines into pieces of one colour; pieces beyond the limits are also returned separately. */
function divideByColour(lines: readonly Line[], values: Float32Array, range: Range) {
  const coloured = new Map<number, Line[]>();
  const [below, above]: [Line[], Line[]] = [[], []];
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
        if (ink >= 0) addTo(coloured, ink, [begin, i + 1]);
        [begin, ink] = [i, next];
      }
      if (isLast || middle === missingValue) continue;
      if (middle < range[0]) below.push([i, i + 2]);
      if (middle > range[1]) above.push([i, i + 2]);
    }
  }
  return { coloured, below, above };
}

function addTo(byInk: Map<number, Line[]>, ink: number, line: Line): void {
  const lines = byInk.get(ink);
  if (lines) lines.push(line);
  else byInk.set(ink, [line]);
}
