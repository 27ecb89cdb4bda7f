import { ShapeUtils, Vector2 } from 'three';
import type { SurfaceCut } from '#kernels/grid/cut-surface.ts';

/** A closed line of a cut: u and v of its points, without repeating the first. */
type Loop = readonly Vector2[];

interface Placed {
  loop: Loop;
  area: number;
  low: Vector2;
  high: Vector2;
  holes: Loop[];
}

/**
 * Ends this close, of the line's extent, coincide: where the plane passes through vertices, as along a slice, the same
 * point is computed from different edges.
 */
const sameEnd = 1e-6;

/** The closed lines of a cut. Lines of an open surface end somewhere and enclose nothing. */
export function listLoops({ points, starts }: SurfaceCut): Loop[] {
  const loops: Loop[] = [];
  for (let line = 0; line + 1 < starts.length; line++) {
    const [first = 0, end = 0] = starts.subarray(line, line + 2);
    const loop = Array.from({ length: end - first }, (_, i) =>
      new Vector2().fromArray(points, 2 * (first + i)),
    );
    const last = loop.pop();
    const [begin] = loop;
    if (!last || !begin || loop.length < 3) continue;
    const extent = loop.reduce((most, point) => Math.max(most, point.distanceTo(begin)), 0);
    if (begin.distanceTo(last) <= sameEnd * extent) loops.push(loop);
  }
  return loops;
}

/** Whether a point is inside an odd number of loops. */
export const isWithin = (loops: readonly Loop[], place: Vector2): boolean =>
  loops.reduce((isInside, loop) => isInside !== isInLoop(loop, place), false);

/**
 * Triangulates the region inside an odd number of closed lines; returns u and v of the triangle corners. O(n log n +
 * l²) for n points in l lines.
 */
export function fillSection(loops: readonly Loop[]): number[] {
  const outlines: Placed[] = [];
  const placed: Placed[] = [];
  for (const each of loops.map(placeLoop).sort((one, other) => other.area - one.area)) {
    // Lines never cross: a line that contains one point of another contains all of it.
    const point = each.loop[0] ?? new Vector2();
    const around = placed.filter((other) => isInBox(other, point) && isInLoop(other.loop, point));
    placed.push(each);
    if (around.length % 2 === 0) outlines.push(each);
    else around.at(-1)?.holes.push(each.loop);
  }
  return outlines.flatMap(({ loop, holes }) => {
    const corners = [loop, ...holes].flat();
    return ShapeUtils.triangulateShape(
      [...loop],
      holes.map((hole) => [...hole]),
    ).flatMap((triangle) => triangle.flatMap((corner) => corners[corner]?.toArray() ?? []));
  });
}

function placeLoop(loop: Loop): Placed {
  const [low, high] = [new Vector2(Infinity, Infinity), new Vector2(-Infinity, -Infinity)];
  for (const point of loop) {
    low.min(point);
    high.max(point);
  }
  return { loop, area: Math.abs(ShapeUtils.area([...loop])), low, high, holes: [] };
}

const isInBox = ({ low, high }: Placed, { x, y }: Vector2): boolean =>
  x >= low.x && x <= high.x && y >= low.y && y <= high.y;

function isInLoop(loop: Loop, { x, y }: Vector2): boolean {
  let isInside = false;
  let before = loop.at(-1);
  for (const point of loop) {
    if (
      before &&
      point.y > y !== before.y > y &&
      x < before.x + ((point.x - before.x) * (y - before.y)) / (point.y - before.y)
    )
      isInside = !isInside;
    before = point;
  }
  return isInside;
}
