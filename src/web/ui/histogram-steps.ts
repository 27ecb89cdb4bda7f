import { writeCsv } from '#formats/csv/write-csv.ts';

/** Outline of a histogram: two points per bin, down to zero at both ends. */
export function histogramSteps(
  edges: readonly number[],
  weights: readonly number[],
): { x: number[]; y: number[] } {
  const limits = edges.slice(0, weights.length + 1);
  return {
    x: limits.flatMap((edge) => [edge, edge]),
    y: [0, ...weights.flatMap((weight) => [weight, weight]), 0],
  };
}

/** Share of one bin in the total, 0 to 1. */
export const computeShare = (weights: readonly number[], bin: number): number => {
  const sum = weights.reduce((total, each) => total + each, 0);
  return sum > 0 ? (weights[bin] ?? 0) / sum : 0;
};

/** The bins as a table: from, to, count or weight. */
export const histogramCsv = (
  edges: readonly number[],
  amounts: readonly number[],
  quantity: string,
  amountOf: string,
): string =>
  writeCsv([
    [`${quantity}, from`, `${quantity}, to`, amountOf],
    ...amounts.map((amount, bin) => [edges[bin] ?? null, edges[bin + 1] ?? null, amount]),
  ]);
