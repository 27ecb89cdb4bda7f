/**
 * Where the two methods of measuring a wall disagree. Along flat and evenly curved walls ray and sphere agree; near
 * edges, ribs and branches the ray continues to a side that is not a wall of this point, and a value deserves a second
 * look.
 */
export interface Disagreement {
  /** as a share of the measured area, 0–1 */
  share: number;
  /** 1 where ray and sphere differ, 0 where they agree, NaN where nothing was measured */
  flags: Float32Array<ArrayBuffer>;
}

/** They differ when the difference exceeds this share of the sphere's diameter, and a voxel. */
export const differingShare = 0.25;

/** @param voxelMm longest edge of a voxel */
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
    // Written so that a ray that found nothing (NaN) differs, too.
    if (Math.abs(rayMm[v] - sphereMm[v]) <= Math.max(differingShare * sphereMm[v], voxelMm)) continue;
    flags[v] = 1;
    differing += areaMm2[v];
  }
  return { share: area > 0 ? differing / area : 0, flags };
}
