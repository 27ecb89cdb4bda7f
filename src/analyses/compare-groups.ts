/** The parts of a reference, each with its own figures and verdict. */
import { groupStatistics } from '#kernels/compare/compare-meshes.ts';
import type { DeviationStatistics, ToleranceMm } from '#kernels/compare/deviation-statistics.ts';
import type { JudgedBothWays } from '#kernels/compare/judge-both-ways.ts';
import { type Judgement, type Verdict, verdictOf } from '#kernels/compare/judge-deviation.ts';
import { cadFacesOf, componentsOf, regionsOf } from '#kernels/compare/reference-groups.ts';
import { placeStates } from '#kernels/compare/reference-places.ts';
import type { RefinedMesh } from '#kernels/compare/refine-mesh.ts';
import { triangleArea } from '#kernels/compare/repair-mesh.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { noTriangle } from '#kernels/spatial/signed-distance.ts';
import type { MeshInput } from './analysis.ts';

export type GroupBy = 'component' | 'cadFace' | 'region';

export interface GroupName {
  key: string;
  name: string;
}
export interface ComparedGroup extends DeviationStatistics, GroupName {
  verdict: Verdict;
  beyondToleranceMm: number;
  /** share of the group's own surface with the scan within the tolerance */
  coveredShare: number;
  /** where it is furthest out, in the scan's frame */
  worstPointMm: Vector3;
}

interface Parts {
  /** of each triangle of the reference */
  numbers: Uint32Array;
  nameOf: (group: number) => GroupName;
}

/** The group furthest out of tolerance first, and those that nothing was measured on. */
export function compareGroups(
  judged: JudgedBothWays,
  { mesh: places, pieceOf }: RefinedMesh,
  reference: MeshInput,
  groupBy: GroupBy,
  tolerance: ToleranceMm,
): { groups: ComparedGroup[]; unmeasured: GroupName[] } {
  const { numbers, nameOf } = partsOfReference(reference, groupBy);
  const { scan } = judged;
  const placesOf = placesOfGroups(places, pieceOf, numbers, judged.reference, tolerance);
  const closestTriangles = scan.closestTriangles.map((t) => (t === noTriangle ? t : pieceOf[t]));
  const measured = groupStatistics({ ...scan, closestTriangles }, scan.areaMm2, numbers, tolerance);
  const groups = measured.map(({ group, vertices, ...statistics }): ComparedGroup => {
    const own = placesOf.get(group);
    const { minMm, maxMm } = statistics;
    const outer = tolerance.lowerMm - minMm > maxMm - tolerance.upperMm ? minMm : maxMm;
    const worst = vertices.find((v) => scan.deviationMm[v] === outer) ?? vertices[0];
    return {
      ...nameOf(group),
      ...statistics,
      coveredShare: own && own.areaMm2 > 0 ? own.coveredMm2 / own.areaMm2 : 0,
      verdict: verdictOf(
        [
          pickFlags(scan.judgement, vertices),
          ...(own ? [pickFlags(judged.reference.judgement, own.places)] : []),
        ],
        own?.isScanned ?? true,
      ),
      worstPointMm: [...scan.positions.subarray(3 * worst, 3 * worst + 3)] as Vector3,
    };
  });
  const found = new Set(measured.map(({ group }) => group));
  const all = [...new Set(numbers)].sort((a, b) => a - b);
  return { groups, unmeasured: all.filter((group) => !found.has(group)).map(nameOf) };
}

const pickFlags = ({ surelyBeyond, maybeBeyond }: Judgement, vertices: ArrayLike<number>) => ({
  surelyBeyond: Uint8Array.from(vertices, (v) => surelyBeyond[v]),
  maybeBeyond: Uint8Array.from(vertices, (v) => maybeBeyond[v]),
});

interface GroupPlaces {
  /** those that speak for themselves */
  places: number[];
  areaMm2: number;
  coveredMm2: number;
  /** the scan shows all of it */
  isScanned: boolean;
}

/** What was seen from each group's own surface. */
function placesOfGroups(
  { indices }: { indices: Uint32Array },
  pieceOf: Uint32Array,
  numbers: Uint32Array,
  { positions, answerMm, states, hasSay }: JudgedBothWays['reference'],
  { lowerMm, upperMm }: ToleranceMm,
): Map<number, GroupPlaces> {
  const groups = new Map<number, GroupPlaces>();
  for (let t = 0; t < pieceOf.length; t++) {
    const number = numbers[pieceOf[t]];
    const group = groups.get(number) ?? { places: [], areaMm2: 0, coveredMm2: 0, isScanned: true };
    groups.set(number, group);
    const third = triangleArea(positions, indices, 3 * t) / 3;
    for (let corner = 3 * t; corner < 3 * t + 3; corner++) {
      const p = indices[corner];
      group.areaMm2 += third;
      if (answerMm[p] >= Math.fround(lowerMm) && answerMm[p] <= Math.fround(upperMm))
        group.coveredMm2 += third;
      if (hasSay?.[p]) group.places.push(p);
      if (states[p] === placeStates.notScanned) group.isScanned = false;
    }
  }
  return groups;
}

function partsOfReference({ mesh, faces, faceNames }: MeshInput, groupBy: GroupBy): Parts {
  if (groupBy === 'cadFace') {
    return {
      numbers: cadFacesOf(mesh, faces),
      nameOf: (group) => ({
        key: `face-${group + 1}`,
        name: [`Face ${group + 1}`, faceNames?.[group]].filter(Boolean).join(', '),
      }),
    };
  }
  const word = groupBy === 'component' ? 'Component' : 'Region';
  return {
    numbers: groupBy === 'component' ? componentsOf(mesh) : regionsOf(mesh),
    nameOf: (group) => ({ key: `${groupBy}-${group + 1}`, name: `${word} ${group + 1}` }),
  };
}
