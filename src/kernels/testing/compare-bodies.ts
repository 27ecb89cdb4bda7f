/** Compares meshes of deviating parts with their nominal meshes. */
import { identityPose } from '../alignment/pose.ts';
import { type BothWaysInput, openComparison } from '../compare/both-ways.ts';
import { type JudgedBothWays, type JudgeLimits, judgeBothWays } from '../compare/judge-both-ways.ts';
import { refineMesh } from '../compare/refine-mesh.ts';
import { facingOutward } from '../compare/repair-mesh.ts';
import type { Vector3 } from '../grid/volume.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import { cubesMesh } from './meshes.ts';
import { openTreeHere } from './open-tree-here.ts';

/** A box of 12 triangles around a point. */
export function boxMesh(sizeMm: Vector3, centerMm: Vector3 = [0, 0, 0]): TriangleMesh {
  const { positions, indices } = cubesMesh([[0, 0, 0]]);
  return {
    positions: positions.map((value, i) => (value - 0.5) * sizeMm[i % 3] + centerMm[i % 3]),
    indices,
  };
}

/** Every triangle with its winding reversed. */
export const insideOut = ({ positions, indices }: TriangleMesh): TriangleMesh => ({
  positions,
  indices: indices.map((_, i) => indices[i % 3 === 0 ? i : i % 3 === 1 ? i + 1 : i - 1]),
});

/** Compares in both directions, in the current position, on this thread. */
export async function compareMeshes(
  scan: TriangleMesh,
  reference: TriangleMesh,
  options: Partial<BothWaysInput> & Partial<JudgeLimits> & { pose?: readonly number[] } = {},
): Promise<JudgedBothWays & { pores: number }> {
  const pose = options.pose ?? identityPose();
  const comparison = await openComparison(
    {
      scan: refineMesh(facingOutward(scan).mesh, options.spacingMm ?? 0.25).mesh,
      reference: facingOutward(reference).mesh,
      grid: null,
      isOpen: false,
      isReferenceOpen: false,
      maxDistanceMm: 1,
      facingRounds: 0,
      spacingMm: 0.25,
      sameMm: 0.01,
      ...options,
    },
    openTreeHere,
  );
  const ways = await comparison.measure(pose);
  await comparison.close();
  const judged = judgeBothWays(ways, comparison, pose, {
    tolerance: { lowerMm: -0.1, upperMm: 0.1 },
    guardBandMm: 0.01,
    smallestAreaMm2: 0.02,
    ...options,
  });
  return { ...judged, pores: ways.pores };
}
