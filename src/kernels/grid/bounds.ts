import type { Bounds, Point } from './camera.ts';

/** Bounding box of points; null without points. */
export function findBounds(points: readonly Point[]): Bounds | null {
  if (points.length === 0) return null;
  const over = (pick: (...values: number[]) => number): Point => {
    const along = (k: 0 | 1 | 2) => pick(...points.map((point) => point[k]));
    return [along(0), along(1), along(2)];
  };
  return { min: over(Math.min), max: over(Math.max) };
}

/** Bounding box of boxes; ±1 around zero without boxes. */
export const joinBounds = (boxes: readonly Bounds[]): Bounds =>
  findBounds(boxes.flatMap(({ min, max }) => [min, max])) ?? { min: [-1, -1, -1], max: [1, 1, 1] };
