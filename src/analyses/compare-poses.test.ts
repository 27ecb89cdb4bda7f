import { beforeAll, describe, expect, it } from 'vitest';
import { identityPose, makePose } from '#kernels/alignment/pose.ts';
import type { KernelPool } from '#kernels/arena.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { inlinePool } from '#kernels/pool.ts';
import { openTree } from '#kernels/spatial/open-tree.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import { cubesMesh } from '#kernels/testing/meshes.ts';
import { compareSurfaces } from './compare-work.ts';

let pool: KernelPool;
beforeAll(async () => {
  pool = inlinePool(await kernelModule());
});

/** A block of 20 × 6 × 4 mm that is symmetric but for a notch in one corner of its top. */
function notchedBlock(notchMm: number) {
  const sides = [
    [0, notchMm, 20],
    [0, notchMm, 6],
    [0, 4 - notchMm, 4],
  ];
  const cubes: Vector3[] = [];
  for (const x of [0, 1]) {
    for (const y of [0, 1]) for (const z of [0, 1]) if (x + y > 0 || z === 0) cubes.push([x, y, z]);
  }
  const { positions, indices } = cubesMesh(cubes);
  return { positions: positions.map((value, i) => sides[i % 3][value]), indices };
}
/** Half a turn about the middle of its top. */
const turned = makePose([0, 0, Math.PI], [20, 6, 0]);

const compare = (
  notchMm: number,
  matrices: number[][],
  groupBy?: 'component' | 'region',
  mesh = notchedBlock(notchMm),
) =>
  compareSurfaces(
    {
      mesh,
      grid: null,
      reference: { mesh: notchedBlock(notchMm) },
      region: undefined,
      alignment: { matrices },
      tolerance: { lowerMm: -0.1, upperMm: 0.1 },
      ...{ guardBandMm: 0.01, usualBandMm: 0.01, errors: null },
      voxelMm: null,
      maxDistanceMm: 1,
      groupBy,
    },
    () => {},
    (mesh) => openTree(pool, mesh),
  );

describe('a nearly symmetric block', () => {
  it('passes in the pose that its notch determines, even if the other pose was the better initial guess', async () => {
    const found = await compare(2, [turned, identityPose()]);
    expect(found).toMatchObject({ verdict: 'pass', isPoseAmbiguous: false, matrix: identityPose() });
  });

  it('is indeterminate as a whole and in each group if its notch is too small to determine the pose', async () => {
    const found = await compare(0.25, [identityPose(), turned], 'region');
    expect(found).toMatchObject({ verdict: 'indeterminate', isPoseAmbiguous: true, poseVerdicts: ['fail'] });
    expect([...new Set(found.groups.map(({ verdict }) => verdict))]).toEqual(['indeterminate']);
    expect(found.warnings).toEqual([
      { code: 'POSE_AMBIGUOUS', message: expect.stringContaining('the verdict is fail') },
    ]);
  });

  it('fails as a whole, but not at the end that is good in an equally well fitting pose', async () => {
    const short = notchedBlock(0.25);
    short.positions = short.positions.map((value) => (value === 20 ? 19.6 : value));
    const { verdict, isPoseAmbiguous, groups } = await compare(
      0.25,
      [identityPose(), turned],
      'region',
      short,
    );
    expect([verdict, isPoseAmbiguous]).toEqual(['fail', true]);
    expect(groups[0]).toMatchObject({ verdict: 'indeterminate', minMm: expect.closeTo(-0.4, 3) });
  });
});
