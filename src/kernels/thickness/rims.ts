import { findVertexCurvatures, type SurfaceMesh } from '../surface/surface-uncertainty.ts';

/** A place is on a rim if its mean curvature exceeds that of a rod as thick as the median wall. */
const rimBend = 1;
/** Balls differ up to this share of the median thickness beside a rim, at most over this many triangles. */
const [besideShare, mostRounds] = [0.15, 8];
/** If less of the area lies away from rims, it says nothing about the walls. */
const minAreaShare = 0.1;

/**
 * Thickness of the places away from rims and corners, NaN on and beside them. O(triangles).
 * @param thicknessMm per vertex, as areaMm2; NaN where not measured
 * @param voxelMm longest edge of a voxel
 * @returns null when nearly all of the area is rims, as in a lattice
 */
export function leaveOutRims(
  mesh: SurfaceMesh,
  thicknessMm: Float32Array,
  areaMm2: Float32Array,
  { medianMm, voxelMm }: { medianMm: number; voxelMm: number },
): Float32Array | null {
  const { indices } = mesh;
  let isRim = Uint8Array.from(findVertexCurvatures(mesh), (bend) => (bend * medianMm > rimBend ? 1 : 0));
  const rounds = Math.min(mostRounds, Math.ceil((besideShare * medianMm) / voxelMm));
  for (let round = 0; round < rounds; round++) {
    const wider = isRim.slice();
    for (let t = 0; t < indices.length; t += 3) {
      const [a, b, c] = [indices[t], indices[t + 1], indices[t + 2]];
      if (isRim[a] + isRim[b] + isRim[c] > 0) wider[a] = wider[b] = wider[c] = 1;
    }
    isRim = wider;
  }
  const left = thicknessMm.map((value, v) => (isRim[v] === 1 ? Number.NaN : value));
  const sumArea = (values: Float32Array) =>
    values.reduce((sum, value, v) => (Number.isNaN(value) ? sum : sum + areaMm2[v]), 0);
  return sumArea(left) >= minAreaShare * sumArea(thicknessMm) ? left : null;
}
