/** What a place on the reference can be. */
export const placeStates = {
  /** the scan's surface beside it was measured there, and says as much itself */
  answered: 0,
  /** the scan's surface lies within reach, but says nothing of how far that is: material is missing, or too much */
  unanswered: 1,
  /** nothing of the scan lies within the search distance */
  notFound: 2,
  /** the scan ends before */
  notScanned: 3,
  /** there is material on both sides of it, so nothing to be seen */
  hidden: 4,
} as const;

export interface ReferencePlaces {
  /** how much more material the scan has at each place; NaN: not found, not scanned or hidden */
  deviationMm: Float32Array;
  /** the same, but of places that are answered what the scan says beside them: it sees edges less rounded off */
  answerMm: Float32Array;
  /** of what was not found within the search distance, how far it is, where that is known; else NaN */
  farMm: Float32Array;
  /** of placeStates */
  states: Uint8Array;
  /** of the scan's surface, the one that each is held against; `noTriangle` without one */
  closestTriangles: Uint32Array;
}

/** Whether a place speaks for itself in the verdict: 1 each. Of the others the scan's surface says what there is. */
export const placesWithSay = ({ states }: ReferencePlaces): Uint8Array =>
  Uint8Array.from(states, (state) =>
    state === placeStates.unanswered || state === placeStates.notFound ? 1 : 0,
  );
