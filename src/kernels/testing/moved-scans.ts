/** Points of a part as a scanner would deliver them, in another position and with errors: input for alignment tests. */
import { type Matrix16, makePose, movedPoints, multiplyPoses } from '../alignment/pose.ts';
import { type SurfacePoints, surfacePoints } from '../alignment/surface-points.ts';
import type { Vector3 } from '../grid/volume.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import { seededNormal, seededRandom } from '../random.ts';
import { cubesMesh } from './meshes.ts';
import { openTreeHere } from './open-tree-here.ts';

export const stretched = (mesh: TriangleMesh, by: Vector3): TriangleMesh => ({
  positions: mesh.positions.map((value, i) => value * by[i % 3]),
  indices: mesh.indices,
});
/** Chiral: no rotation turns it into its mirror image. 40 to 120 voxels of 1 mm. */
export const bracket = stretched(
  cubesMesh([
    [0, 0, 0],
    [1, 0, 0],
    [2, 0, 0],
    [0, 1, 0],
    [2, 0, 1],
  ]),
  [40, 35, 30],
);
export const findReference = async (mesh: TriangleMesh, points = 3000) => ({
  tree: await openTreeHere(mesh),
  points: surfacePoints(mesh, points),
});

export interface Disturbance {
  seed?: number;
  noiseMm?: number;
  outliers?: number;
  scale?: number;
  mirrored?: boolean;
  count?: number;
  round?: number;
}
/** Points of the part's surface, measured with errors, in the scanner's frame. */
export function disturbedScan(
  mesh: TriangleMesh,
  toReference: Matrix16,
  disturbance: Disturbance = {},
): SurfacePoints {
  const {
    seed = 1,
    noiseMm = 0,
    outliers = 0,
    scale = 1,
    mirrored = false,
    count = 4000,
    round = 0,
  } = disturbance;
  const { points, normals } = surfacePoints(mesh, count);
  const normal = seededNormal(seed + round);
  const random = seededRandom(seed + 1);
  for (let i = 0; i < points.length; i += 3) {
    const error = random() < outliers ? 60 * (random() - 0.5) : noiseMm * normal();
    for (let k = 0; k < 3; k++) points[i + k] = scale * (points[i + k] + error * normals[i + k]);
    if (mirrored) {
      points[i] *= -1;
      normals[i] *= -1;
    }
  }
  const back = computeInverse(toReference);
  const turn = back.map((value, i) => (i % 4 === 3 && i < 12 ? 0 : value));
  return { points: movedPoints(back, points), normals: movedPoints(turn, normals) };
}

export function computeInverse(m: Matrix16): Matrix16 {
  const turned = [m[0], m[4], m[8], 0, m[1], m[5], m[9], 0, m[2], m[6], m[10], 0, 0, 0, 0, 1];
  return multiplyPoses(turned, [1, 0, 0, -m[3], 0, 1, 0, -m[7], 0, 0, 1, -m[11], 0, 0, 0, 1]);
}

/** RMS error of the mesh's vertices after moving them to the scanner's frame and back by the pose that was found. */
export function targetRms(mesh: TriangleMesh, truth: Matrix16, found: Matrix16): number {
  const there = movedPoints(multiplyPoses(found, computeInverse(truth)), mesh.positions);
  const squares = there.reduce((sum, value, i) => sum + (value - mesh.positions[i]) ** 2, 0);
  return Math.sqrt(squares / (there.length / 3));
}

export const anyPose = (random: () => number): Matrix16 => {
  const vector = () => [random() - 0.5, random() - 0.5, random() - 0.5] as Vector3;
  const axis = vector();
  const length = Math.hypot(...axis);
  const angle = Math.PI * random();
  return makePose(axis.map((v) => (v / length) * angle) as Vector3, vector().map((v) => 500 * v) as Vector3);
};
