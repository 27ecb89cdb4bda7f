/** A slice of one scan, or of two over each other. */
import { formatLength } from '#contract/base/format-number.ts';
import { type GreyWindow, windowLimits } from '#kernels/grid/grey-window.ts';
import { axisNames, type PlaneName, planeAxes } from '#kernels/grid/plane-transform.ts';
import type { Vector3, Volume } from '#kernels/grid/volume.ts';
import {
  axisInks,
  onDark,
  overlayFont,
  type PaneSize,
  paintCrosshair,
  paintScaleBar,
  paintText,
} from '#kernels/overlay/paint.ts';
import { scaleBar } from '#kernels/overlay/scale-bar.ts';
import { type SliceScratch, sliceGround } from '../slices/paint-slice.ts';
import type { CompareMode } from './compare-look.ts';
import { type CommonView, drawScan, type Pose } from './draw-scan.ts';

/** A scan that is loaded, as a pane draws it. */
export interface DrawnScan {
  volume: Volume;
  toScan: Pose | null;
  window: GreyWindow;
}

export interface ComparedSlice {
  /** one, or two that are laid on each other; null = is not loaded yet */
  scans: readonly (DrawnScan | null)[];
  mode: CompareMode;
  share: number;
  /** of two that blink: whether the second is seen */
  isOther: boolean;
  view: CommonView;
  cursor: Vector3;
}

/** Draws scans over each other as the mode asks for, with crosshair, scale bar and axes. */
export function paintComparedSlice(
  context: CanvasRenderingContext2D,
  { scans, mode, share, isOther, view, cursor }: ComparedSlice,
  { widthPx, heightPx, scale }: PaneSize,
  scratches: readonly [SliceScratch, SliceScratch],
): void {
  context.fillStyle = sliceGround;
  context.fillRect(0, 0, widthPx, heightPx);
  const paint = (index: 0 | 1) => {
    const scan = scans[index];
    if (!scan) return;
    const picture = scratches[index].picture(Math.round(widthPx * scale), Math.round(heightPx * scale));
    drawScan(scan.volume, scan.toScan, view, windowLimits(scan.window), picture);
    context.imageSmoothingEnabled = false;
    context.drawImage(scratches[index].canvas(picture), 0, 0, widthPx, heightPx);
  };
  if (scans.length < 2 || mode === 'side') paint(0);
  else if (mode === 'blink') paint(isOther ? 1 : 0);
  else {
    paint(0);
    context.save();
    if (mode === 'blend') context.globalAlpha = share;
    else {
      context.beginPath();
      context.rect((1 - share) * widthPx, 0, share * widthPx, heightPx);
      context.clip();
      context.fillRect(0, 0, widthPx, heightPx);
    }
    paint(1);
    context.restore();
    if (mode === 'swipe') {
      context.fillStyle = onDark.text;
      context.fillRect((1 - share) * widthPx - 0.75, 0, 1.5, heightPx);
    }
  }
  paintMarks(context, view, cursor, widthPx, heightPx);
}

function paintMarks(
  context: CanvasRenderingContext2D,
  { plane, centre, heightMm }: CommonView,
  cursor: Vector3,
  widthPx: number,
  heightPx: number,
): void {
  const { u, v } = planeAxes[plane satisfies PlaneName];
  const mm = heightMm / heightPx;
  const at: [number, number] = [
    widthPx / 2 + (cursor[u] - centre[u]) / mm,
    heightPx / 2 - (cursor[v] - centre[v]) / mm,
  ];
  paintCrosshair(context, at, [widthPx, heightPx], axisInks[u], axisInks[v]);
  paintScaleBar(context, scaleBar(mm, Math.min(120, widthPx * 0.3), formatLength), 14, heightPx - 14, onDark);
  context.font = overlayFont(11.5, 600);
  context.textAlign = 'right';
  context.textBaseline = 'alphabetic';
  paintText(context, `${axisNames[u]}→  ${axisNames[v]}↑`, widthPx - 12, heightPx - 12, onDark);
}
