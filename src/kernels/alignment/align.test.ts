import { beforeAll, describe, expect, it } from 'vitest';
import type { Vector3 } from '../grid/volume.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import { seededRandom } from '../random.ts';
import { cubesMesh, joined, refined, sphereMesh } from '../testing/meshes.ts';
import {
  anyPose,
  bracket,
  type Disturbance,
  disturbedScan,
  findReference,
  stretched,
  targetRms,
} from '../testing/moved-scans.ts';
import { alignPoints } from './align.ts';
import { identityPose, type Matrix16, makePose, multiplyPoses } from './pose.ts';
import { surfacePoints } from './surface-points.ts';

const seed = Number(process.env['SCANWRIGHT_SEED']);
console.info(`alignment: SCANWRIGHT_SEED=${seed}`);

const renderScan = (mesh: TriangleMesh, toReference: Matrix16, disturbance: Disturbance = {}) =>
  disturbedScan(mesh, toReference, { seed, ...disturbance });

let reference: Awaited<ReturnType<typeof findReference>>;
beforeAll(async () => {
  reference = await findReference(bracket);
});

describe('alignment', () => {
  it('finds a known rotation and translation to a hundredth of a voxel, with outliers and noise', async () => {
    const random = seededRandom(seed);
    for (let round = 0; round < 2; round++) {
      const truth = anyPose(random);
      const scan = renderScan(bracket, truth, { noiseMm: 0.1, outliers: 0.02, count: 20_000, round });
      const found = await alignPoints(scan, reference);
      const message = `seed ${seed}, round ${round}`;
      const error = targetRms(bracket, truth, found.matrix);
      console.info(`alignment: target error ${error.toFixed(4)} voxel`);
      expect(error, message).toBeLessThan(0.01);
      expect(found.ambiguous, message).toBe(false);
      expect(found.rmsMm, message).toBeGreaterThan(0.08);
      expect(found.rmsMm, message).toBeLessThan(0.11);
      expect(found.inlierShare, message).toBeGreaterThan(0.94);
      expect(Math.abs(found.scale - 1), message).toBeLessThan(0.001);
    }
  });

  it('gives the same result for the same input', async () => {
    const scan = renderScan(bracket, anyPose(seededRandom(seed)), { noiseMm: 0.2, count: 1000 });
    expect(await alignPoints(scan, reference)).toEqual(await alignPoints(scan, reference));
  });

  it('refuses a mirrored part', async () => {
    const scan = renderScan(bracket, anyPose(seededRandom(seed)), {
      mirrored: true,
      noiseMm: 0.2,
      outliers: 0.02,
    });
    await expect(alignPoints(scan, reference)).rejects.toThrow('mirrored');
  });

  it('refuses a part that is mirrored in a small feature only', async () => {
    // A block with an off-centre knob, which is 5 % of the surface.
    const block = (knob: Vector3) =>
      stretched(
        cubesMesh([
          ...Array.from(
            { length: 60 },
            (_, i): Vector3 => [i % 5, Math.floor(i / 5) % 4, Math.floor(i / 20)],
          ),
          knob,
        ]),
        [10, 10, 10],
      );
    const part = block([0, 1, 3]);
    const scan = renderScan(part, anyPose(seededRandom(seed)), { mirrored: true, noiseMm: 0.2 });
    await expect(alignPoints(scan, await findReference(part))).rejects.toThrow('mirrored');
  });

  for (const scale of [0.5, 0.95, 0.99, 1.01, 1.05, 25.4]) {
    it(`refuses a part that is ${scale} times as large`, async () => {
      const scan = renderScan(bracket, anyPose(seededRandom(seed)), { scale, noiseMm: 0.2 });
      await expect(alignPoints(scan, reference)).rejects.toThrow('times as large');
    });
  }

  it('refuses a part of another shape', async () => {
    const other = stretched(cubesMesh([[-0.5, -0.5, -0.5] as Vector3]), [75, 75, 75]);
    const scan = renderScan(other, anyPose(seededRandom(seed)));
    await expect(alignPoints(scan, reference)).rejects.toThrow();
  });

  it('finds the rotation of a nearly symmetric part by its small distinctive feature', async () => {
    const [large, small] = [sphereMesh(1, 40, 60), sphereMesh(1, 16, 24)];
    const placed = (mesh: TriangleMesh, radii: Vector3, center: Vector3): TriangleMesh => ({
      positions: mesh.positions.map((value, i) => value * radii[i % 3] + center[i % 3]),
      indices: mesh.indices,
    });
    const disc = joined(placed(large, [50, 50, 20], [0, 0, 0]), placed(small, [4, 4, 4], [30, 5, 16]));
    for (const pose of [1, 2]) {
      const truth = anyPose(seededRandom(pose));
      const scan = renderScan(disc, truth, { noiseMm: 0.1, outliers: 0.02, count: 6000 });
      const found = await alignPoints(scan, await findReference(disc));
      // The rotation depends on the hundred points of the knob, and is found within their noise.
      expect(targetRms(disc, truth, found.matrix), `seed ${seed}, pose ${pose}`).toBeLessThan(0.15);
      expect(found.ambiguous).toBe(false);
    }
  });

  it('reports several poses for a symmetric part', async () => {
    const boxes = {
      'a bar': stretched(cubesMesh([[0, 0, 0]]), [90, 50, 30]),
      'a square bar': stretched(cubesMesh([[0, 0, 0]]), [100, 40, 40]),
      'a ball': sphereMesh(30, 24, 36),
    };
    for (const [name, mesh] of Object.entries(boxes)) {
      // A ball is tried in 200 poses.
      const count = name === 'a ball' ? 1000 : 2000;
      const scan = renderScan(mesh, anyPose(seededRandom(seed)), {
        noiseMm: 0.2,
        outliers: 0.02,
        count,
      });
      const found = await alignPoints(scan, await findReference(mesh));
      expect(found.ambiguous, name).toBe(true);
      expect(found.rmsMm, name).toBeLessThan(0.25);
      // Without noise and already aligned, other poses fit almost exactly.
      const still = await alignPoints(renderScan(mesh, identityPose(), { count }), await findReference(mesh));
      expect(still.ambiguous, `${name}, exact`).toBe(true);
    }
  });

  it('starts from a matrix, and refuses one that is not a pose', async () => {
    const truth = anyPose(seededRandom(seed));
    const scan = renderScan(bracket, truth, { noiseMm: 0.1, count: 10_000 });
    const guess = multiplyPoses(makePose([0.05, -0.03, 0.04], [1, 2, -1]), truth);
    const found = await alignPoints(scan, reference, { matrix: guess });
    expect(targetRms(bracket, truth, found.matrix)).toBeLessThan(0.01);
    await expect(alignPoints(scan, reference, { matrix: truth.map((v) => 2 * v) })).rejects.toThrow(
      'not a rigid transformation',
    );
  });

  it('spreads points evenly over the area', () => {
    const fine = refined(stretched(cubesMesh([[0, 0, 0]]), [2, 1, 1]), 2);
    const { points, normals } = surfacePoints(fine, 10_000);
    let ends = 0;
    for (let i = 0; i < points.length; i += 3) {
      if (Math.abs(normals[i]) > 0.5) {
        ends++;
        expect(Math.abs(points[i] - 1)).toBeCloseTo(1, 12);
      }
    }
    expect(ends / 10_000).toBeCloseTo(0.2, 2);
  });
});
