/** States of a place on the reference. */
export const placeStates = {
  /** the scan's surface beside it was measured there and confirms the deviation */
  answered: 0,
  /** the scan's surface is within reach but does not confirm the deviation: material is missing or surplus */
  unanswered: 1,
  /** nothing of the scan lies within the search distance */
  notFound: 2,
  /** outside of the scanned volume */
  notScanned: 3,
  /** there is material on both sides, so nothing is visible */
  hidden: 4,
} as const;

export interface ReferencePlaces {
  /** surplus material of the scan at each place; NaN: not found, not scanned or hidden */
  deviationMm: Float32Array;
  /** the same, but for answered places the deviation of the scan's surface beside them, which rounds edges less */
  answerMm: Float32Array;
  /** distance of places not found within the search distance, when known; otherwise NaN */
  farMm: Float32Array;
  /** one of placeStates */
  states: Uint8Array;
  /** the triangle of the scan's surface that each is compared with, or `noTriangle` */
  closestTriangles: Uint32Array;
}

/** 1 for places that count in the verdict themselves; the others are covered by the scan's surface. */
export const flagCountedPlaces = ({ states }: ReferencePlaces): Uint8Array =>
  Uint8Array.from(states, (state) =>
    state === placeStates.unanswered || state === placeStates.notFound ? 1 : 0,
  );
