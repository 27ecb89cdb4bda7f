/** Line colours on slices, common to the contour of the surface and the marks beside it. */
import { aboveIndex, colorIndex } from '../color/maps.ts';
import { missingValue } from '../color/weighted-histogram.ts';
import { type PlaneView, planeToPane } from '../grid/plane-transform.ts';

export const linePx = 2;
export const fillOpacity = 0.5;
/** as on the surface where nothing was measured */
export const missingInk = '#9e9e9e';
/** Hatched as on the surface: dark below the limits of the colours, light above. */
export const beyondInks = {
  dashPx: [2, 3],
  below: 'rgb(0 0 0 / 60%)',
  above: 'rgb(255 255 255 / 75%)',
} as const;

export type Range = readonly [number, number];

/** Colours by entry of the map; the last one is for unmeasured values and those outside the brush. */
export const listInks = (map: Uint8Array): string[] => [
  ...Array.from({ length: aboveIndex + 1 }, (_, i) => `rgb(${map.subarray(3 * i, 3 * i + 3).join(' ')})`),
  missingInk,
];

/** Index of a value's colour in that list. */
export const inkAt = (value: number, [low, high]: Range) =>
  value === missingValue ? aboveIndex + 1 : colorIndex(value, low, high);

/** Position of point `i` of a cut in the pane, from pairs of grid mm. */
export const placePoint = (view: PlaneView, points: ArrayLike<number>, i: number): [number, number] =>
  planeToPane(view, points[2 * i] ?? Number.NaN, points[2 * i + 1] ?? Number.NaN);
