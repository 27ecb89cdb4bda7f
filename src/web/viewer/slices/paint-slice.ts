import { formatLength } from '#contract/base/format-number.ts';
import { listLabels } from '#contract/shapes/label-words.ts';
import type { PlanePicture } from '#kernels/grid/draw-scan.ts';
import { windowLimits } from '#kernels/grid/grey-window.ts';
import { planeAxes, planeToPane, type SliceName } from '#kernels/grid/plane-transform.ts';
import { onDark, overlayFont, type PaneSize, paintCrosshair, paintText } from '#kernels/overlay/paint.ts';
import { paintSliceLabels } from '#kernels/overlay/paint-labels.ts';
import { listSliceCorners, paintSliceScale, sliceInks } from '#kernels/overlay/paint-slice-scale.ts';
import { paintTrace } from '#kernels/overlay/paint-trace.ts';
import { paintSliceMeasurements } from '../measure/paint-measurements.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { drawPlanes } from './draw-plane.ts';
import { readTrace } from './oblique-trace.ts';
import { paintCuts } from './paint-cuts.ts';
import { paintPlan } from './paint-plan.ts';

export const sliceGround = '#0b0d10';

/**
 * Draws one slice pane into a 2D context: grey values, crosshair, scale bar, axes. The same code draws the screen and
 * captures.
 *
 * @param live false for a capture, which uses the data already loaded and requests nothing
 */
export function paintSlice(
  model: ViewerModel,
  name: SliceName,
  context: CanvasRenderingContext2D,
  { widthPx, heightPx, scale }: PaneSize,
  scratch: SliceScratch,
  live: boolean,
): void {
  context.fillStyle = sliceGround;
  context.fillRect(0, 0, widthPx, heightPx);
  const loader = model.loaders[name];
  const slice = model.slice(name);
  if (!loader || !slice) return;
  const view = model.planeView(name, widthPx, heightPx);
  const shown = { positionMm: slice.positionMm, view, scale };
  const planes = live ? loader.planes(shown) : loader.brought(shown);
  if (planes.length > 0) {
    const look = { view, scale, smooth: model.store.get().smooth };
    const limits = windowLimits(model.window());
    const size = [Math.round(widthPx * scale), Math.round(heightPx * scale)] as const;
    context.imageSmoothingEnabled = false;
    // The CPU draws captures, so that they are the same on every machine.
    const drawn = live ? model.planeCard.draw(name, planes, look, limits, size) : null;
    if (drawn) context.drawImage(drawn.canvas, 0, drawn.firstRow, ...size, 0, 0, widthPx, heightPx);
    else {
      const what = [...planes, ...Object.values(view), scale, look.smooth, ...limits];
      const canvas = scratch.show(what, size, (picture) =>
        drawPlanes(planes, view, limits, scale, look.smooth, picture),
      );
      context.drawImage(canvas, 0, 0, widthPx, heightPx);
    }
  }
  const plan = model.plan.get();
  // The plane that covers the whole view: coarse until all of its finer tiles have loaded.
  const [whole] = planes;
  if (plan && whole) paintPlan(model, plan, whole, name, context, view);
  const numbers = paintCuts(model, name, context, view);
  const axes = planeAxes[name];
  const cursor = model.cursorIn(name);
  const crossing = planeToPane(view, cursor[axes.u], cursor[axes.v]);
  const [across, up] = sliceInks(name);
  paintCrosshair(context, crossing, [widthPx, heightPx], across, up);
  const trace = readTrace(model, name);
  if (trace) paintTrace(context, trace, view);
  const texts = paintSliceMeasurements(model, name, context, view, [...numbers, ...listSliceCorners(view)]);
  paintSliceScale(context, name, view, formatLength);
  const grid = model.grid(name);
  const labels = listLabels(model.store.get().labels);
  if (grid) paintSliceLabels(context, labels, grid, { name, ...slice }, view, [...numbers, ...texts]);
  if (loader.problem) {
    context.font = overlayFont(12);
    context.textAlign = 'left';
    context.textBaseline = 'top';
    paintText(context, `Full resolution is missing: ${loader.problem}`, 12, 10, onDark, '#f3b3ae');
  }
}

/** Pixels reused from frame to frame, so that scrolling allocates nothing. */
export class SliceScratch {
  #picture: PlanePicture | null = null;
  #image: ImageData | null = null;
  #canvas: HTMLCanvasElement | null = null;
  #shown: readonly unknown[] = [];

  picture(widthPx: number, heightPx: number): PlanePicture {
    if (this.#picture?.widthPx !== widthPx || this.#picture.heightPx !== heightPx) {
      this.#image = new ImageData(widthPx, heightPx);
      this.#picture = { widthPx, heightPx, pixels: new Uint32Array(this.#image.data.buffer) };
      this.#canvas = document.createElement('canvas');
      this.#canvas.width = widthPx;
      this.#canvas.height = heightPx;
    }
    return this.#picture;
  }

  /** Like `canvas`, but redraws the picture only if its content changed, not when only lines over it move. */
  show(
    gizmos: readonly unknown[],
    [widthPx, heightPx]: readonly [number, number],
    draw: (picture: PlanePicture) => void,
  ): HTMLCanvasElement {
    const former = this.#picture;
    const picture = this.picture(widthPx, heightPx);
    const isShown =
      picture === former &&
      gizmos.length === this.#shown.length &&
      gizmos.every((gizmo, n) => Object.is(gizmo, this.#shown[n]));
    if (isShown && this.#canvas) return this.#canvas;
    this.#shown = gizmos;
    draw(picture);
    return this.canvas(picture);
  }

  /** The picture as a canvas, which can be drawn over the background with transparency. */
  canvas(picture: PlanePicture): HTMLCanvasElement {
    if (!this.#canvas || !this.#image || picture !== this.#picture)
      throw new Error('not the picture of this scratch');
    this.#canvas.getContext('2d')?.putImageData(this.#image, 0, 0);
    return this.#canvas;
  }
}
