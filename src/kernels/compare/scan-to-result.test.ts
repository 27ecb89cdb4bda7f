import { beforeAll, describe, expect, it } from 'vitest';
import { alignPoints } from '../alignment/align.ts';
import { makePose, movedPoints, multiplyPoses } from '../alignment/pose.ts';
import { surfacePoints } from '../alignment/surface-points.ts';
import type { KernelPool } from '../arena.ts';
import type { Vector3 } from '../grid/volume.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import { inlinePool } from '../pool.ts';
import { movedBody, steppedWedge, turnedBody } from '../testing/bodies.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { measureBody } from '../testing/measure-body.ts';
import { cubesMesh } from '../testing/meshes.ts';
import { findReference } from '../testing/moved-scans.ts';
import { renderBody } from '../testing/render-body.ts';
import { measureDeviation } from './compare-meshes.ts';
import { deviationStatistics, vertexAreas } from './deviation-statistics.ts';
import { facingRounds, makeProbe } from './probe.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

/** The CAD of a wedge with steps of 10, 20 and 40 mm; voxels of 1 mm. */
function cadOfWedge(): TriangleMesh {
  const cubes: Vector3[] = [];
  for (const [i, height] of [1, 2, 4].entries()) for (let k = 0; k < height; k++) cubes.push([i, 0, k]);
  const { positions, indices } = cubesMesh(cubes);
  const [size, shift] = [
    [16, 25, 10],
    [-24, -12.5, -20],
  ];
  return { positions: positions.map((value, i) => value * size[i % 3] + shift[i % 3]), indices };
}

describe('from a noisy scan of a turned part to its deviation', () => {
  it('aligns to a hundredth of a voxel and deviates no more than the surface', async () => {
    const cad = cadOfWedge();
    const angles: Vector3 = [20, 35, 50];
    const shift: Vector3 = [0.3, -0.45, 0.2];
    const body = movedBody(turnedBody(steppedWedge([10, 20, 40], 16, 25), angles), shift);
    const volume = renderBody(body, { dimensions: [72, 72, 72], voxelSizeMm: [1, 1, 1], noise: 1600 });
    const { mesh } = await measureBody(volume, pool, { smoothing: 0 });
    const reference = await findReference(cad);
    const found = await alignPoints(surfacePoints(mesh, 20_000), reference);
    const turns = angles.map((angle, k) =>
      makePose([0, 1, 2].map((axis) => (axis === k ? (angle * Math.PI) / 180 : 0)) as Vector3, [0, 0, 0]),
    );
    const truth = [makePose([0, 0, 0], shift), turns[2], turns[1], turns[0]].reduce(multiplyPoses);
    const there = movedPoints(multiplyPoses(found.matrix, truth), cad.positions);
    const squares = there.reduce((sum, value, i) => sum + (value - cad.positions[i]) ** 2, 0);
    const targetError = Math.sqrt(squares / (there.length / 3));
    const { deviationMm } = await measureDeviation(makeProbe(mesh, facingRounds), reference.tree, {
      pose: found.matrix,
      maxDistanceMm: 2,
    });
    const statistics = deviationStatistics(deviationMm, vertexAreas(mesh), { lowerMm: -0.2, upperMm: 0.2 });
    console.info(
      `wedge: target error ${targetError.toFixed(4)}, rms ${found.rmsMm.toFixed(4)}, mean deviation ` +
        `${statistics?.meanMm.toFixed(4)} voxel, ambiguous ${found.ambiguous}, scale ${found.scale.toFixed(5)}`,
    );
    expect(found.ambiguous).toBe(false);
    expect(targetError).toBeLessThan(0.01);
    expect(Math.abs(statistics?.meanMm ?? Number.NaN)).toBeLessThan(0.05);
    expect(Math.abs(statistics?.percentilesMm.p50 ?? Number.NaN)).toBeLessThan(0.05);
    expect(statistics?.inToleranceShare).toBeGreaterThan(0.9);
  });
});
