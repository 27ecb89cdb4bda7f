import { formatLength } from '#contract/base/format-number.ts';
import { walkVoxels } from '#kernels/grid/draw-scan.ts';
import { windowLimits } from '#kernels/grid/grey-window.ts';
import type { PaneSize } from '#kernels/overlay/paint.ts';
import {
  type ComparedSlice,
  drawCompared,
  listLayers,
  paintComparedMarks,
} from '#kernels/overlay/paint-compared-slice.ts';
import type { PlaneCard } from '../engine/plane-card.ts';
import { type SliceScratch, sliceGround } from '../slices/paint-slice.ts';

/**
 * Draws overlaid scans in the given mode, with crosshair, scale bar and axes.
 *
 * @param card null for a capture, which the CPU draws, so that it is the same on every machine
 */
export function paintCompared(
  context: CanvasRenderingContext2D,
  slice: ComparedSlice,
  { widthPx, heightPx, scale }: PaneSize,
  scratches: readonly [SliceScratch, SliceScratch],
  card: PlaneCard | null,
): void {
  const [width, height] = [Math.round(widthPx * scale), Math.round(heightPx * scale)];
  context.imageSmoothingEnabled = false;
  if (!card || !paintByCard(context, slice, { widthPx, heightPx, width, height }, card)) {
    const [picture, spare] = [scratches[0].picture(width, height), scratches[1].picture(width, height)];
    drawCompared(slice, picture, spare);
    context.drawImage(scratches[0].canvas(picture), 0, 0, widthPx, heightPx);
  }
  // If nothing is visible, a message is shown instead.
  if (slice.scans.some((scan) => scan !== null))
    paintComparedMarks(context, slice, { widthPx, heightPx }, formatLength);
}

/** @returns false if the CPU has to draw everything */
function paintByCard(
  context: CanvasRenderingContext2D,
  slice: ComparedSlice,
  { widthPx, heightPx, width, height }: Omit<PaneSize, 'scale'> & { width: number; height: number },
  card: PlaneCard,
): boolean {
  context.fillStyle = sliceGround;
  context.fillRect(0, 0, widthPx, heightPx);
  const css = widthPx / width;
  for (const { scan, from, to, opacity } of listLayers(slice, width)) {
    if (!scan || from >= to) continue;
    const walk = walkVoxels(scan.volume, scan.toScan, slice.view, width, height);
    const drawn = card.drawScan(scan.volume, walk, windowLimits(scan.window), [width, height]);
    if (!drawn) return false;
    context.globalAlpha = opacity;
    context.drawImage(
      drawn.canvas,
      ...([from, drawn.firstRow, to - from, height] as const),
      ...([from * css, 0, (to - from) * css, heightPx] as const),
    );
    context.globalAlpha = 1;
  }
  return true;
}
