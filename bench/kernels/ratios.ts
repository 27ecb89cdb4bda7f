/** Ratios from alternating runs of ours and a peer's. */

export interface Ratios {
  /** seconds of the fastest and of the median run, ours and theirs */
  oursSeconds: [fastest: number, median: number];
  theirsSeconds: [fastest: number, median: number];
  /** theirs over ours, of the fastest and of the median runs: above 1, ours is faster */
  ofFastest: number;
  ofMedians: number;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** @param ours seconds of each run, at least as many as `theirs`, measured alternately */
export function computeRatios(ours: readonly number[], theirs: readonly number[]): Ratios {
  if (ours.length === 0 || theirs.length === 0) throw new Error('without runs there is no ratio');
  const oursSeconds: [number, number] = [Math.min(...ours), median(ours)];
  const theirsSeconds: [number, number] = [Math.min(...theirs), median(theirs)];
  return {
    oursSeconds,
    theirsSeconds,
    ofFastest: theirsSeconds[0] / oursSeconds[0],
    ofMedians: theirsSeconds[1] / oursSeconds[1],
  };
}

/** A limit is met when both ratios reach it. */
export const reaches = ({ ofFastest, ofMedians }: Ratios, limit: number): boolean =>
  Math.min(ofFastest, ofMedians) >= limit;
