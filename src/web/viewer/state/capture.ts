import { mmPerPixel, type PlaneName, planeNames } from '#kernels/grid/plane-transform.ts';
import { onDark, overlayFont, paintText } from '../overlay/paint.ts';
import type { ViewerModel } from './viewer-model.ts';

export interface CaptureSize {
  /** pixels of the picture */
  width: number;
  height: number;
}

type Pane = PlaneName | '3d';

/** The order of the panes on the screen, row by row. */
export const gridOrder: readonly Pane[] = ['xy', '3d', 'xz', 'yz'];

/**
 * What the viewer shows as a picture of a fixed size, with scale bars and legend, independent of the window's size:
 * text and lines keep their proportion to a picture 900 pixels high.
 */
export async function capture(model: ViewerModel, { width, height }: CaptureSize): Promise<Blob> {
  await model.scheduler.whenIdle();
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser gives no 2D canvas for the picture.');
  const { layout } = model.store.get();
  const panes: readonly Pane[] = layout === 'grid' ? gridOrder : [layout];
  const columns = panes.length > 1 ? 2 : 1;
  const scale = Math.max(1, height / 900);
  const gap = panes.length > 1 ? 2 * Math.round(scale) : 0;
  const widthPx = Math.floor((width - gap * (columns - 1)) / columns);
  const heightPx = Math.floor((height - gap * (columns - 1)) / columns);
  await Promise.all(
    planeNames
      .filter((name) => panes.includes(name))
      .map((name) => {
        const slice = model.slice(name);
        const view = model.planeView(name, widthPx / scale, heightPx / scale);
        return slice && model.loaders[name]?.bring(slice.positionMm, mmPerPixel(view) / scale);
      }),
  );
  context.fillStyle = '#2a3036';
  context.fillRect(0, 0, width, height);
  for (const [i, pane] of panes.entries()) {
    const paint = model.painters.get(pane);
    if (!paint) continue;
    const x = i % columns === 0 ? 0 : Math.floor((width + gap) / 2);
    const y = i < columns ? 0 : Math.floor((height + gap) / 2);
    context.save();
    context.translate(x, y);
    context.scale(scale, scale);
    context.beginPath();
    context.rect(0, 0, widthPx / scale, heightPx / scale);
    context.clip();
    paint(context, widthPx / scale, heightPx / scale, scale, false);
    const slice = planeNames.find((name) => name === pane);
    if (slice) paintName(context, model, slice);
    context.restore();
  }
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob) resolve(blob);
      else reject(new Error(`The browser could not make a picture of ${width} × ${height} pixels.`));
    }, 'image/png');
  });
}

function paintName(context: CanvasRenderingContext2D, model: ViewerModel, name: PlaneName): void {
  const slice = model.slice(name);
  const axis = { xy: 'Z', xz: 'Y', yz: 'X' }[name];
  context.font = overlayFont(12, 600);
  context.textAlign = 'left';
  context.textBaseline = 'top';
  const place = slice ? `  ${axis} ${slice.positionMm.toFixed(3)}\u2009mm` : '';
  paintText(context, `${name.toUpperCase()}${place}`, 12, 12, onDark);
}
