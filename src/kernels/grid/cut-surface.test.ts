import { describe, expect, it } from 'vitest';
import { sphereMesh, torusMesh } from '../testing/meshes.ts';
import { cutSurface, type SurfaceCut, valuesAlongCut } from './cut-surface.ts';

/** Viewed along z at the given height. */
const across = (z: number) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -z];

const lines = ({ points, starts }: SurfaceCut) =>
  [...starts.subarray(1)].map((end, i) =>
    Array.from({ length: end - starts[i] }, (_, k) => {
      const at = 2 * (starts[i] + k);
      return [points[at], points[at + 1]] as const;
    }),
  );
const isClosed = (line: (readonly [number, number])[]) => {
  const [[u, v], [endU, endV]] = [line[0], line[line.length - 1]];
  return Math.hypot(u - endU, v - endV) < 1e-6;
};
const measureArea = (line: (readonly [number, number])[]) =>
  Math.abs(line.slice(1).reduce((sum, [u, v], i) => sum + (line[i][0] * v - u * line[i][1]) / 2, 0));

describe('the cut of a surface by a plane', () => {
  const sphere = sphereMesh(10, 180, 360);

  it.each([0, 0.03, -3.7, 7.5])('of a sphere at z = %s is a circle', (z) => {
    const found = lines(cutSurface(sphere, across(z)));
    expect(found).toHaveLength(1);
    expect(isClosed(found[0])).toBe(true);
    const radius = Math.sqrt(100 - z * z);
    for (const [u, v] of found[0]) expect(Math.hypot(u, v)).toBeCloseTo(radius, 2);
    expect(measureArea(found[0]) / (Math.PI * radius ** 2)).toBeCloseTo(1, 3);
  });

  it('is empty beside the surface', () => {
    expect(lines(cutSurface(sphere, across(11)))).toEqual([]);
    expect(lines(cutSurface(sphere, across(-11)))).toEqual([]);
  });

  it('is two rings for a torus that lies in the plane, two discs for one that stands on it', () => {
    const torus = torusMesh(10, 3, 200, 90);
    const rings = lines(cutSurface(torus, across(0.4)));
    const reach = Math.sqrt(9 - 0.16);
    const radii = rings.map((ring) => Math.hypot(...ring[0])).sort((a, b) => a - b);
    expect(radii).toHaveLength(2);
    expect(radii[0]).toBeCloseTo(10 - reach, 1);
    expect(radii[1]).toBeCloseTo(10 + reach, 1);
    const upright = cutSurface(torus, [1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, -0.1]);
    expect(lines(upright).map(isClosed)).toEqual([true, true]);
  });

  it('is complete when triangles share no vertices', () => {
    const positions = new Float32Array(3 * sphere.indices.length);
    for (const [corner, vertex] of sphere.indices.entries())
      positions.set(sphere.positions.subarray(3 * vertex, 3 * vertex + 3), 3 * corner);
    const soup = { positions, indices: Uint32Array.from({ length: sphere.indices.length }, (_, i) => i) };
    const found = lines(cutSurface(soup, across(2.2)));
    expect(found).toHaveLength(1);
    expect(isClosed(found[0])).toBe(true);
  });

  it('goes around once when the plane contains vertices, edges and faces', () => {
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((c) => [c & 1, (c >> 1) & 1, c >> 2]);
    const faces = [0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6];
    const cube = { positions: corners, indices: [...faces, 1, 3, 5, 3, 7, 5] };
    for (const z of [0.5, 1]) {
      const found = lines(cutSurface(cube, across(z)));
      expect(found.map(measureArea)).toEqual([1]);
      expect(found.map(isClosed)).toEqual([true]);
    }
    expect(lines(cutSurface(cube, across(0)))).toEqual([]);
  });

  it('is open where the surface has a boundary', () => {
    const square = { positions: [0, 0, -1, 4, 0, -1, 4, 0, 1, 0, 0, 1], indices: [0, 1, 2, 0, 2, 3] };
    const [line] = lines(cutSurface(square, across(0.25)));
    expect(line).toHaveLength(3);
    expect(isClosed(line)).toBe(false);
  });

  it('has the values of the surface, and none where a corner has none', () => {
    const cut = cutSurface(sphere, across(3));
    const slope = Float32Array.from(
      { length: sphere.positions.length / 3 },
      (_, i) => sphere.positions[3 * i],
    );
    const values = valuesAlongCut(cut, slope, -1e30);
    for (const [i, value] of values.entries()) expect(value).toBeCloseTo(cut.points[2 * i], 4);
    slope.fill(-1e30);
    expect(new Set(valuesAlongCut(cut, slope, -1e30))).toEqual(new Set([Math.fround(-1e30)]));
  });

  it('transforms a surface from its own frame to that of the plane', () => {
    // A quarter turn about z and a translation.
    const rows = [0, -1, 0, 5, 1, 0, 0, -2, 0, 0, 1, 0];
    const [line] = lines(cutSurface(sphere, rows));
    for (const [u, v] of line) expect(Math.hypot(u - 5, v + 2)).toBeCloseTo(10, 2);
  });
});
