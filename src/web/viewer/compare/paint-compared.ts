import { formatLength } from '#contract/base/format-number.ts';
import type { PaneSize } from '#kernels/overlay/paint.ts';
import {
  type ComparedSlice,
  drawCompared,
  paintComparedMarks,
} from '#kernels/overlay/paint-compared-slice.ts';
import type { SliceScratch } from '../slices/paint-slice.ts';

/** Draws scans over each other as the mode asks for, with crosshair, scale bar and axes. */
export function paintCompared(
  context: CanvasRenderingContext2D,
  slice: ComparedSlice,
  { widthPx, heightPx, scale }: PaneSize,
  scratches: readonly [SliceScratch, SliceScratch],
): void {
  const [picture, spare] = scratches.map((each) =>
    each.picture(Math.round(widthPx * scale), Math.round(heightPx * scale)),
  );
  if (!picture || !spare) return;
  drawCompared(slice, picture, spare);
  context.imageSmoothingEnabled = false;
  context.drawImage(scratches[0].canvas(picture), 0, 0, widthPx, heightPx);
  paintComparedMarks(context, slice, { widthPx, heightPx }, formatLength);
}
