import { type PlaneView, planeToPane } from '../grid/plane-transform.ts';
import type { Pane } from './pane.ts';

export interface LinesLook {
  widthPx: number;
  opacity: number;
  /** sRGB bytes of the piece from a point to the next */
  inkAt(point: number): readonly [number, number, number];
}

/**
 * Draws lines of a plane into a pane, their edges smooth. Where pieces meet, the one that covers most of a pixel has it
 * alone: see-through lines have no knots.
 *
 * @param lines u and v of each point in mm, and the first point of each line, with the number of points at the end
 */
export function drawLines(
  pane: Pane,
  view: PlaneView,
  { points, starts }: { points: Float64Array; starts: Uint32Array },
  { widthPx, opacity, inkAt }: LinesLook,
): void {
  const cover = new Float32Array(pane.width * pane.height);
  const piece = new Uint32Array(cover.length);
  const reach = widthPx / 2 + 0.5;
  const drawPiece = (i: number) => {
    const [ax, ay] = planeToPane(view, points[2 * i], points[2 * i + 1]);
    const [bx, by] = planeToPane(view, points[2 * i + 2], points[2 * i + 3]);
    const [dx, dy] = [bx - ax, by - ay];
    const square = dx * dx + dy * dy;
    const first = (a: number, b: number) => Math.max(0, Math.floor(Math.min(a, b) - reach));
    const last = (a: number, b: number, size: number) =>
      Math.min(size - 1, Math.ceil(Math.max(a, b) + reach));
    for (let y = first(ay, by); y <= last(ay, by, pane.height); y++) {
      for (let x = first(ax, bx); x <= last(ax, bx, pane.width); x++) {
        const [px, py] = [x + 0.5 - ax, y + 0.5 - ay];
        const along = square > 0 ? Math.min(1, Math.max(0, (px * dx + py * dy) / square)) : 0;
        const share = Math.min(1, reach - Math.hypot(px - along * dx, py - along * dy));
        const at = y * pane.width + x;
        if (share <= cover[at]) continue;
        cover[at] = share;
        piece[at] = i;
      }
    }
  };
  for (let line = 0; line + 1 < starts.length; line++)
    for (let i = starts[line]; i + 1 < starts[line + 1]; i++) drawPiece(i);
  const { picture } = pane;
  for (let at = 0; at < cover.length; at++) {
    if (cover[at] === 0) continue;
    const ink = inkAt(piece[at]);
    const row = pane.y + Math.floor(at / pane.width);
    const sample = (row * picture.width + pane.x + (at % pane.width)) * picture.channels;
    const alpha = cover[at] * opacity;
    for (let k = 0; k < 3; k++)
      picture.samples[sample + k] += Math.round((ink[k] - picture.samples[sample + k]) * alpha);
  }
}
