/** Draws the planes and boxes that are moved by hand in 3D, for the viewer and server-side pictures. */
import { type Bounds, type Camera, projectPoint } from '../grid/camera.ts';
import { listCorners, outlineOnBox } from '../grid/turned-grid.ts';
import { add, minus, scale } from '../grid/vectors.ts';
import type { Grid, Vector3 } from '../grid/volume.ts';
import type { Canvas2D } from './canvas.ts';
import { type Inks, obliqueInk, paintDot, strokeWithHalo } from './paint.ts';

export interface GizmoShape {
  ink: string;
  /** whether it is tinted; section planes are not, because they show their contents */
  isTinted: boolean;
  /** closed lines */
  outlines: Vector3[][];
  /** from a handle to the one that rotates it */
  lines: [Vector3, Vector3][];
  handles: { point: Vector3 }[];
}

/** Length of the normal, as a share of the diagonal of the scan, or of the part if there is no scan. */
const normalShare = 0.16;

/** A plane: its outline on the scan's box, a handle in the middle and one at the tip of its normal. */
export function shapePlane(
  grid: Grid | null,
  { min, max }: Bounds,
  { middle, normal }: { middle: Vector3; normal: Vector3 },
  ink: string,
): GizmoShape & { arrow: Vector3 } {
  const corners = grid ? listCorners(grid) : [];
  const [first = min, last = max] = [corners[0], corners[7]];
  const arrow = scale(normal, normalShare * Math.hypot(...minus(last, first)));
  const tip = add(middle, arrow);
  return {
    ink,
    isTinted: ink === obliqueInk,
    outlines: grid ? [outlineOnBox(grid, middle, { normal, up: [0, 0, 0] })] : [],
    lines: [[middle, tip]],
    handles: [{ point: tip }, { point: middle }],
    arrow,
  };
}

/** Draws outlines, normals and handles. CSS pixels. */
export function paintGizmos(
  gizmos: readonly GizmoShape[],
  context: Canvas2D,
  camera: Camera,
  [widthPx, heightPx]: readonly [number, number],
  inks: Inks,
): void {
  const project = (point: Vector3) => projectPoint(camera, point, widthPx, heightPx);
  for (const gizmo of gizmos) paintGizmo(gizmo, context, project, inks);
}

function paintGizmo(
  { ink, isTinted, outlines, lines, handles }: GizmoShape,
  context: Canvas2D,
  project: (point: Vector3) => readonly [number, number] | null,
  inks: Inks,
): void {
  context.save();
  context.lineJoin = 'round';
  context.fillStyle = ink;
  context.beginPath();
  for (const outline of outlines) {
    const places = outline.map(project).filter((place) => place !== null);
    for (const [i, place] of places.entries()) i === 0 ? context.moveTo(...place) : context.lineTo(...place);
    if (places.length > 0) context.closePath();
  }
  if (isTinted) {
    context.globalAlpha = 0.08;
    context.fill();
    context.globalAlpha = 1;
  }
  for (const line of lines) {
    const [from, to] = line.map(project);
    if (!from || !to) continue;
    context.moveTo(...from);
    context.lineTo(...to);
  }
  strokeWithHalo(context, ink, 1.75, inks);
  for (const { point } of handles) {
    const place = project(point);
    if (place) paintDot(context, place, ink, 5.5, inks);
  }
  context.restore();
}
