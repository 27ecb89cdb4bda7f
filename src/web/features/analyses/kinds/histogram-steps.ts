/** The outline of a histogram as points: two for each bin, down to zero at both ends. */
export function histogramSteps(
  edges: readonly number[],
  weights: readonly number[],
): { x: number[]; y: number[] } {
  const x = [edges[0]];
  const y = [0];
  for (let bin = 0; bin < weights.length; bin++) {
    x.push(edges[bin], edges[bin + 1]);
    y.push(weights[bin], weights[bin]);
  }
  x.push(edges[weights.length]);
  y.push(0);
  return { x, y };
}

/** Share 0–1 of one bin in all. */
export const shareOf = (weights: readonly number[], bin: number): number => {
  const sum = weights.reduce((total, each) => total + each, 0);
  return sum > 0 ? weights[bin] / sum : 0;
};
