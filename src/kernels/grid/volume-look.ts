/** Appearance of a volume in 3D, from the view state and the grey values. */

import { type GreyHistogram, type GreyWindow, histogramQuantile, windowLimits } from './grey-window.ts';
import { type CurvePoint, type GreyFacts, styleCurve, type TransferStyle } from './transfer-curve.ts';

export interface VolumeLook {
  style: TransferStyle;
  curve: readonly CurvePoint[];
  /** window of the cut faces, from black to white */
  greyLimits: readonly [number, number];
  /** of the cut faces, 0 to 1; null = the grey values */
  cutColour: readonly [number, number, number] | null;
  /** difference between air and material */
  contrast: number;
}

/** Input for the default curves of the styles. @param isoValue of the scan, if known */
export function findGreyFacts(histogram: GreyHistogram, isoValue: number | null | undefined): GreyFacts {
  const { minimum: low, maximum: high } = histogram;
  const air = histogramQuantile(histogram, 0.005);
  const upper = histogramQuantile(histogram, 0.995);
  const iso = isoValue ?? (air + upper) / 2;
  // In a scan of mostly air the quantile misses a small part: assumes material as far above the surface as air is
  // below.
  return { low, high, iso, material: upper > iso ? upper : Math.min(high, 2 * iso - air) };
}

/** @param curve null = default of the style */
export function resolveLook(
  { style, curve }: { style: TransferStyle; curve: readonly CurvePoint[] | null },
  facts: GreyFacts,
  window: GreyWindow,
  cutColour: VolumeLook['cutColour'],
): VolumeLook {
  return {
    style,
    curve: curve ?? styleCurve(style, facts),
    greyLimits: windowLimits(window),
    cutColour,
    contrast: 2 * (facts.material - facts.iso),
  };
}

/** Whether the style needs a dark background. */
export const isOnDark = (style: TransferStyle): boolean => style === 'xray' || style === 'maximum';
