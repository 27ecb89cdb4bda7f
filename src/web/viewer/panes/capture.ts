import { dividePanes, type PixelBox, placePane } from '#kernels/grid/pane-layout.ts';
import { onDark, type PaneSize } from '#kernels/overlay/paint.ts';
import { paintPictureLegend, reserveLegend } from '#kernels/overlay/paint-legend.ts';
import { paintSliceName } from '#kernels/overlay/paint-slice-scale.ts';
import { LegendSource } from '../scalars/legend-model.ts';
import { sliceGround } from '../slices/paint-slice.ts';
import type { ViewerModel } from '../state/viewer-model.ts';

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
  const { layout, oblique, slices } = model.store.get();
  const hasScene = model.webgl.get() !== 'no';
  const places = dividePanes(layout, undefined, hasScene, oblique !== null);
  // 3D has its own.
  const hasLegend = slices.surface && !places.some(({ name }) => name === '3d');
  const legend = hasLegend ? new LegendSource(model).get() : null;
  const { height } = picture;
  const width = picture.width - Math.round(reserveLegend(legend, picture.width / scale) * scale);
  const panes = places.map((place) => ({ name: place.name, ...placePane(place, width, height, gap) }));
  const aside = { name: 'legend' as const, x: width, y: 0, width: picture.width - width, height };
  await Promise.all(
    panes.map(({ name, ...size }) => {
      if (name === '3d') return null;
      const slice = model.slice(name);
      const view = model.planeView(name, size.width / scale, size.height / scale);
      return slice && model.loaders[name]?.bring({ positionMm: slice.positionMm, view, scale });
    }),
  );
  return drawPanes(picture, [...panes, aside], (context, { name }, { widthPx, heightPx }) => {
    if (name === 'legend') {
      context.fillStyle = sliceGround;
      context.fillRect(0, 0, widthPx, heightPx);
      if (legend && widthPx > 0) paintPictureLegend(context, legend, [widthPx, heightPx], onDark);
      return;
    }
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
