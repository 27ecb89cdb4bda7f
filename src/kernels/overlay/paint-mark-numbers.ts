import { type PlaneView, planeToPane } from '../grid/plane-transform.ts';
import type { SliceMarks } from '../grid/slice-marks.ts';
import type { Canvas2D } from './canvas.ts';
import { onDark, overlayFont, paintText } from './paint.ts';
import type { LabelBox } from './paint-measurements.ts';

const labelFont = overlayFont(11.5);
const labelHeightPx = 14;
/** above the scale bar */
const wordsAbovePx = 46;

/** Draws numbers beside the middle of each arrow across a wall, unless another number is there. CSS pixels. Returns where they are. */
export function paintThicknesses(
  context: Canvas2D,
  view: PlaneView,
  { walls }: Pick<SliceMarks, 'walls'>,
  formatValue: (value: number) => string,
): LabelBox[] {
  context.font = labelFont;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  const boxes: LabelBox[] = [];
  for (const { from, to, value } of walls) {
    const [ax, ay] = planeToPane(view, ...from);
    const [bx, by] = planeToPane(view, ...to);
    const text = formatValue(value);
    const width = context.measureText(text).width;
    const size = Math.hypot(bx - ax, by - ay) || 1;
    // To the right of a vertical arrow, below a horizontal one.
    const [across, along] = [Math.abs(by - ay) / size, Math.abs(bx - ax) / size];
    const x = (ax + bx) / 2 + 6 * across - (width / 2) * along;
    const y = (ay + by) / 2 + (labelHeightPx - 2) * along;
    const bottom = y + labelHeightPx / 2;
    const isTaken = boxes.some(
      (box) =>
        x < box.left + box.width + 4 && box.left < x + width + 4 && Math.abs(bottom - box.y) < labelHeightPx,
    );
    const isInside = x >= 0 && y >= labelHeightPx && x + width <= view.widthPx && y <= view.heightPx;
    if (isTaken || !isInside) continue;
    boxes.push({ left: x, y: bottom, width, height: labelHeightPx });
    paintText(context, text, x, y, onDark);
  }
  return boxes;
}

/** States the magnification of the whiskers of a slice. CSS pixels. Returns where. */
export function paintMagnification(context: Canvas2D, view: PlaneView, magnification: number): LabelBox[] {
  context.font = labelFont;
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  const [text, y] = [`Deviation × ${magnification}`, view.heightPx - wordsAbovePx];
  paintText(context, text, 14, y, onDark);
  return [{ left: 14, y: y + 3, width: context.measureText(text).width, height: labelHeightPx }];
}
