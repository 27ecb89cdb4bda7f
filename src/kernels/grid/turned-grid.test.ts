import { describe, expect, it } from 'vitest';
import { type ObliquePlane, resamplePlane, samplePlane } from './oblique-plane.ts';
import { extentMm, gridMmToWorld, worldToGridMm } from './plane-transform.ts';
import { listCorners, makePlaneFrame, type PlaneOrientation, turnGrid } from './turned-grid.ts';
import { cross, dot } from './vectors.ts';
import { type Grid, identityDirections, type Vector3, type Volume } from './volume.ts';

const grid: Grid = {
  dimensions: [12, 9, 7],
  voxelSizeMm: [0.5, 0.4, 0.9],
  originMm: [-3, 10, 1],
  directions: identityDirections(),
};
const turned: Grid = { ...grid, directions: [0.8, 0.6, 0, -0.6, 0.8, 0, 0, 0, 1] };
const orientations: [string, PlaneOrientation][] = [
  ['across a corner', { normal: [1, -2, 0.7], up: [0, 0, 1] }],
  ['flat', { normal: [0, 0, 3], up: [0, 0, 0] }],
  ['its picture turned', { normal: [0, 1, 1], up: [1, 0, 0] }],
  ['no direction', { normal: [0, 0, 0], up: [0, 0, 0] }],
  ['up along the normal', { normal: [1, 1, 0], up: [2, 2, 0] }],
];

describe.each(orientations)('a grid turned onto a plane, %s', (_, orientation) => {
  it('has three orthogonal unit vectors, right-handed', () => {
    const { right, up, towards } = makePlaneFrame(orientation);
    for (const [k, value] of cross(right, up).entries()) expect(value).toBeCloseTo(towards[k] ?? 0, 12);
    expect(Math.hypot(...right)).toBeCloseTo(1, 12);
    expect(Math.hypot(...up)).toBeCloseTo(1, 12);
  });

  it.each([grid, turned])('encloses the whole other grid without extra voxels', (held) => {
    const around = turnGrid(held, orientation);
    const places = listCorners(held).map((corner) => worldToGridMm(around, corner));
    for (const axis of [0, 1, 2] as const) {
      const [from, to] = extentMm(around, axis);
      const own = places.map((place) => place[axis]);
      expect(Math.min(...own)).toBeCloseTo(from, 9);
      expect(Math.max(...own)).toBeLessThanOrEqual(to + 1e-6);
      expect(to - Math.max(...own)).toBeLessThan(around.voxelSizeMm[axis]);
    }
    const point: Vector3 = [0.3, 11, 2];
    const back = gridMmToWorld(around, worldToGridMm(around, point));
    for (const k of [0, 1, 2] as const) expect(back[k]).toBeCloseTo(point[k], 12);
    expect(worldToGridMm(around, point)[2] - worldToGridMm(around, [0, 0, 0])[2]).toBeCloseTo(
      dot(makePlaneFrame(orientation).towards, point),
      9,
    );
  });
});

/** Grey values that are linear in world coordinates, so that interpolated values are known everywhere. */
function ramp(at: Grid): Volume {
  const [nx, ny, nz] = at.dimensions;
  const data = new Float32Array(nx * ny * nz);
  for (let k = 0; k < nz; k++)
    for (let j = 0; j < ny; j++)
      for (let i = 0; i < nx; i++) data[(k * ny + j) * nx + i] = greyAt(centreAt(at, [i, j, k]));
  return { ...at, dataType: 'float32', data };
}
const centreAt = (at: Grid, cell: Vector3): Vector3 =>
  gridMmToWorld(
    at,
    cell.map((n, axis) => (at.originMm[axis] ?? 0) + n * (at.voxelSizeMm[axis] ?? 0)) as Vector3,
  );
const greyAt = ([x, y, z]: Vector3) => 100 + 7 * x - 3 * y + 11 * z;

describe.each([
  ['along the axes', grid],
  ['turned', turned],
])('a volume in memory, %s', (_, at) => {
  const plane: ObliquePlane = {
    originMm: centreAt(at, [-2, 1, 1]),
    uMm: [0.21, 0.13, 0.08],
    vMm: [-0.1, 0.17, 0.11],
    width: 40,
    height: 33,
  };

  it('has the values of the world on an oblique plane, and none outside', async () => {
    const volume = ramp(at);
    const values = resamplePlane(volume, plane);
    let inside = 0;
    for (const [pixel, value] of values.entries()) {
      const [x, y] = [pixel % plane.width, Math.floor(pixel / plane.width)];
      const point = plane.originMm.map(
        (mm, k) => mm + x * (plane.uMm[k] ?? 0) + y * (plane.vMm[k] ?? 0),
      ) as Vector3;
      const cell = worldToGridMm(at, point).map(
        (mm, axis) => (mm - (at.originMm[axis] ?? 0)) / (at.voxelSizeMm[axis] ?? 1),
      );
      const isWithin = (by: number) =>
        cell.every((place, axis) => place > -by && place < (at.dimensions[axis] ?? 0) - 1 + by);
      if (isWithin(-1e-6)) {
        expect(value).toBeCloseTo(greyAt(point), 3);
        inside++;
      }
      if (!isWithin(0.5 + 1e-6)) expect(value).toBeNaN();
    }
    expect(inside).toBeGreaterThan(50);
    const chunk = at.dimensions;
    const loadChunk = async () => volume.data;
    expect(values).toEqual(await samplePlane({ grid: at, chunk, loadChunk }, plane));
  });

  it.each([1, -1])('has the same values from chunks, also where a voxel is no number', async (way) => {
    const volume = ramp(at);
    volume.data[volume.data.length >> 1] = Number.NaN;
    const [nx, ny] = at.dimensions;
    const chunk: Vector3 = [5, 4, 3];
    const loadChunk = async (number: Vector3) =>
      Float32Array.from({ length: 5 * 4 * 3 }, (_, n) => {
        const cell = [n % 5, Math.floor(n / 5) % 4, Math.floor(n / 20)].map(
          (place, k) => place + (number[k] ?? 0) * (chunk[k] ?? 0),
        ) as Vector3;
        const isThere = cell.every((place, k) => place < (at.dimensions[k] ?? 0));
        return isThere ? (volume.data[(cell[2] * ny + cell[1]) * nx + cell[0]] ?? 0) : Infinity;
      });
    const orientations: Pick<ObliquePlane, 'uMm' | 'vMm'>[] = [
      plane,
      { uMm: [way * 0.1, 0, 0], vMm: [0, 0.1, 0] },
      { uMm: [0, 0.1, 0], vMm: [0, 0, way * 0.2] },
      { uMm: [way * 0.05, way * -0.2, 0.3], vMm: [0, way * 0.3, 0.02] },
    ];
    for (const orientation of orientations) {
      const middle = centreAt(at, [6, 4, 3]);
      const originMm = middle.map(
        (mm, k) => mm - 20 * (orientation.uMm[k] ?? 0) - 16 * (orientation.vMm[k] ?? 0),
      ) as Vector3;
      const turned = { ...plane, ...orientation, originMm };
      const values = await samplePlane({ grid: at, chunk, loadChunk }, turned);
      expect(values).toEqual(resamplePlane(volume, turned));
      expect(values.filter((value) => !Number.isNaN(value)).length).toBeGreaterThan(50);
    }
  });
});
