/**
 * Where the two ways to measure a wall tell different things. Along flat and evenly curved walls ray and ball agree; near
 * edges, ribs and branchings the ray runs on to a side that is no wall of this point, and a figure deserves a second look.
 */
export interface Disagreement {
  /** of the measured area, 0–1 */
  share: number;
  /** 1 where ray and ball differ, 0 where they agree, NaN where nothing was measured */
  flags: Float32Array<ArrayBuffer>;
}

/** They differ when it is by more than a quarter of the ball's diameter and by more than a voxel. */
export const differingShare = 0.25;

/** @param voxelMm the longest edge of a voxel */
export function findDisagreement(
  sphereMm: Float32Array,
  rayMm: Float32Array,
  areaMm2: Float32Array,
  voxelMm: number,
): Disagreement {
  const flags = new Float32Array(sphereMm.length);
  let [differing, area] = [0, 0];
  for (let v = 0; v < sphereMm.length; v++) {
    if (Number.isNaN(sphereMm[v])) {
      flags[v] = Number.NaN;
      continue;
    }
    area += areaMm2[v];
    // Written so that a ray that found nothing differs too.
    if (Math.abs(rayMm[v] - sphereMm[v]) <= Math.max(differingShare * sphereMm[v], voxelMm)) continue;
    flags[v] = 1;
    differing += areaMm2[v];
  }
  return { share: area > 0 ? differing / area : 0, flags };
}
