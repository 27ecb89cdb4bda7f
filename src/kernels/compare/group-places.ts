/** Coverage of each group of the reference by the scan. */
import type { ToleranceMm } from './deviation-statistics.ts';
import type { JudgedBothWays } from './judge-both-ways.ts';
import { placeStates } from './reference-places.ts';
import type { RefinedMesh } from './refine-mesh.ts';
import { triangleArea } from './repair-mesh.ts';

export interface GroupPlaces {
  /** those that count in the verdict */
  places: number[];
  areaMm2: number;
  coveredMm2: number;
  /** whether the scan shows all of it */
  isScanned: boolean;
}

/**
 * Collects the places on each group's own surface.
 * @param numbers group of each triangle of the reference, before refinement
 */
export function listGroupPlaces(
  { mesh: { indices }, pieceOf }: RefinedMesh,
  numbers: Uint32Array,
  { positions, answerMm, states, isCounted }: JudgedBothWays['reference'],
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
      if (isCounted?.[p]) group.places.push(p);
      if (states[p] === placeStates.notScanned) group.isScanned = false;
    }
  }
  return groups;
}
