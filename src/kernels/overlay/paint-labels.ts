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

/** A label pinned to a position in the world (mm), in two lines. */
export interface PinnedLabel {
  pointMm: Vector3;
  words: readonly [string, string];
}

/** From the position to the text. CSS pixels. */
const leader: readonly [right: number, up: number] = [16, 14];

/** Draws pinned labels in 3D, each with its value and its position below. CSS pixels. */
export function paintSceneLabels(
  context: Canvas2D,
  labels: readonly PinnedLabel[],
  camera: Camera,
  [widthPx, heightPx]: readonly [number, number],
  inks: Inks,
): void {
  for (const [i, label] of labels.entries()) {
    const at = projectPoint(camera, label.pointMm, widthPx, heightPx);
    if (at) paintLabel(context, label, i + 1, at, widthPx, inks);
  }
}

/** Draws the labels within half a voxel of the slice. */
export function paintSliceLabels(
  context: Canvas2D,
  labels: readonly PinnedLabel[],
  grid: Grid,
  { name, positionMm }: { name: SliceName; positionMm: number },
  view: PlaneView,
): void {
  const { u, v, normal } = planeAxes[name];
  for (const [i, label] of labels.entries()) {
    const place = worldToGridMm(grid, label.pointMm);
    if (Math.abs(place[normal] - positionMm) > 0.501 * grid.voxelSizeMm[normal]) continue;
    paintLabel(context, label, i + 1, planeToPane(view, place[u], place[v]), view.widthPx, onDark);
  }
}

function paintLabel(
  context: Canvas2D,
  label: PinnedLabel,
  number: number,
  [x, y]: readonly [number, number],
  widthPx: number,
  inks: Inks,
): void {
  const words = [`${number}  ${label.words[0]}`, label.words[1]] as const;
  context.font = overlayFont(12, 600);
  const longest = Math.max(...words.map((text) => context.measureText(text).width));
  // To the left if there is no room to the right.
  const side = x + leader[0] + longest > widthPx ? -1 : 1;
  const textX = side > 0 ? x + leader[0] : Math.max(x - leader[0], longest + 4);
  const textY = y - leader[1];
  for (const [ink, widthPx] of [
    [inks.halo, 3.5],
    [inks.text, 1.25],
  ] as const) {
    context.strokeStyle = ink;
    context.lineWidth = widthPx;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(textX - 3 * side, textY + 3);
    context.stroke();
    context.beginPath();
    context.arc(x, y, 2.5, 0, 2 * Math.PI);
    context.stroke();
  }
  context.textAlign = side > 0 ? 'left' : 'right';
  context.textBaseline = 'alphabetic';
  context.font = overlayFont(12, 600);
  paintText(context, words[0], textX, textY, inks);
  context.font = overlayFont(10.5, 450);
  paintText(context, words[1], textX, textY + 13, inks);
}
