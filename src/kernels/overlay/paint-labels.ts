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
import { type Inks, onDark, overlayFont, paintText } from './paint.ts';
import { isCrowded, isWithin, type LabelBox, stackLabels } from './paint-measurements.ts';
import { listSliceCorners } from './paint-slice-scale.ts';

/** A label pinned to a position in the world (mm), in two lines. */
export interface PinnedLabel {
  pointMm: Vector3;
  words: readonly [string, string];
}

/** From the position to the text. CSS pixels. */
const leader: readonly [right: number, up: number] = [16, 14];

/** Height of both lines of a label, and its part below the first line; the same of a number alone. */
const labelPx = [32, 17] as const;
const numberPx = [16, 4] as const;

/** From the position up to a text that has no room beside it. */
const abovePx = 8;

/** Free space between a text and the edges of its pane. */
const edgePx = 4;

interface PlacedLabel extends PinnedLabel {
  /** shown before the value; counts from 1 */
  number: number;
  at: readonly [number, number];
}

/**
 * Draws pinned labels in 3D, each with its value and its position below. CSS pixels.
 *
 * @param taken texts drawn before, which the labels do not cover
 */
export function paintSceneLabels(
  context: Canvas2D,
  labels: readonly PinnedLabel[],
  camera: Camera,
  [widthPx, heightPx]: readonly [number, number],
  inks: Inks,
  taken: readonly LabelBox[],
): void {
  const placed = labels.flatMap((label, i): PlacedLabel[] => {
    const at = projectPoint(camera, label.pointMm, widthPx, heightPx);
    return at ? [{ ...label, number: i + 1, at }] : [];
  });
  paintLabels(context, placed, [widthPx, heightPx], inks, taken);
}

/** Draws the labels within half a voxel of the slice, beside the texts that were drawn before (`taken`). */
export function paintSliceLabels(
  context: Canvas2D,
  labels: readonly PinnedLabel[],
  grid: Grid,
  { name, positionMm }: { name: SliceName; positionMm: number },
  view: PlaneView,
  taken: readonly LabelBox[],
): void {
  const { u, v, normal } = planeAxes[name];
  const placed = labels.flatMap((label, i): PlacedLabel[] => {
    const place = worldToGridMm(grid, label.pointMm);
    if (Math.abs(place[normal] - positionMm) > 0.501 * grid.voxelSizeMm[normal]) return [];
    return [{ ...label, number: i + 1, at: planeToPane(view, place[u], place[v]) }];
  });
  paintLabels(context, placed, [view.widthPx, view.heightPx], onDark, taken, listSliceCorners(view));
}

/** The text, cut with an ellipsis if it is wider than this. */
function shorten(context: Canvas2D, text: string, maxPx: number): string {
  const fits = (shown: string) => context.measureText(shown).width <= maxPx;
  let [shown, length] = [text, text.length];
  while (length > 1 && !fits(shown)) shown = `${text.slice(0, --length).trimEnd()}…`;
  return shown;
}

/**
 * Each label beside its position in the pane; those that would cover an earlier one move up or down. Where texts would
 * cover too much of the picture, only the numbers are drawn.
 */
function paintLabels(
  context: Canvas2D,
  placed: readonly PlacedLabel[],
  size: readonly [number, number],
  inks: Inks,
  taken: readonly LabelBox[],
  corners: readonly LabelBox[] = [],
): void {
  const labels = placed.filter(({ at }) => isWithin(at, size));
  const whole = labels.map((label) => placeLabel(context, label, size[0], false));
  const isShort = isCrowded([...whole, ...taken], size);
  const texts = isShort ? labels.map((label) => placeLabel(context, label, size[0], true)) : whole;
  const bottoms = stackLabels(texts, size[1], [...taken, ...corners]).map((label) => label?.y ?? null);
  for (const [ink, lineWidthPx] of [
    [inks.halo, 3.5],
    [inks.text, 1.25],
  ] as const) {
    context.strokeStyle = ink;
    context.lineWidth = lineWidthPx;
    for (const [i, { at, textX, side, isAbove, below }] of texts.entries()) {
      const bottom = bottoms[i] ?? null;
      if (bottom !== null) {
        context.beginPath();
        context.moveTo(...at);
        if (isAbove) context.lineTo(at[0], bottom);
        else context.lineTo(textX - 3 * side, bottom - below + 3);
        context.stroke();
      }
      context.beginPath();
      context.arc(...at, 2.5, 0, 2 * Math.PI);
      context.stroke();
    }
  }
  context.textBaseline = 'alphabetic';
  // After all lines, so that none crosses a text.
  for (const [i, { lines, side, textX, below }] of texts.entries()) {
    const bottom = bottoms[i] ?? null;
    if (bottom === null) continue;
    context.textAlign = side > 0 ? 'left' : 'right';
    context.font = overlayFont(12, 600);
    paintText(context, lines[0], textX, bottom - below, inks);
    context.font = overlayFont(10.5, 450);
    if (lines[1]) paintText(context, lines[1], textX, bottom - below + 13, inks);
  }
}

/** The text of a label beside its position, or its number alone. */
function placeLabel(
  context: Canvas2D,
  { words, number, at }: PlacedLabel,
  widthPx: number,
  isShort: boolean,
) {
  context.font = overlayFont(12, 600);
  const lines = isShort
    ? ([`${number}`] as const)
    : ([shorten(context, `${number}  ${words[0]}`, widthPx - 2 * edgePx), words[1]] as const);
  const width = Math.max(...lines.map((text) => context.measureText(text).width));
  const [x, y] = at;
  // To the left if there is no room to the right.
  const side = x + leader[0] + width > widthPx ? -1 : 1;
  const textX = side > 0 ? x + leader[0] : Math.max(x - leader[0], width + edgePx);
  const left = side > 0 ? textX : textX - width;
  // Without room on either side the text is above its position instead of on it.
  const isAbove = left < x + abovePx && left + width > x - abovePx;
  const [height, below] = isShort ? numberPx : labelPx;
  const bottom = isAbove ? y - abovePx : y - leader[1] + below;
  return { at, lines, side, textX, left, width, isAbove, below, y: bottom, height };
}
