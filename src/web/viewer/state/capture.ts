import { dividePanes, type PixelBox, placePane } from '#kernels/grid/pane-layout.ts';
import type { PaneSize } from '#kernels/overlay/paint.ts';
import { paintSliceName } from '#kernels/overlay/paint-slice-scale.ts';
import type { ViewerModel } from './viewer-model.ts';

export interface CaptureSize {
  /** pixels of the picture */
  width: number;
  height: number;
}

/** Text and lines of a picture are scaled as in one 900 pixels high. */
export function scaleCapture({ height }: CaptureSize): { scale: number; gap: number } {
  const scale = Math.max(1, height / 900);
  return { scale, gap: 2 * Math.round(scale) };
}

/**
 * Draws the current view as a picture of a fixed size, with scale bars and legend, independent of the window size.
 */
export async function capture(model: ViewerModel, picture: CaptureSize): Promise<Blob> {
  await model.scheduler.whenIdle();
  const { scale, gap } = scaleCapture(picture);
  const { layout, oblique } = model.store.get();
  const hasScene = model.webgl.get() !== 'no';
  const panes = dividePanes(layout, undefined, hasScene, oblique !== null).map((place) => ({
    name: place.name,
    ...placePane(place, picture.width, picture.height, gap),
  }));
  await Promise.all(
    panes.map(({ name, ...size }) => {
      if (name === '3d') return null;
      const slice = model.slice(name);
      const view = model.planeView(name, size.width / scale, size.height / scale);
      return slice && model.loaders[name]?.bring({ positionMm: slice.positionMm, view, scale });
    }),
  );
  return drawPanes(picture, panes, (context, { name }, { widthPx, heightPx }) => {
    const paint = model.painters.get(name);
    if (!paint) return;
    paint(context, widthPx, heightPx, scale, false);
    if (name !== '3d') paintSliceName(context, name, model.slice(name)?.positionMm ?? null);
  });
}

/** Draws each pane of a picture in its place; one canvas unit is `scale` pixels. */
export function drawPanes<Place extends PixelBox>(
  picture: CaptureSize,
  places: readonly Place[],
  paint: (context: CanvasRenderingContext2D, place: Place, size: PaneSize) => void,
): Promise<Blob> {
  const canvas = Object.assign(document.createElement('canvas'), picture);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('The browser could not create a 2D canvas for the picture.');
  const { scale } = scaleCapture(picture);
  context.fillStyle = '#2a3036';
  context.fillRect(0, 0, canvas.width, canvas.height);
  for (const place of places) {
    const size = { widthPx: place.width / scale, heightPx: place.height / scale, scale };
    context.save();
    context.translate(place.x, place.y);
    context.scale(scale, scale);
    context.beginPath();
    context.rect(0, 0, size.widthPx, size.heightPx);
    context.clip();
    paint(context, place, size);
    context.restore();
  }
  return encodePng(canvas);
}

export const encodePng = (canvas: HTMLCanvasElement): Promise<Blob> =>
  new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob) resolve(blob);
      else
        reject(
          new Error(`The browser could not make a picture of ${canvas.width} × ${canvas.height} pixels.`),
        );
    }, 'image/png');
  });
