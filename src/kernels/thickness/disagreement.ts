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

/** A ball counts as oblique when the ray along the normal is longer than its diameter by this factor. */
const obliqueFrom = 1.03;
/**
 * On a narrow side or a rounded rim a ball touches the wall's faces obliquely, at up to the half angle of its cone:
 * balls came out up to this factor larger than the walls of plates and tubes.
 */
const largestBall = 1.29;

/**
 * Least thickness of the wall at each vertex, given ball and ray. Between parallel faces of distance t, with the normal
 * inclined by θ, the ray has the length t / cos θ and the ball the diameter 2 t / (1 + cos θ).
 */
export const narrowBalls = (sphereMm: Float32Array, rayMm: Float32Array): Float32Array =>
  sphereMm.map((ball, v) => {
    const ray = rayMm[v];
    if (ray <= obliqueFrom * ball) return ball;
    // Written so that a ray that found nothing (NaN) gives the least.
    const between = (ball * ray) / (2 * ray - ball);
    return between > ball / largestBall ? between : ball / largestBall;
  });
