/** Draws the lines of a scene over a picture, one pixel wide, as on a graphics card. */
import { type Camera, distanceMm, frame, projectPoint } from '../grid/camera.ts';
import { listCorners } from '../grid/turned-grid.ts';
import { dot, minus } from '../grid/vectors.ts';
import type { Grid, Vector3 } from '../grid/volume.ts';
import { boxEdges, boxInk, cursorInks, cursorOpacity, listCursorLines } from '../overlay/scene-marks.ts';
import type { Pane } from './pane.ts';

interface Ink {
  rgb: readonly [number, number, number];
  opacity: number;
  /** omitted where something is nearer */
  isHidden: boolean;
}

/**
 * Draws the scanned box and the lines through the cursor.
 *
 * @param nearest depth of the drawn scene at each pixel, mm before the eye
 */
export function drawMarks(
  pane: Pane,
  nearest: Float32Array,
  camera: Camera,
  grid: Grid,
  cursorGridMm: Vector3,
): void {
  const corners = listCorners(grid);
  const draw = (from: Vector3, to: Vector3, ink: Ink) => drawLine(pane, nearest, camera, [from, to], ink);
  for (let i = 0; i < boxEdges.length; i += 2)
    draw(corners[boxEdges[i]], corners[boxEdges[i + 1]], { ...boxInk, isHidden: true });
  for (const [axis, [from, to]] of listCursorLines(grid, cursorGridMm).entries()) {
    draw(from, to, { rgb: cursorInks[axis], opacity: cursorOpacity.seen, isHidden: true });
    draw(from, to, { rgb: cursorInks[axis], opacity: cursorOpacity.everywhere, isHidden: false });
  }
}

function drawLine(
  { picture, x: left, y: top, width, height }: Pane,
  nearest: Float32Array,
  camera: Camera,
  ends: readonly [Vector3, Vector3],
  { rgb, opacity, isHidden }: Ink,
): void {
  const { towards } = frame(camera);
  const away = distanceMm(camera.heightMm);
  const [a, b] = ends.map((end) => projectPoint(camera, end, width, height));
  if (!a || !b) return;
  const [za, zb] = ends.map((end) => away - dot(towards, minus(end, camera.target)));
  const isPerspective = camera.projection === 'perspective';
  const steps = Math.max(1, Math.ceil(Math.max(Math.abs(b[0] - a[0]), Math.abs(b[1] - a[1]))));
  for (let i = 0; i < steps; i++) {
    const share = (i + 0.5) / steps;
    const x = Math.floor(a[0] + (b[0] - a[0]) * share);
    const y = Math.floor(a[1] + (b[1] - a[1]) * share);
    if (x < 0 || y < 0 || x >= width || y >= height) continue;
    const depth = isPerspective ? 1 / ((1 - share) / za + share / zb) : za + (zb - za) * share;
    if (isHidden && depth > nearest[y * width + x]) continue;
    const at = ((top + y) * picture.width + left + x) * picture.channels;
    for (let k = 0; k < 3; k++)
      picture.samples[at + k] = Math.round(picture.samples[at + k] * (1 - opacity) + 255 * rgb[k] * opacity);
  }
}
