import { placeCompared } from '#kernels/grid/place-compared.ts';
import type { Inks, PaneSize } from '#kernels/overlay/paint.ts';
import { paintComparedTitle } from '#kernels/overlay/paint-compared-slice.ts';
import { type CaptureSize, encodePng } from '../state/capture.ts';

export interface CapturedPane {
  title: string;
  ground: string;
  inks: Inks;
  paint: (context: CanvasRenderingContext2D, size: PaneSize) => void;
}

/**
 * Draws the panes of a comparison into one picture of a fixed size, each below its title, independent of the window
 * size: text and lines are scaled as in a picture 900 pixels high.
 */
export async function captureComparison(
  panes: readonly CapturedPane[],
  { width, height }: CaptureSize,
): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('The browser could not create a 2D canvas for the picture.');
  const scale = Math.max(1, height / 900);
  context.fillStyle = '#2a3036';
  context.fillRect(0, 0, width, height);
  const places = placeCompared(panes.length, width, height, 2 * Math.round(scale));
  for (const [index, { x, y, ...size }] of places.entries()) {
    const pane = panes[index];
    if (!pane) continue;
    const { title, ground, inks, paint } = pane;
    const [widthPx, heightPx] = [size.width / scale, size.height / scale];
    context.save();
    context.translate(x, y);
    context.scale(scale, scale);
    context.beginPath();
    context.rect(0, 0, widthPx, heightPx);
    context.clip();
    context.fillStyle = ground;
    context.fillRect(0, 0, widthPx, heightPx);
    paint(context, { widthPx, heightPx, scale });
    paintComparedTitle(context, title, inks);
    context.restore();
  }
  return encodePng(canvas);
}
