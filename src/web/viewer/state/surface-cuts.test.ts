import { BufferAttribute, BufferGeometry } from 'three';
import { MeshBVH } from 'three-mesh-bvh';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { KernelPool } from '#kernels/arena.ts';
import { measureBounds } from '#kernels/color/vertex-areas.ts';
import { cutSurface } from '#kernels/grid/cut-surface.ts';
import { type PlaneName, planeAxes, planeNames, worldToGridMm } from '#kernels/grid/plane-transform.ts';
import { listMarks } from '#kernels/grid/slice-marks.ts';
import { identityDirections, type Vector3 } from '#kernels/grid/volume.ts';
import { inlinePool } from '#kernels/pool.ts';
import { type Body, hollowCylinder, torus } from '#kernels/testing/bodies.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { measureBody } from '#kernels/testing/measure-body.ts';
import { sphereMesh } from '#kernels/testing/meshes.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import type { VolumeDescription } from '../data/slice-source.ts';
import { SurfaceCutter } from '../data/surface-cutter.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import { ViewerModel } from './viewer-model.ts';

vi.stubGlobal('requestAnimationFrame', () => 1);
vi.stubGlobal('cancelAnimationFrame', () => undefined);

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

/** A surface as returned by the worker. */
function surfaceOf({ positions, indices }: { positions: Float32Array; indices: Uint32Array }): SurfaceData {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setIndex(new BufferAttribute(indices, 1));
  const bvh = MeshBVH.serialize(new MeshBVH(geometry), { cloneBuffers: false });
  return {
    positions: positions as Float32Array<ArrayBuffer>,
    normals: new Float32Array(positions.length),
    indices: indices as Uint32Array<ArrayBuffer>,
    scalars: {},
    texture: null,
    vertexAreasMm2: new Float32Array(positions.length / 3),
    areaMm2: 1,
    bounds: measureBounds(positions),
    bvhRoots: bvh.roots as ArrayBuffer[],
  };
}

const openModel = (grid: Omit<VolumeDescription, 'id' | 'range'>) => {
  const model = new ViewerModel(null, () => undefined);
  model.setVolume({ ...grid, id: '0190c3de-0000-7000-8000-000000000001', range: [0, 1] }, null, null);
  return model;
};

/** Points of a contour in grid mm. */
function listContour(model: ViewerModel, layer: 'surface' | 'reference', name: PlaneName): Vector3[] {
  const { u, v, normal } = planeAxes[name];
  const cut = model.cuts.get(layer, name);
  return [...(cut?.shares ?? [])].map((_, i) => {
    const point: Vector3 = [0, 0, 0];
    point[u] = cut?.points[2 * i] ?? Number.NaN;
    point[v] = cut?.points[2 * i + 1] ?? Number.NaN;
    point[normal] = model.slice(name)?.positionMm ?? Number.NaN;
    return point;
  });
}

describe('The contour on a slice', () => {
  it.each<[string, Body, readonly PlaneName[]]>([
    ['a ring', torus(3, 1.2), planeNames],
    // Only across its axis: its own edges are sharper than a voxel.
    ['a tube', hollowCylinder(4.1, 2.3, 12), ['xy']],
  ])('is within a tenth of a voxel of the body, for the determined surface of %s', async (_, body, names) => {
    const voxelMm = 0.15;
    const volume = renderBody(body, {
      dimensions: [64, 64, 40],
      voxelSizeMm: [voxelMm, voxelMm, voxelMm],
      noise: 600,
    });
    const { mesh } = await measureBody(volume, pool, {});
    const model = openModel(volume);
    model.surfaceData.set(surfaceOf(mesh));
    for (const name of names) {
      for (const off of [0, 3, -5]) {
        model.setSliceIndex(name, 20 + off);
        const points = listContour(model, 'surface', name);
        expect(points.length).toBeGreaterThan(50);
        const distances = points.map(([x, y, z]) => Math.abs(body.distanceMm(x, y, z))).sort((a, b) => a - b);
        expect(distances[Math.floor(0.99 * distances.length)]).toBeLessThan(0.1 * voxelMm);
      }
    }
    model.dispose();
  });

  it('matches the part in a rotated grid', () => {
    const [c, s] = [Math.cos(0.4), Math.sin(0.4)];
    const grid = {
      dimensions: [90, 90, 90] as Vector3,
      voxelSizeMm: [0.1, 0.1, 0.1] as Vector3,
      originMm: [10, -3, 7] as Vector3,
      directions: [c, s, 0, -s, c, 0, 0, 0, 1] as VolumeDescription['directions'],
      dataType: 'uint16' as const,
    };
    const model = openModel(grid);
    const centre = model.cursorWorld();
    const { positions, indices } = sphereMesh(2, 60, 120);
    model.surfaceData.set(
      surfaceOf({ positions: positions.map((each, i) => each + (centre[i % 3] ?? Number.NaN)), indices }),
    );
    const middle = worldToGridMm(grid, centre);
    for (const name of planeNames)
      for (const point of listContour(model, 'surface', name))
        expect(Math.hypot(...point.map((each, k) => each - (middle[k] ?? Number.NaN)))).toBeCloseTo(2, 2);
    model.dispose();
  });

  it('of a reference is drawn at the pose of the reference', () => {
    const model = openModel({
      dimensions: [90, 90, 90],
      voxelSizeMm: [0.1, 0.1, 0.1],
      originMm: [0, 0, 0],
      directions: identityDirections(),
      dataType: 'uint16',
    });
    // The scan's (4.5, 4.5, 4.5) is the reference's origin, rotated by a quarter turn about z.
    const matrix = [0, -1, 0, 4.5, 1, 0, 0, -4.5, 0, 0, 1, -4.5, 0, 0, 0, 1];
    model.reference = { id: 'cad', title: 'CAD', matrix, load: () => Promise.reject() };
    const { positions, indices } = sphereMesh(2, 60, 120);
    positions.forEach((each, i) => {
      if (i % 3 === 0) positions[i] = each + 1;
    });
    model.referenceData.set(surfaceOf({ positions, indices }));
    const points = listContour(model, 'reference', 'xy');
    expect(points.length).toBeGreaterThan(50);
    for (const [x, y] of points) expect(Math.hypot(x - 4.5, y - 3.5)).toBeCloseTo(2, 2);
    model.dispose();
  });

  it('has whiskers in an oblique plane, as long as the deviation in that plane', () => {
    const model = openModel({
      dimensions: [90, 90, 90],
      voxelSizeMm: [0.1, 0.1, 0.1],
      originMm: [-4.5, -4.5, -4.5],
      directions: identityDirections(),
      dataType: 'uint16',
    });
    const ball = sphereMesh(2, 80, 160);
    const deviationMm = new Float32Array(ball.positions.length / 3).fill(0.05);
    model.surfaceData.set({
      ...surfaceOf(ball),
      normals: ball.positions.map((each) => each / 2),
      scalars: { deviationMm },
    });
    model.store.update({ oblique: { normal: [0.48, 0.6, 0.64], up: [0, -0.8, 0.6] }, cursorMm: [0, 0, 0] });
    const cut = model.cuts.getPlaced('oblique');
    const view = model.planeView('oblique', 400, 400);
    const look = { kind: 'whiskers', range: [-0.1, 0.1], magnification: 10 } as const;
    const { lines, values } = listMarks(cut ?? expect.fail('no cut'), deviationMm, view, look, 0.02);
    expect(values.length).toBeGreaterThan(60);
    const centre = model.cursorIn('oblique');
    values.forEach((_, line) => {
      const [fromU = NaN, fromV = NaN, toU = NaN, toV = NaN] = lines.points.slice(4 * line, 4 * line + 4);
      const [u, v] = [centre[planeAxes.oblique.u], centre[planeAxes.oblique.v]];
      expect(Math.hypot(fromU - u, fromV - v)).toBeCloseTo(1.95, 2);
      expect(Math.hypot(toU - u, toV - v)).toBeCloseTo(1.95 + 0.5, 2);
    });
    model.dispose();
  });

  it('is the same whether triangles are found by the search tree or by testing all', () => {
    const surface = surfaceOf(sphereMesh(5, 40, 80));
    const rows = [0.6, 0.8, 0, 1, 0, 0, 1, 2, 0.8, -0.6, 0, 0.7];
    const [some, all] = [new SurfaceCutter(surface).cut(rows), cutSurface(surface, rows)];
    expect(some.points.length).toBeGreaterThan(100);
    expect([...some.points].sort()).toEqual([...all.points].sort());
  });
});
