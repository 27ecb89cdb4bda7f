import { placeCompared } from '#kernels/grid/place-compared.ts';
import type { Inks, PaneSize } from '#kernels/overlay/paint.ts';
import { paintComparedTitle } from '#kernels/overlay/paint-compared-slice.ts';
import { type CaptureSize, drawPanes, scaleCapture } from '../panes/capture.ts';

export interface CapturedPane {
  title: string;
  ground: string;
  inks: Inks;
  paint: (context: CanvasRenderingContext2D, size: PaneSize) => void;
}

/** Draws the panes of a comparison into one picture of a fixed size, each below its title. */
export function captureComparison(panes: readonly CapturedPane[], picture: CaptureSize): Promise<Blob> {
  const { width, height } = picture;
  const places = placeCompared(panes.length, width, height, scaleCapture(picture).gap);
  const placed = panes.flatMap((pane, index) => (places[index] ? [{ ...pane, ...places[index] }] : []));
  return drawPanes(picture, placed, (context, { title, ground, inks, paint }, size) => {
    context.fillStyle = ground;
    context.fillRect(0, 0, size.widthPx, size.heightPx);
    paint(context, size);
    paintComparedTitle(context, title, inks);
  });
}
