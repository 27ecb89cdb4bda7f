/** How a volume is seen in 3D: from what a view says of it, and from its grey values. */

import { type GreyHistogram, type GreyWindow, histogramQuantile, windowLimits } from './grey-window.ts';
import { type CurvePoint, type GreyFacts, styleCurve, type TransferStyle } from './transfer-curve.ts';

export interface VolumeLook {
  style: TransferStyle;
  curve: readonly CurvePoint[];
  /** drawn black and white where it is cut open */
  greyLimits: readonly [number, number];
  /** from air to material */
  contrast: number;
}

/** What the curves of the styles are made from. @param isoValue of the scan, where it is known */
export function findGreyFacts(histogram: GreyHistogram, isoValue: number | null | undefined): GreyFacts {
  const { minimum: low, maximum: high } = histogram;
  const air = histogramQuantile(histogram, 0.005);
  const upper = histogramQuantile(histogram, 0.995);
  const iso = isoValue ?? (air + upper) / 2;
  // A small part in much air is beyond the quantile: as far above the surface as air is below it.
  return { low, high, iso, material: upper > iso ? upper : Math.min(high, 2 * iso - air) };
}

/** @param curve null = the style's own */
export function resolveLook(
  { style, curve }: { style: TransferStyle; curve: readonly CurvePoint[] | null },
  facts: GreyFacts,
  window: GreyWindow,
): VolumeLook {
  return {
    style,
    curve: curve ?? styleCurve(style, facts),
    greyLimits: windowLimits(window),
    contrast: 2 * (facts.material - facts.iso),
  };
}

/** Bright on a ground of its own, whatever stands behind everything else. */
export const isOnDark = (style: TransferStyle): boolean => style === 'xray' || style === 'maximum';
