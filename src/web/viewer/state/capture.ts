import { dividePanes, placePane } from '#kernels/grid/pane-layout.ts';
import { paintSliceName } from '#kernels/overlay/paint-slice-scale.ts';
import type { ViewerModel } from './viewer-model.ts';

export interface CaptureSize {
  /** pixels of the picture */
  width: number;
  height: number;
}

/**
 * Draws the current view as a picture of a fixed size, with scale bars and legend, independent of the window size: text
 * and lines are scaled as in a picture 900 pixels high.
 */
export async function capture(model: ViewerModel, { width, height }: CaptureSize): Promise<Blob> {
  await model.scheduler.whenIdle();
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('The browser could not create a 2D canvas for the picture.');
  const scale = Math.max(1, height / 900);
  const gap = 2 * Math.round(scale);
  const { layout, oblique } = model.store.get();
  const hasScene = model.webgl.get() !== 'no';
  const panes = dividePanes(layout, undefined, hasScene, oblique !== null).map((place) => ({
    name: place.name,
    ...placePane(place, width, height, gap),
  }));
  await Promise.all(
    panes.map(({ name, ...size }) => {
      if (name === '3d') return null;
      const slice = model.slice(name);
      const view = model.planeView(name, size.width / scale, size.height / scale);
      return slice && model.loaders[name]?.bring({ positionMm: slice.positionMm, view, scale });
    }),
  );
  context.fillStyle = '#2a3036';
  context.fillRect(0, 0, width, height);
  for (const { name, x, y, ...size } of panes) {
    const paint = model.painters.get(name);
    if (!paint) continue;
    const [widthPx, heightPx] = [size.width / scale, size.height / scale];
    context.save();
    context.translate(x, y);
    context.scale(scale, scale);
    context.beginPath();
    context.rect(0, 0, widthPx, heightPx);
    context.clip();
    paint(context, widthPx, heightPx, scale, false);
    if (name !== '3d') paintSliceName(context, name, model.slice(name)?.positionMm ?? null);
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
