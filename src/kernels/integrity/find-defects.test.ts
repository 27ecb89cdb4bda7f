import { expect, it } from 'vitest';
import { Arena } from '../arena.ts';
import { wholeGrid } from '../grid/region.ts';
import { makeSlabs, mapVector, type Vector3 } from '../grid/volume.ts';
import { measureMesh } from '../mesh/measure.ts';
import { inlinePool } from '../pool.ts';
import { hollowCylinder, movedBody, scatterPores, sphere, turnedBody } from '../testing/bodies.ts';
import { blockWith, poreBodies } from '../testing/carve.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { MeasuredArena } from '../testing/measured-arena.ts';
import { countBytes, makeBitGrid } from './bit-grid.ts';
import { findDefects } from './find-defects.ts';
import { joinDefects } from './join-defects.ts';
import { findBallMargin } from './open-voids.ts';

const shells = {
  levels: { air: 8000, material: 40000 },
  field: null,
  blur: 0.6,
  axis: { at: [0, 0] as const, scatter: 0 },
  levelSpread: 0.02,
  levelError: 0,
  paleShare: 0,
  rimShare: 0,
  inward: 0,
  denserFrom: null,
  noise: null,
};

it('defects are identical for any slab size and number of threads, and take four bits a cell', async () => {
  const kernels = await kernelModule();
  const holes = [
    ...poreBodies(scatterPores([36, 36, 16], 8, [1.5, 3], 3)),
    movedBody(sphere(4), [0, 0, 20]),
    movedBody(turnedBody(hollowCylinder(7, 0, 0.8), [30, 20, 0]), [0, 0, -14]),
  ];
  const volume = blockWith(holes, { dimensions: [50, 50, 52], blockMm: [42, 42, 46], noise: 1600 });
  const source = makeSlabs(volume);
  const run = async (arena: Arena, slabPlanes: number, cracks = true) => {
    const { voids } = await findDefects(source, arena, {
      cells: wholeGrid(source.grid),
      levels: { air: 8000, material: 40000, level: 24000, uncertainty: 800 },
      minVoxels: 3,
      limitVoxels: 3,
      openingRadiusMm: 5,
      cracks: cracks ? { noise: 1600, range: [0, 50000] } : null,
      shells: { ...shells, source },
      maxTriangles: 100_000,
      slabPlanes,
    });
    return { defects: voids.defects, grey: voids.measures.grey };
  };
  const lanes = (count: number) => new Arena(inlinePool(kernels, count));
  const whole = await run(lanes(1), 100);
  expect(new Set(whole.defects.map(({ kind }) => kind))).toEqual(new Set(['porosity', 'crack']));
  expect(whole.defects.some(({ surfaceConnected }) => surfaceConnected)).toBe(true);
  expect(await run(lanes(2), 5)).toEqual(whole);
  expect(await run(lanes(3), 12)).toEqual(whole);
  const arena = new MeasuredArena(inlinePool(kernels));
  const bitsBytes = countBytes(makeBitGrid(lanes(1), [50, 50, 52], findBallMargin(4 * 5, [1, 1, 1])));
  const most = await arena.measurePeak(() => run(arena, 100, false), bitsBytes);
  expect(most / bitsBytes, 'bits a cell').toBe(4);
});

it('a body of equal volume stands in for a defect without a surface', () => {
  const { grid } = makeSlabs(blockWith([], { dimensions: [8, 8, 8], blockMm: [4, 4, 4], noise: 0 }));
  const triangles = {
    triangles: [
      {
        positions: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0),
        edges: Float64Array.of(1, 2, 3),
        owners: Uint32Array.of(0),
      },
    ],
    findNumber: () => ({ id: 1, volumeMm3: 5 }),
  };
  const body = (id: number, centerMm: Vector3, edges: Vector3) => ({
    ...{ id, volumeMm3: 0.4 * edges[0] * edges[1] * edges[2], centerMm },
    boundsMm: {
      min: mapVector(centerMm, (at, k) => at - edges[k] / 2),
      max: mapVector(centerMm, (at, k) => at + edges[k] / 2),
    },
  });
  const small = [body(2, [5, -3, 2], [1, 2, 0.5]), body(3, [-4, 1, 0], [0.2, 0.2, 0.2])];
  const mesh = joinDefects([triangles], grid, wholeGrid(grid), [body(1, [0, 0, 0], [1, 1, 1]), ...small]);
  if (!mesh?.scalars) throw new Error('nothing is drawn');
  const { defectId, volumeMm3, standIn } = mesh.scalars;
  expect([...defectId]).toEqual([1, 1, 1, ...Array(6).fill(2), ...Array(6).fill(3)]);
  expect([...standIn]).toEqual([0, 0, 0, ...Array(12).fill(1)]);
  for (const [i, { id, volumeMm3: volume, centerMm }] of small.entries()) {
    const indices = mesh.indices.filter((vertex) => defectId[vertex] === id);
    expect(indices).toHaveLength(24);
    expect(volumeMm3[3 + 6 * i]).toBeCloseTo(volume, 6);
    const measured = measureMesh(mesh.positions, indices);
    // Closed, and oriented like the surfaces of voids.
    expect(measured.volumeMm3).toBeCloseTo(-volume, 5);
    const corners = mesh.positions.subarray(3 * (3 + 6 * i), 3 * (9 + 6 * i));
    for (const k of [0, 1, 2])
      expect(corners.filter((_, at) => at % 3 === k).reduce((sum, each) => sum + each, 0) / 6).toBeCloseTo(
        centerMm[k],
        5,
      );
  }
  // When every defect has a surface, nothing changes: there is no mark for stand-ins.
  expect(joinDefects([triangles], grid, wholeGrid(grid), [])?.scalars).not.toHaveProperty('standIn');
  expect(joinDefects([], grid, wholeGrid(grid), [])).toBeNull();
});

it('when not all defects get a surface, those of equal size are chosen from everywhere', async () => {
  const places = [-2, -1, 0, 1, 2].map((k) => 9 * k);
  const holes = places.flatMap((x) =>
    places.flatMap((y) => places.map((z) => movedBody(sphere(2), [x, y, z]))),
  );
  // An odd number of voxels along each edge, so that every pore has the same position on the grid.
  const volume = blockWith(holes, { dimensions: [55, 55, 55], blockMm: [47, 47, 47], noise: 0 });
  const source = makeSlabs(volume);
  const { voids } = await findDefects(source, new Arena(inlinePool(await kernelModule())), {
    cells: wholeGrid(source.grid),
    levels: { air: 8000, material: 40000, level: 24000, uncertainty: 800 },
    minVoxels: 3,
    limitVoxels: 3,
    openingRadiusMm: null,
    shells: { ...shells, source },
    maxTriangles: 5000,
  });
  expect(voids.defects).toHaveLength(125);
  expect(new Set(voids.defects.map(({ voxels }) => voxels)).size).toBe(1);
  const drawn = [...new Set(voids.triangles.flatMap(({ owners }) => [...owners]))];
  expect(drawn.length).toBeGreaterThan(30);
  expect(drawn.length).toBeLessThan(75);
  for (const axis of [0, 1, 2]) {
    const middle = (source.grid.originMm[axis] ?? 0) + 27 * source.grid.voxelSizeMm[axis];
    const findSide = (owner: number) =>
      Math.sign(Math.round((voids.defects[owner].centerMm[axis] - middle) / 9));
    const share = (side: number) => drawn.filter((owner) => findSide(owner) === side).length / drawn.length;
    // Two of the five layers lie on either side of the middle one.
    for (const side of [-1, 1]) expect(Math.abs(share(side) - 0.4)).toBeLessThan(0.1);
  }
});
