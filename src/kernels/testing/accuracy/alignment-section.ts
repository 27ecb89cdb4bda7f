import { alignPoints } from '../../alignment/align.ts';
import { type Matrix16, movedPoints, multiplyPoses } from '../../alignment/pose.ts';
import { surfacePoints } from '../../alignment/surface-points.ts';
import { KernelError } from '../../kernel-error.ts';
import type { TriangleMesh } from '../../mesh/mesh.ts';
import { seededRandom } from '../../random.ts';
import { type Body, steppedWedge } from '../bodies.ts';
import { measureBody } from '../measure-body.ts';
import { cubesMesh } from '../meshes.ts';
import {
  anyPose,
  bracket,
  type Disturbance,
  disturbedScan,
  findReference,
  targetRms,
} from '../moved-scans.ts';
import { accuracyVoxelsMm, bodyFrame, makeScan, scanNames, scansWith } from './scans.ts';
import type { AccuracyCase, AccuracySection } from './section.ts';

/** Disturbances in voxels of 1 mm; the bracket is 40 to 120 voxels long. */
const disturbances: { name: string; disturbance: Disturbance }[] = [
  { name: 'exact points', disturbance: {} },
  { name: 'noise of 0.1 voxel', disturbance: { noiseMm: 0.1 } },
  { name: 'noise of 0.1 voxel, 2 % outliers', disturbance: { noiseMm: 0.1, outliers: 0.02 } },
  { name: 'noise of 0.2 voxel, 2 % outliers', disturbance: { noiseMm: 0.2, outliers: 0.02 } },
];
/** Scans that the alignment must not report as reliable. */
const others: { name: string; disturbance: Disturbance }[] = [
  { name: 'mirrored', disturbance: { mirrored: true } },
  ...[0.95, 0.99, 1.01, 1.05, 25.4].map((scale) => ({
    name: `${scale} times as large`,
    disturbance: { scale },
  })),
];
const posesTried = 3;
const pointCount = 20_000;

/** Each case runs several poses and reports the worst. */
const pointCases: AccuracyCase[] = disturbances.map(({ name, disturbance }) => ({
  place: [`bracket, ${pointCount} points, ${posesTried} poses`, '', '', name],
  bounds: { 'Target RMS': 0.01, Refused: 0 },
  measure: async () => {
    const random = seededRandom(41);
    const reference = await findReference(bracket);
    let worst = 0;
    let refused = 0;
    for (let round = 0; round < posesTried; round++) {
      const truth = anyPose(random);
      const scan = disturbedScan(bracket, truth, { ...disturbance, count: pointCount, seed: 41, round });
      const found = await findPose(scan, reference);
      if (!found) refused++;
      else worst = Math.max(worst, targetRms(bracket, truth, found));
    }
    return { 'Target RMS': worst, Refused: refused };
  },
}));

const otherCases: AccuracyCase[] = others.map(({ name, disturbance }) => ({
  place: [`bracket, ${name}, ${posesTried} poses`, '', '', 'noise of 0.2 voxel, 2 % outliers'],
  bounds: { 'Target RMS': 0.01, Refused: posesTried },
  measure: async () => {
    const random = seededRandom(42);
    const reference = await findReference(bracket);
    let refused = 0;
    for (let round = 0; round < posesTried; round++) {
      const options = { ...disturbance, noiseMm: 0.2, outliers: 0.02, seed: 42, round };
      const scan = disturbedScan(bracket, anyPose(random), options);
      if (!(await findPose(scan, reference))) refused++;
    }
    return { 'Target RMS': 0, Refused: refused };
  },
}));

async function findPose(...input: Parameters<typeof alignPoints>): Promise<Matrix16 | null> {
  try {
    return (await alignPoints(...input)).matrix;
  } catch (error) {
    if (error instanceof KernelError && error.code === 'NOT_ALIGNED') return null;
    throw error;
  }
}

/** A wedge with steps of 1, 2 and 4 mm, and its CAD model. It has no rotational symmetry. */
const wedge: Body = steppedWedge([1, 2, 4], 1.6, 2.5);
function cadOfWedge(): TriangleMesh {
  const { positions, indices } = cubesMesh(
    [1, 2, 4].flatMap((height, i) =>
      Array.from({ length: height }, (_, k): [number, number, number] => [i, 0, k]),
    ),
  );
  const [size, at] = [
    [1.6, 2.5, 1],
    [-2.4, -1.25, -2],
  ];
  return { positions: positions.map((value, i) => value * size[i % 3] + at[i % 3]), indices };
}

/** From grey values to the pose: the surface of a scan, sampled as in the alignment, is fitted onto the CAD model. */
const scanCases: AccuracyCase[] = scansWith(['clean', 'noise', 'blur and noise']).map((scan) => ({
  place: ['stepped wedge, scanned, onto its CAD', ...scanNames(scan).slice(0, 2), scan.greys],
  bounds: { 'Target RMS': 0.01, Refused: 0 },
  measure: async (pool) => {
    const cad = cadOfWedge();
    const { mesh } = await measureBody(makeScan(wedge, scan), pool, { smoothing: 'raw' });
    const reference = await findReference(cad);
    const found = await findPose(surfacePoints(mesh, pointCount), reference);
    if (!found) return { 'Target RMS': Number.NaN, Refused: 1 };
    const there = movedPoints(multiplyPoses(found, bodyFrame(scan.pose).toScan), cad.positions);
    const squares = there.reduce((sum, value, i) => sum + (value - cad.positions[i]) ** 2, 0);
    const voxelMm = Math.min(...accuracyVoxelsMm[scan.voxels]);
    return { 'Target RMS': Math.sqrt(squares / (there.length / 3)) / voxelMm, Refused: 0 };
  },
}));

export const alignmentSection: AccuracySection = {
  title: 'Alignment',
  text: `Results of runAutoAlignLite, starting from the principal axes. *Target RMS*: distance of the part's corners, moved into the scanner's
frame by the true pose and back by the pose that was found, from their original positions, in voxels of the smallest edge. *Refused*:
number of tries reported as not fitting, which is right for a mirrored part or a part of another size, and wrong otherwise.
The bracket is given as exact points, up to 120 voxels long, in any pose; outliers are up to 30 voxels off. The
wedge is scanned; its surface is determined from the grey values without smoothing.`,
  places: ['Part', 'Pose', 'Voxels', 'Errors'],
  figures: [
    { name: 'Target RMS', digits: 4 },
    { name: 'Refused', digits: 0, bound: 'exactly' },
  ],
  cases: [...pointCases, ...scanCases, ...otherCases],
};
