import { describe, expect, it } from 'vitest';
import { vertexAreasAndNormals } from '../color/vertex-areas.ts';
import { missingValue } from '../color/weighted-histogram.ts';
import { cubesMesh, sphereMesh } from '../testing/meshes.ts';
import { chooseMagnification, findWalls, findWhiskers, traceWalls, traceWhiskers } from './cut-marks.ts';
import { cutSurface, type PlaneRows } from './cut-surface.ts';
import type { PlacedCut, ViewBox } from './space-along-cut.ts';

const everywhere: ViewBox = { u: [-100, 100], v: [-100, 100] };
const level: PlaneRows = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -0.3];
/** Through the equator of the ball, where a ring of vertices lies, and through both poles. */
const throughVertices: PlaneRows = [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0];
/** Viewed along (0, −0.6, 0.8): u along x, v up the slope. */
const sloped: PlaneRows = [1, 0, 0, 0, 0, 0.8, 0.6, 0, 0, -0.6, 0.8, -0.3];

type Mesh = { positions: Float32Array; indices: Uint32Array };

const makeCut = (mesh: Mesh, rows: PlaneRows): PlacedCut => ({
  ...cutSurface(mesh, rows),
  positions: mesh.positions,
  normals: vertexAreasAndNormals(mesh).normals,
  rows,
  missing: missingValue,
});

const readValues = ({ positions }: Mesh, read: (x: number, y: number, z: number) => number) =>
  Float32Array.from({ length: positions.length / 3 }, (_, i) =>
    read(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]),
  );

/** A wall from −1 to 1 along x, made of cubes of 2 mm that continue along y and z. */
function plate(): Mesh {
  const cubes = Array.from({ length: 64 }, (_, i): [number, number, number] => [0, i % 8, i >> 3]);
  const mesh = cubesMesh(cubes);
  return { ...mesh, positions: mesh.positions.map((each, i) => 2 * each - (i % 3 === 0 ? 1 : 8)) };
}

describe('whiskers', () => {
  const radius = 5;
  const shift = 0.4;
  const ball = sphereMesh(radius, 160, 320);
  // The reference has the same radius and is shifted 0.4 mm to the left.
  const deviations = readValues(ball, (x, y, z) => Math.hypot(x + shift, y, z) - radius);

  it.each([
    ['across an axis', level],
    ['at a slope', sloped],
    ['through vertices', throughVertices],
  ])('of a shifted ball lead from the reference to the surface, %s', (_, rows) => {
    const whiskers = findWhiskers(makeCut(ball, rows), deviations, everywhere, 0.5);
    expect(whiskers.length).toBeGreaterThan(55);
    // Directions point away from the reference’s centre in the plane.
    const [centreU, centreV] = [-shift * rows[0] + rows[3], -shift * rows[4] + rows[7]];
    for (const { u, v, du, dv, value } of whiskers) {
      const away = [u - centreU, v - centreV];
      const distance = radius + value;
      expect(du).toBeCloseTo((value * away[0]) / distance, 3);
      expect(dv).toBeCloseTo((value * away[1]) / distance, 3);
    }
    const values = whiskers.map(({ value }) => value);
    expect(Math.max(...values)).toBeCloseTo(shift, 2);
    expect(Math.min(...values)).toBeCloseTo(-shift, 2);
  });

  it('follow the normals of the reference where those of the surface differ', () => {
    const whiskers = findWhiskers(makeCut(ball, level), deviations, everywhere, 0.5);
    const lean = whiskers
      .filter(({ value }) => Math.abs(value) > 0.05)
      .map(({ u, v, du, dv, value }) => {
        const turn = Math.atan2(dv * value, du * value) - Math.atan2(v, u);
        return Math.abs(Math.atan2(Math.sin(turn), Math.cos(turn)));
      });
    expect(Math.max(...lean)).toBeGreaterThan(0.06);
  });

  it('are evenly spaced along the line, and only where a value exists and is visible', () => {
    const cut = makeCut(ball, level);
    const all = findWhiskers(cut, deviations, everywhere, 0.5);
    const gaps = all.slice(1).map(({ u, v }, i) => Math.hypot(u - all[i].u, v - all[i].v));
    for (const gap of gaps) expect(gap).toBeCloseTo(0.5, 1);
    const half = readValues(ball, (x) => (x > 0.01 ? 0.1 : missingValue));
    const right = findWhiskers(cut, half, everywhere, 0.5);
    expect(right.length).toBeGreaterThan(28);
    expect(right.every(({ u }) => u > 0)).toBe(true);
    const seen = findWhiskers(cut, deviations, { u: [-100, 100], v: [0, 100] }, 0.5);
    expect(seen).toEqual(all.filter(({ v }) => v >= 0));
  });

  it('start at the reference, have the given magnification, and end at twice the limits', () => {
    const whisker = { u: 3, v: 1, du: 0.1, dv: 0, value: 0.1 };
    const points = (limit: number) => [...traceWhiskers([whisker], 20, [-limit, limit]).points];
    expect(points(0.1)).toEqual([2.9, 1, 2.9 + 2, 1].map((each) => expect.closeTo(each, 9)));
    expect(points(0.02)).toEqual([2.9, 1, 2.9 + 20 * 0.04, 1].map((each) => expect.closeTo(each, 9)));
  });

  it('have a round magnification that draws the limits at a twentieth of the height', () => {
    expect(chooseMagnification([-0.05, 0.05], 60)).toBe(50);
    expect(chooseMagnification([-0.01, 0.2], 60)).toBe(10);
    expect(chooseMagnification([-10, 10], 60)).toBe(1);
    expect(chooseMagnification([0, 0], 60)).toBe(1);
  });
});

describe('arrows across walls', () => {
  it.each([
    ['across an axis', level],
    ['at a slope', sloped],
  ])('of a plate lead from face to face, %s', (_, rows) => {
    const mesh = plate();
    const walls = findWalls(
      makeCut(mesh, rows),
      readValues(mesh, () => 2),
      everywhere,
      1.5,
    );
    const across = walls.filter(({ from }) => Math.abs(Math.abs(from[0]) - 1) < 1e-6);
    expect(across.length).toBeGreaterThan(8);
    for (const { from, to, value } of across) {
      expect([from[0] + to[0], from[1] - to[1], value]).toEqual(
        [0, 0, 2].map((each) => expect.closeTo(each, 6)),
      );
    }
    // Both faces are traversed, but a wall gets only one arrow.
    const middles = across.map(({ from }) => from[1]).sort((a, b) => a - b);
    expect(Math.min(...middles.slice(1).map((each, i) => each - middles[i]))).toBeGreaterThan(1);
  });

  it('are omitted where the thickness differs from the length in the cut, as in an oblique wall', () => {
    const mesh = plate();
    expect(
      findWalls(
        makeCut(mesh, level),
        readValues(mesh, () => 1.5),
        everywhere,
        1.5,
      ),
    ).toEqual([]);
    // A plane at 30° to the faces of the plate cuts twice its thickness.
    const [c, s] = [Math.cos(Math.PI / 6), Math.sin(Math.PI / 6)];
    const oblique: PlaneRows = [s, c, 0, 0, 0, 0, 1, 0, -c, s, 0, 0.1];
    expect(
      findWalls(
        makeCut(mesh, oblique),
        readValues(mesh, () => 2),
        { u: [-3, 3], v: [-3, 3] },
        1,
      ),
    ).toEqual([]);
  });

  it('have a head at both ends, at most a third of the length', () => {
    const { points, starts } = traceWalls([{ from: [0, 0], to: [3, 0], value: 3 }], 5);
    expect([...starts]).toEqual([0, 8]);
    const place = (i: number) => [points[2 * i], points[2 * i + 1]];
    expect([0, 1, 2, 5, 6, 7].map(place)).toEqual([
      [1, 0.5],
      [0, 0],
      [1, -0.5],
      [2, -0.5],
      [3, 0],
      [2, 0.5],
    ]);
  });
});
