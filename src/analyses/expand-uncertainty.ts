import type { Uncertainty } from '#contract/metadata/uncertainty.ts';

/** @param standard independent standard uncertainties (k = 1) */
export function expand(standard: Readonly<Record<string, number>>): Uncertainty {
  const contributions = Object.entries(standard).map(([name, value]) => ({ name, value }));
  return { expanded: 2 * Math.hypot(...Object.values(standard)), k: 2, contributions };
}
