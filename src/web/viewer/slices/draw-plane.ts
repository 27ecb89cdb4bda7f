import type { PlanePicture } from '#kernels/grid/draw-scan.ts';
import { windowScale } from '#kernels/grid/grey-window.ts';
import type { PlaneView } from '#kernels/grid/plane-transform.ts';
import { placePixelsOn } from '../data/pixel-places.ts';
import type { SlicePlane } from '../data/slice-source.ts';

/** Opaque grey pixels of an ImageData for 0–255 (little endian, as on every machine that runs a browser). */
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
 * voxel taken) and only then windowed, so that no grey value is rounded to 8 bits before. Pixels outside the plane, and
 * where it has no value, are unchanged. A tile ends at its outermost values; the gap to the next one is drawn by the
 * next one. O(pixels).
 *
 * @param scale device pixels per CSS pixel of the view
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
  const { columns, rows } = placePixelsOn(plane, { view, scale, smooth }, widthPx, heightPx);
  const low = limits[0];
  const toByte = windowScale(limits[0], limits[1]);
  const { values, width } = plane;
  const { lower: left, upper: right, weight: across } = columns;
  // Each pixel has an entry, and each index is inside the plane.
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

/** The value of the plane nearest to a point, or null outside. */
export function valueAt(plane: SlicePlane, uMm: number, vMm: number): number | null {
  const column = Math.round((uMm - plane.originMm[0]) / plane.spacingMm[0]);
  const row = Math.round((vMm - plane.originMm[1]) / plane.spacingMm[1]);
  if (column < 0 || row < 0 || column >= plane.width || row >= plane.height) return null;
  const value = plane.values[row * plane.width + column];
  return value === undefined || Number.isNaN(value) ? null : value;
}
