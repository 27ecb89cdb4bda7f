import {
  gridMmToWorld,
  type PlaneView,
  planeAxes,
  planeToPane,
  type SliceName,
  worldToGridMm,
} from '#kernels/grid/plane-transform.ts';
import { type BoxMm, cutByRegion } from '#kernels/grid/region.ts';
import type { Grid, Vector3 } from '#kernels/grid/volume.ts';
import { placePoint } from '#kernels/overlay/cut-inks.ts';
import { onDark } from '#kernels/overlay/paint.ts';
import type { SlicePlane } from '../data/slice-source.ts';
import type { SurfacePlan } from '../state/surface-plan.ts';
import type { ViewerModel } from '../state/viewer-model.ts';

/** For the outer surface, then for each denser material; distinct from the colour maps and from the reference. */
const inks = ['#ffc53d', '#ff7ad9', '#7ae0ff', '#b7ff6a', '#ff9f7a'] as const;
const linePx = 1.75;
const haloPx = 3.5;
const shade = 'rgb(8 10 12 / 62%)';
const frameInk = '#ffc53d';

/** Draws where the planned surface would be, and its region. */
export function paintPlan(
  model: ViewerModel,
  plan: SurfacePlan,
  plane: SlicePlane,
  name: SliceName,
  context: CanvasRenderingContext2D,
  view: PlaneView,
): void {
  const grid = model.grid(name);
  const slice = model.slice(name);
  if (!grid || !slice) return;
  const { positionMm } = slice;
  const seen = { name, grid, positionMm, preview: model.previewData.get() };
  const outline = plan.region && model.volume && outlineRegion(plan.region, model.volume, seen, view);
  context.save();
  context.lineJoin = 'round';
  context.lineCap = 'round';
  if (outline) context.clip(outline);
  for (const [i, pieces] of model.planned.trace(plan, plane, seen).entries()) {
    const path = new Path2D();
    for (let k = 0; k < pieces.length; k += 4) {
      path.moveTo(...placePoint(view, pieces, k / 2));
      path.lineTo(...placePoint(view, pieces, k / 2 + 1));
    }
    strokePath(context, path, onDark.halo, haloPx);
    strokePath(context, path, inks[i % inks.length] ?? inks[0], linePx);
  }
  context.restore();
  if (outline) paintOutside(context, outline, view);
}

/** The intersection of the region with a slice; empty if they do not meet. */
function outlineRegion(
  region: BoxMm,
  volume: Grid,
  { name, grid, positionMm }: { name: SliceName; grid: Grid; positionMm: number },
  view: PlaneView,
): Path2D {
  const axes = planeAxes[name];
  const [width, height] = [(view.heightMm * view.widthPx) / view.heightPx, view.heightMm];
  const place = (across: number, up: number): Vector3 => {
    const at: Vector3 = [0, 0, 0];
    at[axes.u] = view.centreU + across * width;
    at[axes.v] = view.centreV + up * height;
    at[axes.normal] = positionMm;
    return gridMmToWorld(grid, at);
  };
  // Larger than the pane, so that no line runs along its border.
  const seen = [place(-2, -2), place(2, -2), place(2, 2), place(-2, 2)];
  const path = new Path2D();
  for (const [i, corner] of cutByRegion(seen, volume, region).entries()) {
    const own = worldToGridMm(grid, corner);
    const at = planeToPane(view, own[axes.u], own[axes.v]);
    if (i === 0) path.moveTo(...at);
    else path.lineTo(...at);
  }
  path.closePath();
  return path;
}

function paintOutside(context: CanvasRenderingContext2D, inside: Path2D, view: PlaneView): void {
  const outside = new Path2D();
  outside.rect(0, 0, view.widthPx, view.heightPx);
  outside.addPath(inside);
  context.fillStyle = shade;
  context.fill(outside, 'evenodd');
  strokePath(context, inside, onDark.halo, haloPx);
  context.setLineDash([6, 4]);
  strokePath(context, inside, frameInk, 1.5);
  context.setLineDash([]);
}

function strokePath(context: CanvasRenderingContext2D, path: Path2D, ink: string, widthPx: number): void {
  context.strokeStyle = ink;
  context.lineWidth = widthPx;
  context.stroke(path);
}
