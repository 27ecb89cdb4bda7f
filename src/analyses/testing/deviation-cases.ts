/** Compares scans of parts that deviate by known amounts, and sets the results beside those of their exact meshes. */

import { alignPoints } from '#kernels/alignment/align.ts';
import { surfacePoints } from '#kernels/alignment/surface-points.ts';
import type { KernelPool } from '#kernels/arena.ts';
import { groupStatistics } from '#kernels/compare/compare-meshes.ts';
import type { DeviationStatistics } from '#kernels/compare/deviation-statistics.ts';
import type { DeviantPlace } from '#kernels/compare/judge-deviation.ts';
import { listRegions } from '#kernels/compare/reference-groups.ts';
import { refineMesh } from '#kernels/compare/refine-mesh.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import { judgeScan } from '#kernels/quality/judge-scan.ts';
import { noTriangle } from '#kernels/spatial/surface-tree.ts';
import { compareMeshes } from '#kernels/testing/compare-bodies.ts';
import { type DeviatingPart, defectNames, deviatingPart } from '#kernels/testing/deviating-parts.ts';
import { impairPart } from '#kernels/testing/families/impair.ts';
import { renderPart } from '#kernels/testing/families/render-part.ts';
import { findReference } from '#kernels/testing/moved-scans.ts';
import type { AnalysisContext } from '../analysis.ts';
import { makeInput, runOnScan } from './scan-run.ts';

export interface DeviationCase {
  defect: string;
  /** amount of the deviation, in mm; voxels are 1 mm */
  by: number;
  seed: number;
  contrastToNoise: number;
  blur: number;
  alignment: 'autoAlign' | 'matrix';
}

export interface ComparedNumber {
  case: string;
  path: string;
  measured: number;
  truth: number;
  error: number;
  expanded: number;
}

const dimensions: Vector3 = [64, 64, 64];
const conditions = [
  { contrastToNoise: 20, blur: 0.6 },
  { contrastToNoise: 8, blur: 0.8 },
  { contrastToNoise: 30, blur: 1 },
];

export const listDeviationCases = (seed: number): DeviationCase[] =>
  defectNames.flatMap((defect, i) =>
    (['autoAlign', 'matrix'] as const)
      .filter((alignment) => alignment === 'matrix' || defect !== 'turned')
      .map((alignment, k) => ({
        defect,
        alignment,
        by: 0.15 + 0.25 * ((0.37 * (seed + 3 * i + k)) % 1),
        seed: 100 * seed + i,
        ...(conditions[(seed + i + k) % conditions.length] ?? conditions[0]),
      })),
  ) as DeviationCase[];

const tolerance = { lowerMm: -0.25, upperMm: 0.25 };
const referenceDataObjectId = '5b1bb1b5-0f0e-4a55-9d42-5f1f7a2c7c13';

export async function compareDeviating(each: DeviationCase, pool: KernelPool) {
  const part = deviatingPart(each.defect, each.by, each.seed);
  const rendered = renderPart(
    { body: part.body, edgesMm: 0, pores: [], phases: [] },
    dimensions,
    [1, 1, 1],
    each.blur,
  );
  const volume = await makeInput(impairPart(rendered, { ...each }), pool);
  const judged = await judgeScan(volume);
  const quality: AnalysisContext['quality'] = async (id) => (id === 'scan' ? (judged ?? 'unjudged') : null);
  const parameters = {
    ...{ referenceDataObjectId, tolerance, alignment: each.alignment, groupBy: 'region' },
    ...(each.alignment === 'matrix' ? { matrix: part.matrix } : {}),
  };
  const { dataObjects } = await runOnScan('runDecomposeMeshCompare', parameters, volume, {
    pool,
    quality,
    part: async (id) => (id === 'scan' ? { volume } : { mesh: structuredClone(part.meant), deflectionMm: 0 }),
  });
  return { exact: await compareExact(part, each.alignment), scanned: dataObjects[0].metadata };
}

/** Distance between the sample points of a mesh. */
const spacingMm = 0.7;

/**
 * The same comparison for the exact meshes; where the pose is to be found, in the best-fit pose of the made part on the
 * nominal one.
 */
async function compareExact({ made, meant, matrix }: DeviatingPart, alignment: DeviationCase['alignment']) {
  const reference = await findReference(meant, 5000);
  const pose =
    alignment === 'matrix'
      ? matrix
      : (await alignPoints(surfacePoints(made, 20_000), reference, { matrix })).matrix;
  const { forward, backward, places, ...rest } = await compareMeshes(made, meant, {
    ...{ pose, tolerance, spacingMm, guardBandMm: 0, smallestAreaMm2: 4 },
  });
  if (!forward) throw new Error('nothing was measured');
  const furthest = (own: DeviationStatistics, of: readonly DeviantPlace[]) => {
    const worst = of.flatMap(({ worstMm }) => worstMm ?? []);
    return { ...own, minMm: Math.min(own.minMm, ...worst), maxMm: Math.max(own.maxMm, ...worst) };
  };
  // The comparison numbers the pieces into which it splits the reference.
  const { pieceOf } = refineMesh(meant, spacingMm, 2_000_000);
  const closestTriangles = rest.scan.closestTriangles.map((t) => pieceOf[t] ?? noTriangle);
  const measured = { ...rest.scan, closestTriangles };
  const groups = groupStatistics(measured, rest.scan.areaMm2, listRegions(meant), tolerance).map((group) => ({
    ...group,
    key: `region-${group.group + 1}`,
  }));
  return {
    ...rest,
    ...furthest(forward, places),
    fromReference:
      backward &&
      furthest(
        backward,
        places.filter(({ side }) => side === 'reference'),
      ),
    regionCount: places.length,
    groups,
  };
}

type Metadata = Awaited<ReturnType<typeof compareDeviating>>['scanned'];

const readAt = (from: object, path: string): unknown =>
  path.split('.').reduce<unknown>((at, name) => Reflect.get(Object(at), name), from);

export async function measureDeviationCase(each: DeviationCase, pool: KernelPool): Promise<ComparedNumber[]> {
  // Where the pose is to be found, a part with a deviation that resembles a wrong scale is refused.
  const compared = await compareDeviating(each, pool).catch((error) => {
    if (error instanceof KernelError) return null;
    throw error;
  });
  if (!compared) return [];
  const name = `${each.defect} ${each.by.toFixed(2)} (${each.alignment}, seed ${each.seed}, ${each.contrastToNoise}, ${each.blur})`;
  return [...listNumbers(name, compared), findVerdict(name, compared.scanned, compared.exact)];
}

/** Each number that has an interval, beside the true value. */
export function listNumbers(
  name: string,
  { exact, scanned }: Awaited<ReturnType<typeof compareDeviating>>,
): ComparedNumber[] {
  const compareNumbers = (own: object, truth: object, prefix: string): ComparedNumber[] =>
    Object.entries(Object(Reflect.get(own, 'uncertainties')) as Record<string, { expanded: number }>).flatMap(
      ([path, { expanded }]) => {
        const [measured, there] = [readAt(own, path), readAt(truth, path)];
        if (typeof measured !== 'number' || typeof there !== 'number') return [];
        const error = Math.abs(measured - there);
        return [{ case: name, path: `${prefix}${path}`, measured, truth: there, error, expanded }];
      },
    );
  const groups = scanned.groups.flatMap((group) => {
    const truth = exact.groups.find(({ key }) => key === group.key);
    return truth ? compareNumbers(group, truth, 'group ') : [];
  });
  return [...compareNumbers(scanned, exact, ''), ...groups];
}

/** A verdict is wrong only when it is definite and the exact mesh contradicts it. */
function findVerdict(
  name: string,
  scanned: Metadata,
  exact: { minMm: number; maxMm: number },
): ComparedNumber {
  const worst = Math.max(exact.maxMm, -exact.minMm);
  const truth = worst > tolerance.upperMm ? 'fail' : 'pass';
  const isWrong = scanned.verdict !== 'indeterminate' && scanned.verdict !== truth;
  const at = { measured: scanned.verdict === truth ? 1 : 0, truth: worst };
  return { case: name, path: 'verdict', ...at, error: Number(isWrong), expanded: 0 };
}
