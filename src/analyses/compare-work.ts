/** Compares a scan's surface with its reference. Takes seconds, so it runs on a thread. */
import { type Alignment, checkedPose } from '#kernels/alignment/align.ts';
import { invertPose, multiplyPoses } from '#kernels/alignment/pose.ts';
import { openComparison } from '#kernels/compare/both-ways.ts';
import { choosePose } from '#kernels/compare/choose-pose.ts';
import type { SurfaceErrors } from '#kernels/compare/deviation-errors.ts';
import type { DeviationStatistics, ToleranceMm } from '#kernels/compare/deviation-statistics.ts';
import { type JudgedBothWays, judgeBothWays, missingSurface } from '#kernels/compare/judge-both-ways.ts';
import type { Verdict } from '#kernels/compare/judge-deviation.ts';
import { facingRounds } from '#kernels/compare/probe.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import type { OpenTree } from '#kernels/spatial/surface-tree.ts';
import {
  alignPair,
  ambiguityWarning,
  type CompareWarning,
  measureExtent,
  type Pair,
  type PreparedPair,
  preparePair,
} from './align-work.ts';
import type { Report } from './analysis.ts';
import { type ComparedGroup, compareGroups, type GroupBy, type GroupName } from './compare-groups.ts';
import {
  findErrors,
  findGroupUncertainties,
  findUncertainties,
  typicalBandMm,
  type Uncertainties,
} from './compare-intervals.ts';

export interface CompareInput extends Pair {
  /** given matrices are used unchanged; of several, the one with the smallest distances between the surfaces */
  alignment: 'autoAlign' | { matrices: readonly (readonly number[])[] };
  tolerance: ToleranceMm;
  /** a given guard band; null: each place has its own, or `usualBandMm` if the scan does not show it */
  guardBandMm: number | null;
  usualBandMm: number;
  /** uncertainty of the scan's surface; null when the scan does not show it */
  errors: SurfaceErrors | null;
  /** largest voxel edge of the scan; null for a mesh */
  voxelMm: number | null;
  maxDistanceMm: number;
  groupBy: GroupBy | undefined;
}

export interface CompareOutput
  extends Pick<
    JudgedBothWays,
    | 'backward'
    | 'verdict'
    | 'places'
    | 'measuredShare'
    | 'coveredShare'
    | 'foundShare'
    | 'notFoundAreaMm2'
    | 'notScannedAreaMm2'
  > {
  /** the scan's surface in its own frame, with `deviationMm` */
  mesh: TriangleMesh;
  /** parts of the reference that are out of tolerance and absent from the scan's surface, in the scan's frame */
  missing: TriangleMesh | null;
  alignment: Alignment | null;
  /** other poses fit equally well */
  isPoseAmbiguous: boolean;
  /** different verdicts in those poses */
  poseVerdicts: Verdict[];
  /** places are out of tolerance in a pose that was fitted to an incomplete scan of the body */
  isPoseOfCutScan: boolean;
  /** 16 numbers, row-major, scan → reference */
  matrix: number[];
  /** scan → reference */
  statistics: DeviationStatistics;
  /** number of pores inside the material, which are ignored */
  pores: number;
  groups: ComparedGroup[];
  /** groups of the reference with no measured place */
  unmeasuredGroups: GroupName[];
  /** keyed by measure path; empty when the scan does not show the uncertainty of its surface */
  uncertainties: Uncertainties;
  /** the guard band used; the median if each place has its own */
  guardBandMm: number;
  /** half width (k = 2) of each deviation; null when unknown */
  placesMm: Float32Array | null;
  warnings: CompareWarning[];
}

/** Patches beyond the tolerance with fewer voxel faces are treated as noise. */
const smallestPatchVoxels = 4;
/** Spacing, in voxels, of the places on the reference. */
const placesVoxels = 2;
/**
 * Edges and corners rounded by the scan are further away as seen from the reference: by 0.9 voxels at sharp corners in
 * a scan with noise, and by as much again in a blurred one.
 */
const sameVoxels = 1.5;
/** Share of the guard band; smaller mean differences do not distinguish two poses. */
const minShare = 0.1;
/** Places per extent of the reference if the scan is a mesh too. */
const placesAcross = 100;

/** If a region is given, aligns the part inside it; if that is too little, the whole scan. */
async function findPose(
  pair: PreparedPair,
  openTree: OpenTree,
  progress: (fraction: number) => void,
): Promise<Alignment> {
  if (!pair.region) return alignPair(pair, undefined, 'principalAxes', openTree, progress);
  try {
    return await alignPair(pair, pair.region, 'principalAxes', openTree, (fraction) =>
      progress(fraction / 2),
    );
  } catch (error) {
    if (!(error instanceof KernelError && error.code === 'NOT_ALIGNED')) throw error;
    return alignPair(pair, undefined, 'principalAxes', openTree, (fraction) => progress(0.5 + fraction / 2));
  }
}

/**
 * Computes the deviation of a scan's surface from its reference at each vertex, the missing parts of the reference, and
 * their statistics and verdict.
 * @throws KernelError NOT_ALIGNED, BAD_INPUT, EMPTY_REGION
 */
export async function compareSurfaces(
  input: CompareInput,
  report: Report,
  openTree: OpenTree,
): Promise<CompareOutput> {
  const { tolerance, maxDistanceMm, region, voxelMm, groupBy } = input;
  const guardBandMm = input.guardBandMm ?? input.usualBandMm;
  report(0, 'Preparing the surfaces');
  const pair = preparePair(input);
  const { reference, warnings } = pair;
  const { alignment } = input;
  const found =
    alignment === 'autoAlign'
      ? await findPose(pair, openTree, (fraction) => report(0.05 + 0.6 * fraction, 'Aligning'))
      : null;
  const poses =
    alignment === 'autoAlign'
      ? [found, ...(found?.alternatives ?? [])].filter((fit) => fit !== null)
      : alignment.matrices.map((matrix) => ({ matrix: checkedPose(matrix) }));
  report(0.65, 'Measuring the deviation');
  const comparison = await openComparison(
    {
      ...pair,
      reference: reference.mesh,
      maxDistanceMm,
      facingRounds: voxelMm === null ? 0 : facingRounds,
      spacingMm: voxelMm === null ? measureExtent(reference.mesh) / placesAcross : placesVoxels * voxelMm,
      sameMm: Math.max(sameVoxels * (voxelMm ?? 0), guardBandMm),
    },
    openTree,
  );
  const smallestAreaMm2 = smallestPatchVoxels * (voxelMm ?? 0) ** 2;
  const limits = { tolerance, guardBandMm, smallestAreaMm2, region };
  const { chosen, equal } = await choosePose(comparison, poses, minShare * guardBandMm);
  const { matrix } = chosen;
  const measureIn = async (pose: readonly number[]) => {
    const ways = await comparison.measure(pose);
    const fit = { isFitted: found !== null, region };
    const errors = input.errors && findErrors(ways, comparison, pose, input.errors, fit);
    const bandsMm =
      errors && input.guardBandMm === null
        ? { scan: errors.scan.bandMm, reference: errors.reference.bandMm }
        : undefined;
    return { ways, errors, judged: judgeBothWays(ways, comparison, pose, { ...limits, bandsMm }) };
  };
  const { ways, errors, judged } = await measureIn(matrix);
  report(0.8, 'Statistics');
  const compareGroupsIn = (each: JudgedBothWays, findIntervals?: (vertices: Uint32Array) => Uncertainties) =>
    groupBy && compareGroups(each, comparison.places, reference, groupBy, tolerance, findIntervals);
  const otherVerdicts = new Set<Verdict>();
  const groupsInOtherPoses: ComparedGroup[][] = [];
  for (const { matrix: other } of equal) {
    // If the other pose maps the reference onto itself, the verdict is the same.
    const turn = multiplyPoses(other, invertPose(matrix));
    if (await comparison.isSymmetry(turn, guardBandMm)) continue;
    report(0.85, 'Measuring in another pose');
    const { judged: there } = await measureIn(other);
    otherVerdicts.add(there.verdict);
    groupsInOtherPoses.push(compareGroupsIn(there)?.groups ?? []);
  }
  await comparison.close();
  const poseVerdicts = [...otherVerdicts].filter((each) => each !== judged.verdict);
  if (equal.length > 0) warnings.push(ambiguityWarning(poseVerdicts, groupBy !== undefined));
  const { scan, forward, places } = judged;
  // An incomplete part may fit better in a wrong place.
  const isPoseOfCutScan = found !== null && pair.inView !== undefined && judged.verdict === 'fail';
  const isPoseOpen = poseVerdicts.length > 0 || isPoseOfCutScan;
  const verdict = isPoseOpen ? 'indeterminate' : judged.verdict;
  if (!forward) {
    throw new KernelError(
      'BAD_INPUT',
      `No point of the scan lies within ${maxDistanceMm} mm of the reference: align it first, or raise the search distance.`,
    );
  }
  report(0.92, 'Statistics of the groups');
  const { groups = [], unmeasured = [] } =
    compareGroupsIn(
      judged,
      errors ? (vertices) => findGroupUncertainties(ways, judged, errors, tolerance, vertices) : undefined,
    ) ?? {};
  const { backward, measuredShare, coveredShare, foundShare, notFoundAreaMm2, notScannedAreaMm2 } = judged;
  const placesMm =
    errors && Float32Array.from(scan.vertices, (v) => errors.scan.bandMm.beyond[v] ?? Number.NaN);
  const normals = ways.scan.mesh.normals && !region ? { normals: ways.scan.mesh.normals } : {};
  return {
    mesh: {
      positions: scan.positions as Float32Array,
      indices: scan.indices,
      ...normals,
      scalars: {
        deviationMm: scan.deviationMm,
        ...(placesMm ? { deviationUncertaintyMm: placesMm } : {}),
      },
    },
    missing: missingSurface(judged, tolerance),
    alignment: found && { ...found, ...chosen },
    isPoseAmbiguous: equal.length > 0,
    poseVerdicts,
    isPoseOfCutScan,
    matrix,
    statistics: forward,
    backward,
    verdict,
    places,
    measuredShare,
    coveredShare,
    foundShare,
    notFoundAreaMm2,
    notScannedAreaMm2,
    pores: ways.pores,
    groups: isPoseOpen ? groups.map(leaveOpen) : keepAgreed(groups, groupsInOtherPoses),
    unmeasuredGroups: unmeasured,
    uncertainties: errors ? findUncertainties(ways, judged, errors, tolerance, maxDistanceMm) : {},
    guardBandMm: errors && input.guardBandMm === null ? typicalBandMm(errors) : guardBandMm,
    placesMm,
    warnings,
  };
}

const leaveOpen = (group: ComparedGroup): ComparedGroup => ({ ...group, verdict: 'indeterminate' });

/** A group keeps its verdict only if it has the same in all equally good poses. */
const keepAgreed = (groups: ComparedGroup[], otherVerdicts: ComparedGroup[][]): ComparedGroup[] =>
  groups.map((group) => {
    const isAgreed = otherVerdicts.every((others) =>
      others.some(({ key, verdict }) => key === group.key && verdict === group.verdict),
    );
    return isAgreed ? group : leaveOpen(group);
  });
