import type { PlaneView } from '#kernels/grid/plane-transform.ts';
import type { SlicePlane } from './slice-source.ts';

export interface PlaneLook {
  view: PlaneView;
  /** device pixels per CSS pixel of the view */
  scale: number;
  /** linear interpolation between values; otherwise the nearest one */
  smooth: boolean;
}

export interface PixelPlaces {
  columns: SamplePlaces;
  rows: SamplePlaces;
}

/** Maps the pixels of a picture to the values of a plane, columns from the left and rows from the top. */
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

/** For each row or column of pixels, the two neighbouring values of the plane. */
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
  // A plane extends half a value beyond its outermost values; where it continues in another tile, both draw the same
  // there.
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
    // Pixel positions are computed in millimetres: a difference due to rounding is ignored.
    const isThere = !smooth || Math.abs(place - nearest) < 1e-6;
    const within = Math.min(count - 1, Math.max(0, isThere ? nearest : place));
    const lower = Math.floor(within);
    places.lower[pixel] = lower;
    places.upper[pixel] = within > lower ? Math.min(count - 1, lower + 1) : lower;
    places.weight[pixel] = within - lower;
  }
  return places;
}
