/** The error function, to 1.5e-7: Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26. O(1). */
export function computeErf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const sum = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return Math.sign(x) * (1 - sum * Math.exp(-x * x));
}
