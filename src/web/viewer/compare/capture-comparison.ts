import { type Inks, overlayFont, type PaneSize, paintText } from '#kernels/overlay/paint.ts';
import { type CaptureSize, encodePng } from '../state/capture.ts';

export interface CapturedPane {
  title: string;
  ground: string;
  inks: Inks;
  paint: (context: CanvasRenderingContext2D, size: PaneSize) => void;
}

/**
 * The panes of a comparison in one picture of a fixed size, each under its title, whatever the window's size: text and lines
 * keep their proportion to a picture 900 pixels high.
 */
export async function captureComparison(
  panes: readonly CapturedPane[],
  columns: number,
  { width, height }: CaptureSize,
): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser gives no 2D canvas for the picture.');
  const scale = Math.max(1, height / 900);
  const gap = 2 * Math.round(scale);
  const rows = Math.ceil(panes.length / columns);
  const edge = (index: number, of: number, length: number) => Math.round((index * (length + gap)) / of);
  context.fillStyle = '#2a3036';
  context.fillRect(0, 0, width, height);
  for (const [index, { title, ground, inks, paint }] of panes.entries()) {
    const [column, row] = [index % columns, Math.floor(index / columns)];
    const [x, y] = [edge(column, columns, width), edge(row, rows, height)];
    const widthPx = (edge(column + 1, columns, width) - gap - x) / scale;
    const heightPx = (edge(row + 1, rows, height) - gap - y) / scale;
    context.save();
    context.translate(x, y);
    context.scale(scale, scale);
    context.beginPath();
    context.rect(0, 0, widthPx, heightPx);
    context.clip();
    context.fillStyle = ground;
    context.fillRect(0, 0, widthPx, heightPx);
    paint(context, { widthPx, heightPx, scale });
    context.font = overlayFont(12, 600);
    context.textAlign = 'left';
    context.textBaseline = 'alphabetic';
    paintText(context, title, 12, 22, inks);
    context.restore();
  }
  return encodePng(canvas);
}
