import type { PlaneView } from '#kernels/grid/plane-transform.ts';
import type { SlicePlane } from './slice-source.ts';

export interface PlaneLook {
  view: PlaneView;
  /** device pixels a CSS pixel of the view */
  scale: number;
  /** interpolated between values; else the nearest one */
  smooth: boolean;
}

export interface PixelPlaces {
  columns: SamplePlaces;
  rows: SamplePlaces;
}

/** Where the pixels of a picture lie on a plane, columns from the left and rows from the top. */
export function placePixelsOn(
  { width, height, originMm, spacingMm, goesOn }: Omit<SlicePlane, 'values'>,
  { view, scale, smooth }: PlaneLook,
  widthPx: number,
  heightPx: number,
): PixelPlaces {
  const mmPerPixel = view.heightMm / view.heightPx;
  const columns = samplePlaces(
    widthPx,
    (x) => view.centreU + ((x + 0.5) / scale - view.widthPx / 2) * mmPerPixel,
    { originMm: originMm[0], spacingMm: spacingMm[0], count: width },
    [goesOn?.left ?? false, goesOn?.right ?? false],
    smooth,
  );
  const rows = samplePlaces(
    heightPx,
    (y) => view.centreV - ((y + 0.5) / scale - view.heightPx / 2) * mmPerPixel,
    { originMm: originMm[1], spacingMm: spacingMm[1], count: height },
    [goesOn?.below ?? false, goesOn?.above ?? false],
    smooth,
  );
  return { columns, rows };
}

/** Between which two values of a plane the pixels of a row or a column of a picture lie. */
interface SamplePlaces {
  /** −1 = outside */
  lower: Int32Array;
  upper: Int32Array;
  weight: Float64Array;
}

function samplePlaces(
  pixels: number,
  mmAt: (pixel: number) => number,
  { originMm, spacingMm, count }: { originMm: number; spacingMm: number; count: number },
  [goesOnBefore, goesOnAfter]: readonly [boolean, boolean],
  smooth: boolean,
): SamplePlaces {
  // The outer half of the outermost values belongs to the plane; between values of two parts both draw the same.
  const low = goesOnBefore ? -1e-6 : -0.5;
  const high = goesOnAfter ? count - 1 + 1e-6 : count - 0.5;
  const places = {
    lower: new Int32Array(pixels).fill(-1),
    upper: new Int32Array(pixels),
    weight: new Float64Array(pixels),
  };
  for (let pixel = 0; pixel < pixels; pixel++) {
    const place = (mmAt(pixel) - originMm) / spacingMm;
    if (!(place >= low && place < high)) continue;
    const nearest = Math.round(place);
    // Places of pixels go through millimetres: what misses a value by rounding alone is that value.
    const isThere = !smooth || Math.abs(place - nearest) < 1e-6;
    const within = Math.min(count - 1, Math.max(0, isThere ? nearest : place));
    const lower = Math.floor(within);
    places.lower[pixel] = lower;
    places.upper[pixel] = within > lower ? Math.min(count - 1, lower + 1) : lower;
    places.weight[pixel] = within - lower;
  }
  return places;
}
