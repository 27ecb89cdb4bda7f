/** Groups (parts) of a reference, each with its own figures and verdict. */
import { groupStatistics } from '#kernels/compare/compare-meshes.ts';
import type { DeviationStatistics, ToleranceMm } from '#kernels/compare/deviation-statistics.ts';
import { listGroupPlaces } from '#kernels/compare/group-places.ts';
import type { JudgedBothWays } from '#kernels/compare/judge-both-ways.ts';
import { findVerdict, pickFlags, type Verdict } from '#kernels/compare/judge-deviation.ts';
import { listCadFaces, listComponents, listRegions } from '#kernels/compare/reference-groups.ts';
import type { RefinedMesh } from '#kernels/compare/refine-mesh.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { noTriangle } from '#kernels/spatial/surface-tree.ts';
import type { MeshInput } from './analysis.ts';
import type { Uncertainties } from './compare-intervals.ts';

export type GroupBy = 'component' | 'cadFace' | 'region';

export interface GroupName {
  key: string;
  name: string;
}
export interface ComparedGroup extends DeviationStatistics, GroupName {
  verdict: Verdict;
  beyondToleranceMm: number;
  /** share of the group's surface that the scan covers within the tolerance */
  coveredShare: number;
  /** place of the largest deviation, in the scan's frame */
  worstPointMm: Vector3;
  /** uncertainty of each number, by name; absent when the scan does not show it */
  uncertainties?: Uncertainties;
}

interface Parts {
  /** group of each triangle of the reference */
  numbers: Uint32Array;
  nameGroup: (group: number) => GroupName;
}

/** Sorted by how far each group is out of tolerance; unmeasured groups come last. */
export function compareGroups(
  judged: JudgedBothWays,
  refined: RefinedMesh,
  reference: MeshInput,
  groupBy: GroupBy,
  tolerance: ToleranceMm,
  findIntervals: ((vertices: Uint32Array) => Uncertainties) | undefined,
): { groups: ComparedGroup[]; unmeasured: GroupName[] } {
  const { numbers, nameGroup } = partsOfReference(reference, groupBy);
  const { scan } = judged;
  const listPlaces = listGroupPlaces(refined, numbers, judged.reference, tolerance);
  const closestTriangles = scan.closestTriangles.map((t) => refined.pieceOf[t] ?? noTriangle);
  const measured = groupStatistics({ ...scan, closestTriangles }, scan.areaMm2, numbers, tolerance);
  const groups = measured.map(({ group, vertices, ...statistics }): ComparedGroup => {
    const own = listPlaces.get(group);
    const { minMm, maxMm } = statistics;
    const outer = tolerance.lowerMm - minMm > maxMm - tolerance.upperMm ? minMm : maxMm;
    const worst = vertices.find((v) => scan.deviationMm[v] === outer) ?? vertices[0] ?? 0;
    return {
      ...nameGroup(group),
      ...statistics,
      coveredShare: own && own.areaMm2 > 0 ? own.coveredMm2 / own.areaMm2 : 0,
      verdict: findVerdict(
        [
          pickFlags(scan.judgement, vertices),
          ...(own ? [pickFlags(judged.reference.judgement, own.places)] : []),
        ],
        own?.isScanned ?? true,
      ),
      worstPointMm: [...scan.positions.subarray(3 * worst, 3 * worst + 3)] as Vector3,
      ...(findIntervals ? { uncertainties: findIntervals(vertices) } : {}),
    };
  });
  const found = new Set(measured.map(({ group }) => group));
  const all = [...new Set(numbers)].sort((a, b) => a - b);
  return { groups, unmeasured: all.filter((group) => !found.has(group)).map(nameGroup) };
}

function partsOfReference({ mesh, faces, faceNames }: MeshInput, groupBy: GroupBy): Parts {
  if (groupBy === 'cadFace') {
    return {
      numbers: listCadFaces(mesh, faces),
      nameGroup: (group) => ({
        key: `face-${group + 1}`,
        name: [`Face ${group + 1}`, faceNames?.[group]].filter(Boolean).join(', '),
      }),
    };
  }
  const word = groupBy === 'component' ? 'Component' : 'Region';
  return {
    numbers: groupBy === 'component' ? listComponents(mesh) : listRegions(mesh),
    nameGroup: (group) => ({ key: `${groupBy}-${group + 1}`, name: `${word} ${group + 1}` }),
  };
}
