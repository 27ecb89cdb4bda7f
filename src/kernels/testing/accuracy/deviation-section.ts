import { invertPose } from '../../alignment/pose.ts';
import { measureDeviation } from '../../compare/compare-meshes.ts';
import { facingRounds, makeProbe } from '../../compare/probe.ts';
import type { Vector3 } from '../../grid/volume.ts';
import { openTree } from '../../spatial/open-tree.ts';
import type { Body } from '../bodies.ts';
import { torus } from '../bodies.ts';
import { measureBody } from '../measure-body.ts';
import { torusMesh } from '../meshes.ts';
import { accuracyVoxelsMm, bodyFrame, makeScan, scanNames, scansWith } from './scans.ts';
import type { AccuracySection } from './section.ts';

const [ringMm, tubeMm] = [3.1, 1.4];
/** Amplitude of the deviation field in mm: 0.8 voxels. */
const heightMm = 0.08;
/** Below this amount, in voxels, noise may flip the sign. */
const signFrom = 0.25;

/** Extra material at a point of the torus, in mm: bumps and hollows all around. */
function offsetMm([x, y, z]: Vector3): number {
  const around = Math.atan2(y, x);
  const across = Math.atan2(z, Math.hypot(x, y) - ringMm);
  return heightMm * Math.sin(3 * around) * Math.cos(2 * across);
}

/** The field follows the normals of the torus, so the distance is exact where it is zero. */
const uneven: Body = (() => {
  const even = torus(ringMm, tubeMm);
  const grown = torus(ringMm, tubeMm + heightMm);
  return {
    ...even,
    name: 'uneven torus',
    boundsMm: grown.boundsMm,
    distanceMm: (x, y, z) => even.distanceMm(x, y, z) - offsetMm([x, y, z]),
  };
})();

export const deviationSection: AccuracySection = {
  title: 'Deviation',
  text: `A scanned torus whose surface is alternately up to 0.8 voxels too high and too low, compared with the even torus by
runMeshCompare in a known pose. Errors in voxels of the smallest edge over
all vertices: mean absolute error, mean error, and share of vertices with the right sign of the deviation among those more than
${signFrom} voxels off.`,
  places: ['Part', 'Pose', 'Voxels', 'Grey values'],
  figures: [
    { name: 'Vertices', digits: 0, bound: 'none' },
    { name: 'Mean amount', digits: 3 },
    { name: 'Mean', digits: 3, signed: true },
    { name: 'Right sign, %', digits: 2, bound: 'exactly' },
  ],
  cases: scansWith(['clean', 'noise', 'blur and noise']).map((scan) => ({
    place: ['torus with an offset field', ...scanNames(scan)],
    bounds: { 'Mean amount': 0.05, Mean: 0.05, 'Right sign, %': 100 },
    measure: async (pool) => {
      const { mesh } = await measureBody(makeScan(uneven, scan), pool, { smoothing: 'faired' });
      const frame = bodyFrame(scan.pose);
      const pose = invertPose(frame.toScan);
      const nominal = torusMesh(ringMm, tubeMm, 400, 200);
      const tree = await openTree(pool, nominal);
      const { deviationMm } = await measureDeviation(makeProbe(mesh, facingRounds), tree, {
        pose,
        maxDistanceMm: 1,
      });
      await tree.close();
      const voxelMm = Math.min(...accuracyVoxelsMm[scan.voxels]);
      let [amount, sum, clear, right] = [0, 0, 0, 0];
      for (let v = 0; v < deviationMm.length; v++) {
        const [x, y, z] = mesh.positions.subarray(3 * v, 3 * v + 3);
        const truth = offsetMm(frame.point([x, y, z]));
        const error = (deviationMm[v] - truth) / voxelMm;
        amount += Math.abs(error);
        sum += error;
        if (Math.abs(truth) <= signFrom * voxelMm) continue;
        clear++;
        if (Math.sign(deviationMm[v]) === Math.sign(truth)) right++;
      }
      return {
        Vertices: deviationMm.length,
        'Mean amount': amount / deviationMm.length,
        Mean: sum / deviationMm.length,
        'Right sign, %': (100 * right) / clear,
      };
    },
  })),
};
