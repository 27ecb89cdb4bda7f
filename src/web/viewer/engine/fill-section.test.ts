import { Vector2 } from 'three';
import { describe, expect, it } from 'vitest';
import { cutSurface } from '#kernels/grid/cut-surface.ts';
import { fillSection, isWithin, listLoops } from './fill-section.ts';

const circle = (radius: number, centre = 0, corners = 60) =>
  Array.from({ length: corners }, (_, i) => {
    const angle = (2 * Math.PI * i) / corners;
    return new Vector2(centre + radius * Math.cos(angle), radius * Math.sin(angle));
  });
const measureArea = (corners: number[]) => {
  let area = 0;
  for (let i = 0; i < corners.length; i += 6) {
    const [ax = NaN, ay = NaN, bx = NaN, by = NaN, cx = NaN, cy = NaN] = corners.slice(i, i + 6);
    area += Math.abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2;
  }
  return area;
};
/** A regular polygon with its corners on a circle. */
const polygon = (radius: number, corners = 60) =>
  (corners / 2) * radius ** 2 * Math.sin((2 * Math.PI) / corners);

describe('The fill of a section', () => {
  it('leaves holes open and fills islands inside them, in any order of the lines', () => {
    const loops = [circle(1), circle(5), circle(3), circle(1, 20), circle(0.2, 0, 12)];
    const expected = polygon(5) - polygon(3) + polygon(1) + polygon(1) - polygon(0.2, 12);
    for (const order of [loops, loops.toReversed()])
      expect(measureArea(fillSection(order))).toBeCloseTo(expected, 9);
    const within = [0.1, 0.5, 2, 4, 6, 20].map((x) => isWithin(loops, new Vector2(x, 0.001)));
    expect(within).toEqual([false, true, false, true, false, true]);
  });

  it('closes a line whose ends differ by rounding, and no line with a gap', () => {
    const cut = (gap: number) => ({
      points: Float64Array.of(0, 0, 4, 0, 4, 3, 0, 3, gap, 0),
      starts: Uint32Array.of(0, 5),
      edges: new Uint32Array(10),
      shares: new Float32Array(5),
    });
    expect(measureArea(fillSection(listLoops(cut(1e-9))))).toBeCloseTo(12, 6);
    expect(listLoops(cut(0.01))).toEqual([]);
  });

  it('is the face of a block that is cut, and empty for an open surface', () => {
    const corners = Float32Array.from(
      { length: 24 },
      (_, i) => ((Math.floor(i / 3) >> (i % 3)) & 1) * ((i % 3) + 1),
    );
    const faces = [
      0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7,
      5,
    ];
    const rows = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -1.3];
    const cut = (indices: number[]) => cutSurface({ positions: corners, indices }, rows);
    expect(measureArea(fillSection(listLoops(cut(faces))))).toBeCloseTo(2, 6);
    expect(fillSection(listLoops(cut(faces.slice(0, -6))))).toEqual([]);
  });
});
