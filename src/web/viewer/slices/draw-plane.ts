import type { PlanePicture } from '#kernels/grid/draw-scan.ts';
import { windowScale } from '#kernels/grid/grey-window.ts';
import type { PlaneView } from '#kernels/grid/plane-transform.ts';
import type { SlicePlane } from '../data/slice-source.ts';

/** 0–255 as an opaque grey pixel of an ImageData (little endian, as every browser's machine is). */
const greyPixels = Uint32Array.from({ length: 256 }, (_, grey) => 0xff000000 | (grey * 0x010101));

/** Draws planes over one another, the finest last, into an empty picture. */
export function drawPlanes(
  planes: readonly SlicePlane[],
  view: PlaneView,
  limits: readonly [number, number],
  scale: number,
  smooth: boolean,
  picture: PlanePicture,
): void {
  picture.pixels.fill(0);
  for (const plane of planes) drawPlane(plane, view, limits, scale, smooth, picture);
}

/**
 * Draws the part of a plane that a view shows: for every pixel the plane is interpolated bilinearly (or its nearest
 * voxel taken) and only then windowed, so that no grey value is lost to 8 bits before. Outside the plane the pixel
 * and where the plane has no number the pixel stays as it is; a part of a plane ends at its outermost values, so that
 * its neighbours draw what lies between theirs. O(pixels).
 *
 * @param scale device pixels a CSS pixel of the view
 */
function drawPlane(
  plane: SlicePlane,
  view: PlaneView,
  limits: readonly [number, number],
  scale: number,
  smooth: boolean,
  picture: PlanePicture,
): void {
  const { widthPx, heightPx, pixels } = picture;
  const { goesOn } = plane;
  const mmPerDevicePixel = view.heightMm / view.heightPx / scale;
  const columns = samplePlaces(
    widthPx,
    (x) => view.centreU + ((x + 0.5) / scale - view.widthPx / 2) * (mmPerDevicePixel * scale),
    { originMm: plane.originMm[0], spacingMm: plane.spacingMm[0], count: plane.width },
    [goesOn?.left ?? false, goesOn?.right ?? false],
    smooth,
  );
  const rows = samplePlaces(
    heightPx,
    (y) => view.centreV - ((y + 0.5) / scale - view.heightPx / 2) * (mmPerDevicePixel * scale),
    { originMm: plane.originMm[1], spacingMm: plane.spacingMm[1], count: plane.height },
    [goesOn?.below ?? false, goesOn?.above ?? false],
    smooth,
  );
  const low = limits[0];
  const toByte = windowScale(limits[0], limits[1]);
  const { values, width } = plane;
  const { lower: left, upper: right, weight: across } = columns;
  // There is one place a pixel, and each lies within the plane.
  for (let y = 0; y < heightPx; y++) {
    const row = rows.lower[y] as number;
    if (row < 0) continue;
    const top = row * width;
    const bottom = (rows.upper[y] as number) * width;
    const down = rows.weight[y] as number;
    let to = y * widthPx;
    for (let x = 0; x < widthPx; x++, to++) {
      const l = left[x] as number;
      if (l < 0) continue;
      const r = right[x] as number;
      const w = across[x] as number;
      const a = values[top + l] as number;
      const c = values[bottom + l] as number;
      const upper = a + ((values[top + r] as number) - a) * w;
      const lower = c + ((values[bottom + r] as number) - c) * w;
      const byte = (upper + (lower - upper) * down - low) * toByte + 0.5;
      if (Number.isNaN(byte)) continue;
      pixels[to] = greyPixels[byte >= 255 ? 255 : byte > 0 ? byte | 0 : 0] as number;
    }
  }
}

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

/** The value of the plane that is nearest to a point, or null outside. */
export function valueAt(plane: SlicePlane, uMm: number, vMm: number): number | null {
  const column = Math.round((uMm - plane.originMm[0]) / plane.spacingMm[0]);
  const row = Math.round((vMm - plane.originMm[1]) / plane.spacingMm[1]);
  if (column < 0 || row < 0 || column >= plane.width || row >= plane.height) return null;
  const value = plane.values[row * plane.width + column];
  return value === undefined || Number.isNaN(value) ? null : value;
}
