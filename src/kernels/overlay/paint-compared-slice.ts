/** Draws a slice of one scan, or of two over each other; used by the viewer, captures and the server. */
import { type CommonView, drawScan, type PlanePicture, type Pose } from '../grid/draw-scan.ts';
import { type GreyWindow, windowLimits } from '../grid/grey-window.ts';
import { axisNames, planeAxes } from '../grid/plane-transform.ts';
import type { Vector3, Volume } from '../grid/volume.ts';
import type { Canvas2D } from './canvas.ts';
import {
  axisInks,
  type Inks,
  onDark,
  overlayFont,
  type PaneSize,
  paintCrosshair,
  paintScaleBar,
  paintText,
} from './paint.ts';
import { scaleBar } from './scale-bar.ts';

export type CompareMode = 'side' | 'blend' | 'swipe' | 'blink';

/** A loaded scan as drawn in a pane. */
export interface DrawnScan {
  volume: Volume;
  toScan: Pose | null;
  window: GreyWindow;
}

export interface ComparedSlice {
  /** one scan, or two over each other; null = not loaded yet */
  scans: readonly (DrawnScan | null)[];
  mode: CompareMode;
  /** opacity (blend) or width (swipe) of the second scan; 0 to 1 */
  share: number;
  /** blink: whether the second scan is shown */
  isOther: boolean;
  view: CommonView;
  cursor: Vector3;
}

/** Background outside the scans: red, green, blue and opacity from the lowest byte. */
const ground = 0xff100d0b;

/** The scans of a pane and how they are combined. */
export interface Laid<Scan> extends Pick<ComparedSlice, 'mode' | 'share' | 'isOther'> {
  scans: readonly Scan[];
}

/** A scan with the columns in which it is visible and its opacity. */
export interface ComparedLayer<Scan> {
  scan: Scan | undefined;
  from: number;
  to: number;
  opacity: number;
}

/** Layers of combined scans in drawing order, for slices and surfaces. */
export function listLayers<Scan>(
  { scans: [first, second], mode, share, isOther }: Laid<Scan>,
  widthPx: number,
): ComparedLayer<Scan>[] {
  const whole = { from: 0, to: widthPx, opacity: 1 };
  if (second === undefined || mode === 'side') return [{ ...whole, scan: first }];
  if (mode === 'blink') return [{ ...whole, scan: isOther ? second : first }];
  if (mode === 'blend')
    return [
      { ...whole, scan: first },
      { ...whole, scan: second, opacity: share },
    ];
  const split = Math.round((1 - share) * widthPx);
  return [
    { ...whole, scan: first, to: split },
    { ...whole, scan: second, from: split },
  ];
}

/**
 * Draws the grey values of scans in the given mode; all pixels are opaque. O(pixels · scans).
 *
 * @param spare buffer of the same size for a scan that is blended over another
 */
export function drawCompared(slice: ComparedSlice, picture: PlanePicture, scratch: PlanePicture): void {
  const { widthPx, pixels } = picture;
  pixels.fill(ground);
  for (const { scan, from, to, opacity } of listLayers(slice, widthPx)) {
    if (!scan || from >= to) continue;
    drawScan(scan.volume, scan.toScan, slice.view, windowLimits(scan.window), scratch);
    for (let row = 0; row < pixels.length; row += widthPx)
      for (let at = row + from; at < row + to; at++) {
        const over = scratch.pixels[at];
        if (over !== 0) pixels[at] = opacity === 1 ? over : mixPixels(pixels[at], over, opacity);
      }
  }
}

/** Both are opaque. */
function mixPixels(under: number, over: number, opacity: number): number {
  let mixed = 0xff000000;
  for (let shift = 0; shift < 24; shift += 8) {
    const byte = (under >> shift) & 0xff;
    mixed |= Math.round(byte + (((over >> shift) & 0xff) - byte) * opacity) << shift;
  }
  return mixed >>> 0;
}

/** Draws the crosshair, scale bar, axes and the line of a swipe. CSS pixels. */
export function paintComparedMarks(
  context: Canvas2D,
  { scans, mode, share, view: { plane, centre, heightMm }, cursor }: ComparedSlice,
  { widthPx, heightPx }: Omit<PaneSize, 'scale'>,
  formatLength: (mm: number) => string,
): void {
  paintSwipe(context, { scans, mode, share }, { widthPx, heightPx }, onDark);
  const { u, v } = planeAxes[plane];
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

/** The boundary between the two scans. */
export function paintSwipe(
  context: Canvas2D,
  { scans, mode, share }: Pick<Laid<unknown>, 'scans' | 'mode' | 'share'>,
  { widthPx, heightPx }: Omit<PaneSize, 'scale'>,
  inks: Inks,
): void {
  if (mode !== 'swipe' || scans.length < 2) return;
  context.fillStyle = inks.text;
  context.fillRect((1 - share) * widthPx - 0.75, 0, 1.5, heightPx);
}

/** Title of the scans in a pane of a picture. */
export function paintComparedTitle(context: Canvas2D, title: string, inks: Inks): void {
  context.font = overlayFont(12, 600);
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  paintText(context, title, 12, 22, inks);
}
