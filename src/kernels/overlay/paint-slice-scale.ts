import { axisNames, mmPerPixel, type PlaneView, planeAxes, type SliceName } from '../grid/plane-transform.ts';
import type { Canvas2D } from './canvas.ts';
import { axisInks, obliqueInk, onDark, overlayFont, paintAxes, paintScaleBar, paintText } from './paint.ts';
import type { LabelBox } from './paint-measurements.ts';
import { scaleBar } from './scale-bar.ts';

const widestBar = (widthPx: number) => Math.min(140, widthPx * 0.3);

/** Places in a slice that texts leave free: scale bar, axes, and the button at the top right on screen. CSS pixels. */
export const listSliceCorners = ({ widthPx, heightPx }: PlaneView): LabelBox[] => [
  { left: 8, y: heightPx, width: widestBar(widthPx) + 12, height: 36 },
  { left: widthPx - 54, y: heightPx, width: 54, height: 56 },
  { left: widthPx - 34, y: 34, width: 34, height: 34 },
];

/** Colours of a slice's horizontal and vertical axis. */
export function sliceInks(name: SliceName): [string, string] {
  const { u, v } = planeAxes[name];
  return name === 'oblique' ? [obliqueInk, obliqueInk] : [axisInks[u], axisInks[v]];
}

/** Draws the scale bar and the axis directions. CSS pixels. */
export function paintSliceScale(
  context: Canvas2D,
  name: SliceName,
  view: PlaneView,
  formatLength: (mm: number) => string,
): void {
  const { widthPx, heightPx } = view;
  const { u, v } = planeAxes[name];
  const [across, up] = sliceInks(name);
  const bar = scaleBar(mmPerPixel(view), widestBar(widthPx), formatLength);
  paintScaleBar(context, bar, 14, heightPx - 14, onDark);
  const isOblique = name === 'oblique';
  paintAxes(
    context,
    [
      { name: isOblique ? 'U' : axisNames[u], ink: across, dx: 22, dy: 0, depth: 0 },
      { name: isOblique ? 'V' : axisNames[v], ink: up, dx: 0, dy: -22, depth: 0 },
    ],
    widthPx - 46,
    heightPx - 16,
    onDark,
  );
}

/** Draws the name of a slice and its position (grid mm along its normal; null = none). */
export function paintSliceName(context: Canvas2D, name: SliceName, positionMm: number | null): void {
  const axis = { xy: 'Z', xz: 'Y', yz: 'X', oblique: 'W' }[name];
  context.font = overlayFont(12, 600);
  context.textAlign = 'left';
  context.textBaseline = 'top';
  const place = positionMm === null ? '' : `  ${axis} ${positionMm.toFixed(3)}\u202fmm`;
  paintText(context, `${name.toUpperCase()}${place}`, 12, 12, onDark);
}
