/** Laying a scan's surface on its reference and holding it against it: seconds of work, on a thread of its own. */
import { type Alignment, alignPoints, checkedPose, type FirstGuess } from '#kernels/alignment/align.ts';
import { movedPoints } from '#kernels/alignment/pose.ts';
import { surfacePoints } from '#kernels/alignment/surface-points.ts';
import { type DeviationGroup, groupStatistics, measureDeviation } from '#kernels/compare/compare-meshes.ts';
import {
  type DeviationStatistics,
  deviationStatistics,
  type ToleranceMm,
  vertexAreas,
} from '#kernels/compare/deviation-statistics.ts';
import {
  type DeviantPatch,
  type Judgement,
  judgeDeviation,
  type Verdict,
  verdictOf,
} from '#kernels/compare/judge-deviation.ts';
import {
  facingOutward,
  type MeshPart,
  partOf,
  poresOf,
  verticesIn,
} from '#kernels/compare/prepare-surfaces.ts';
import { cadFacesOf, componentsOf, regionsOf } from '#kernels/compare/reference-groups.ts';
import { withShortSides } from '#kernels/compare/refine-mesh.ts';
import type { BoxMm } from '#kernels/grid/region.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { buildBvh } from '#kernels/spatial/bvh.ts';
import type { DistancesTo } from '#kernels/spatial/distances.ts';
import { noTriangle } from '#kernels/spatial/signed-distance.ts';
import type { MeshInput, Report } from './analysis.ts';

const scanPoints = 20_000;
const referencePoints = 5_000;
/** Less of the scan's surface with a counterpart, or of the reference's with a scan beside it, is no pass. */
export const completeShare = 0.99;

export type GroupBy = 'component' | 'cadFace' | 'region';

interface Pair {
  /** the scan's surface */
  mesh: TriangleMesh;
  /** it is no scan's but a mesh that may have large triangles */
  isCoarse: boolean;
  reference: MeshInput;
  /** only this box of the scan */
  region: BoxMm | undefined;
}
export interface AlignInput extends Pair {
  guess: FirstGuess;
}
export interface AlignOutput {
  alignment: Alignment;
  warnings: string[];
}
export interface CompareInput extends Pair {
  /** a matrix that is given holds as it is */
  alignment: 'autoAlign' | { matrix: readonly number[] };
  tolerance: ToleranceMm;
  guardBandMm: number;
  /** smaller patches beyond the tolerance are noise */
  smallestAreaMm2: number;
  maxDistanceMm: number;
  groupBy: GroupBy | undefined;
}

export interface ComparedGroup extends Omit<DeviationGroup, 'vertices' | 'group'> {
  key: string;
  name: string;
  verdict: Verdict;
  /** where it is furthest out, in the scan's frame */
  worstPointMm: Vector3;
}
export interface CompareOutput {
  /** the scan's surface in its own frame, with `deviationMm` */
  mesh: TriangleMesh;
  alignment: Alignment | null;
  /** 16 numbers, row by row, scan → reference */
  matrix: number[];
  statistics: DeviationStatistics;
  verdict: Verdict;
  patches: DeviantPatch[];
  /** share of the scan's surface that has a counterpart on the reference */
  measuredShare: number;
  /** share of the reference's surface that the scan lies beside; null when only a region was compared */
  coveredShare: number | null;
  /** pores inside the material, which are left out */
  pores: number;
  groups: ComparedGroup[];
  /** parts of the reference that nothing was measured on */
  unmeasuredGroups: { key: string; name: string }[];
  warnings: string[];
}

/** A mesh gets vertices as close as this share of its extent, so that there are some on its faces. */
const sidesAcross = 200;

interface Prepared {
  scan: TriangleMesh;
  reference: MeshInput;
  warnings: string[];
}

function prepared({ mesh, isCoarse, reference }: Pair): Prepared {
  const warnings: string[] = [];
  const scan = facingOutward(isCoarse ? withShortSides(mesh, extentOf(mesh) / sidesAcross) : mesh);
  if (scan.wasTurned) warnings.push('The scan’s mesh was inside out and has been turned.');
  const nominal = facingOutward(reference.mesh);
  if (nominal.wasTurned) warnings.push('The reference’s mesh was inside out and has been turned.');
  return {
    scan: scan.mesh,
    reference: { ...reference, mesh: nominal.mesh },
    warnings,
  };
}

/** What lies in the region and is no pore. */
function counted(scan: TriangleMesh, region: BoxMm | undefined, isPore?: Uint8Array): MeshPart {
  const inside = region && verticesIn(scan, region);
  const part = partOf(
    scan,
    (a, b, c) => !isPore?.[a] && (!inside || (inside[a] === 1 && inside[b] === 1 && inside[c] === 1)),
  );
  if (part.vertices.length > 0) return part;
  throw new KernelError('EMPTY_REGION', 'No part of the scan’s surface lies in the region.');
}

function extentOf({ positions }: TriangleMesh): number {
  const [min, max] = [new Array<number>(3).fill(Infinity), new Array<number>(3).fill(-Infinity)];
  for (let i = 0; i < positions.length; i++) {
    min[i % 3] = Math.min(min[i % 3], positions[i]);
    max[i % 3] = Math.max(max[i % 3], positions[i]);
  }
  return Math.max(0, ...max.map((high, k) => high - min[k]));
}

function align(
  { scan, reference }: Prepared,
  region: BoxMm | undefined,
  guess: FirstGuess,
  progress: (fraction: number) => void,
): Alignment {
  const points = surfacePoints(reference.mesh, referencePoints);
  const bvh = buildBvh(reference.mesh);
  return alignPoints(
    surfacePoints(region ? counted(scan, region).mesh : scan, scanPoints),
    { bvh, points },
    guess,
    progress,
  );
}

const ambiguityWarning =
  'The part fits its reference as well in other poses (it is symmetric): check that the right one was taken, or give a first guess.';

/**
 * The pose in which the scan lies on its reference.
 * @throws KernelError NOT_ALIGNED, BAD_INPUT, EMPTY_REGION
 */
export async function alignSurfaces(input: AlignInput, report: Report): Promise<AlignOutput> {
  report(0, 'Preparing the surfaces');
  const pair = prepared(input);
  const alignment = align(pair, input.region, input.guess, (fraction) =>
    report(0.1 + 0.9 * fraction, 'Aligning'),
  );
  const { warnings } = pair;
  return { alignment, warnings: alignment.ambiguous ? [...warnings, ambiguityWarning] : warnings };
}

/** With a region, what lies in it is aligned; where that is too little for it, the whole scan. */
function poseFor(pair: Prepared, region: BoxMm | undefined, progress: (fraction: number) => void): Alignment {
  if (!region) return align(pair, undefined, 'principalAxes', progress);
  try {
    return align(pair, region, 'principalAxes', (fraction) => progress(fraction / 2));
  } catch (error) {
    if (!(error instanceof KernelError && error.code === 'NOT_ALIGNED')) throw error;
    return align(pair, undefined, 'principalAxes', (fraction) => progress(0.5 + fraction / 2));
  }
}

/**
 * The deviation of a scan's surface from its reference at each vertex, and what it comes to.
 * @throws KernelError NOT_ALIGNED, BAD_INPUT, EMPTY_REGION
 */
export async function compareSurfaces(
  input: CompareInput,
  report: Report,
  distancesTo: DistancesTo,
): Promise<CompareOutput> {
  const { tolerance, guardBandMm, maxDistanceMm, region } = input;
  report(0, 'Preparing the surfaces');
  const pair = prepared(input);
  const { reference, warnings } = pair;
  const alignment =
    input.alignment === 'autoAlign'
      ? poseFor(pair, region, (fraction) => report(0.05 + 0.6 * fraction, 'Aligning'))
      : null;
  if (alignment?.ambiguous) warnings.push(ambiguityWarning);
  const matrix =
    alignment?.matrix ?? checkedPose(input.alignment === 'autoAlign' ? [] : input.alignment.matrix);
  report(0.65, 'Measuring the deviation');
  // Voids are told on the whole surface: cut open, they enclose nothing.
  const limits = { pose: matrix, maxDistanceMm };
  const whole = await measureDeviation(pair.scan, reference.mesh, limits, distancesTo);
  const pores = poresOf(pair.scan, reference.mesh, whole.closestTriangles);
  const part = counted(pair.scan, region, pores.isVoid);
  const { mesh } = part;
  const deviationMm = Float32Array.from(part.vertices, (v) => whole.deviationMm[v]);
  const closestTriangles = part.vertices.map((v) => whole.closestTriangles[v]);
  const areaMm2 = vertexAreas(mesh);
  report(0.85, 'Statistics');
  const statistics = deviationStatistics(deviationMm, areaMm2, tolerance);
  if (!statistics) {
    throw new KernelError(
      'BAD_INPUT',
      `No point of the scan lies within ${maxDistanceMm} mm of the reference: align it first, or raise the largest distance.`,
    );
  }
  const areaOfAll = areaMm2.reduce((sum, area) => sum + area, 0);
  const measuredShare = Math.min(1, statistics.areaMm2 / areaOfAll);
  const coveredShare = region
    ? null
    : await coveredBy(mesh, reference.mesh, matrix, maxDistanceMm, distancesTo);
  const judgement = judgeDeviation(mesh, deviationMm, areaMm2, tolerance, guardBandMm, input.smallestAreaMm2);
  const isComplete = measuredShare >= completeShare && (coveredShare ?? 1) >= completeShare;
  report(0.92, 'Statistics of the groups');
  const parts = input.groupBy && partsOfReference(reference, input.groupBy);
  const grouped = parts
    ? groupStatistics({ deviationMm, closestTriangles }, areaMm2, parts.numbers, tolerance)
    : [];
  const groups = parts
    ? grouped.map((group) => namedGroup(group, parts, mesh, deviationMm, judgement, tolerance))
    : [];
  return {
    mesh: { ...mesh, scalars: { deviationMm } },
    alignment,
    matrix,
    statistics,
    verdict: verdictOf(judgement, isComplete),
    patches: judgement.patches,
    measuredShare,
    coveredShare,
    pores: pores.count,
    groups,
    unmeasuredGroups: parts ? unmeasured(parts, grouped) : [],
    warnings,
  };
}

/** Share of the reference's surface that has the scan within reach. */
async function coveredBy(
  scan: TriangleMesh,
  reference: TriangleMesh,
  matrix: readonly number[],
  maxDistanceMm: number,
  distancesTo: DistancesTo,
): Promise<number> {
  const moved = { positions: Float32Array.from(movedPoints(matrix, scan.positions)), indices: scan.indices };
  const { points } = surfacePoints(reference, referencePoints);
  const { triangles } = await distancesTo(moved, Float64Array.from(points), maxDistanceMm);
  return (
    triangles.reduce((count, triangle) => count + (triangle === noTriangle ? 0 : 1), 0) / triangles.length
  );
}

interface Parts {
  /** of each triangle of the reference */
  numbers: Uint32Array;
  keyOf: (group: number) => string;
  nameOf: (group: number) => string;
}

function partsOfReference({ mesh, faces, faceNames }: MeshInput, groupBy: GroupBy): Parts {
  if (groupBy === 'cadFace') {
    return {
      numbers: cadFacesOf(mesh, faces),
      keyOf: (group) => `face-${group + 1}`,
      nameOf: (group) => [`Face ${group + 1}`, faceNames?.[group]].filter(Boolean).join(', '),
    };
  }
  const word = groupBy === 'component' ? 'Component' : 'Region';
  return {
    numbers: groupBy === 'component' ? componentsOf(mesh) : regionsOf(mesh),
    keyOf: (group) => `${groupBy}-${group + 1}`,
    nameOf: (group) => `${word} ${group + 1}`,
  };
}

function namedGroup(
  { group, vertices, ...statistics }: DeviationGroup,
  { keyOf, nameOf }: Parts,
  mesh: TriangleMesh,
  deviationMm: Float32Array,
  judgement: Judgement,
  tolerance: ToleranceMm,
): ComparedGroup {
  const { minMm, maxMm } = statistics;
  const outer = tolerance.lowerMm - minMm > maxMm - tolerance.upperMm ? minMm : maxMm;
  const worst = vertices.find((v) => deviationMm[v] === outer) ?? vertices[0];
  return {
    key: keyOf(group),
    name: nameOf(group),
    ...statistics,
    verdict: verdictOf(judgement, true, vertices),
    worstPointMm: [...mesh.positions.subarray(3 * worst, 3 * worst + 3)] as Vector3,
  };
}

function unmeasured({ numbers, keyOf, nameOf }: Parts, groups: DeviationGroup[]) {
  const measured = new Set(groups.map(({ group }) => group));
  const all = [...new Set(numbers)].sort((a, b) => a - b);
  return all
    .filter((group) => !measured.has(group))
    .map((group) => ({ key: keyOf(group), name: nameOf(group) }));
}
