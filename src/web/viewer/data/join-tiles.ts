import type { VoxelArray } from '#kernels/grid/volume.ts';
import type { SlicePlane } from './slice-source.ts';

/**
 * Joins adjacent tiles of one plane; values shared by two tiles are the same in both. O(values).
 * @param kept values of an obsolete plane, overwritten if it has the same size
 */
export function joinTiles(tiles: readonly [SlicePlane, ...SlicePlane[]], kept?: VoxelArray): SlicePlane {
  const [first] = tiles;
  const { spacingMm } = first;
  const originMm: [number, number] = [
    Math.min(...tiles.map((tile) => tile.originMm[0])),
    Math.min(...tiles.map((tile) => tile.originMm[1])),
  ];
  const placed = tiles.map((tile) => ({
    tile,
    column: Math.round((tile.originMm[0] - originMm[0]) / spacingMm[0]),
    row: Math.round((tile.originMm[1] - originMm[1]) / spacingMm[1]),
  }));
  const width = Math.max(...placed.map(({ tile, column }) => column + tile.width));
  const height = Math.max(...placed.map(({ tile, row }) => row + tile.height));
  const Values = first.values.constructor as new (length: number) => VoxelArray;
  const isFitting = kept instanceof Values && kept.length === width * height;
  const values = isFitting ? kept : new Values(width * height);
  const goesOn = { left: false, right: false, below: false, above: false };
  for (const { tile, column, row } of placed) {
    for (let y = 0; y < tile.height; y++)
      values.set(tile.values.subarray(y * tile.width, (y + 1) * tile.width), (row + y) * width + column);
    if (column === 0) goesOn.left ||= tile.goesOn?.left ?? false;
    if (row === 0) goesOn.below ||= tile.goesOn?.below ?? false;
    if (column + tile.width === width) goesOn.right ||= tile.goesOn?.right ?? false;
    if (row + tile.height === height) goesOn.above ||= tile.goesOn?.above ?? false;
  }
  return { width, height, values, originMm, spacingMm, exact: tiles.every(({ exact }) => exact), goesOn };
}
