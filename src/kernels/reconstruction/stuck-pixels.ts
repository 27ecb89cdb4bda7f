import type { SlabSource } from '../grid/volume.ts';

/** Number of projections that are compared. */
const comparedViews = 16;
/** Shares of the free beam up to which a pixel counts as dark, and from which on as too bright. */
const [darkest, brightest] = [1e-3, 1.02];
/** Distance in pixels within which another pixel of the row must vary: a part may absorb everything in a wider area. */
const reach = 2;

/**
 * Treats pixels as dead (gain 0) that have the same count in all projections and are dark or brighter than the free
 * beam, beside pixels that vary. O(pixels of 17 to 31 projections).
 */
export async function excludeStuckPixels(
  projections: SlabSource,
  darks: Float32Array,
  gains: Float32Array,
): Promise<void> {
  const [columns, , views] = projections.grid.dimensions;
  const first = (await projections.readSlab(0, 1)).slice();
  const varies = new Uint8Array(first.length);
  const step = Math.max(1, Math.floor(views / comparedViews));
  for (let view = step; view < views; view += step) {
    const counts = await projections.readSlab(view, view + 1);
    for (let i = 0; i < first.length; i++) if (counts[i] !== first[i]) varies[i] = 1;
  }
  for (let i = 0; i < first.length; i++) {
    if (varies[i]) continue;
    const share = (first[i] - darks[i]) * gains[i];
    if (share > darkest && share < brightest) continue;
    const column = i % columns;
    const near = varies.subarray(i - Math.min(reach, column), i + Math.min(reach, columns - 1 - column) + 1);
    if (near.includes(1)) gains[i] = 0;
  }
}
