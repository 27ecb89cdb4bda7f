import type { CellBox } from './region.ts';
import { bytesPerVoxel, type SlabSource } from './volume.ts';

/** Air and the largest number of materials; volumes with more values are scans. */
const maxLabels = 6;
/**
 * Minimum share of a label's cells that have six neighbours of the same label; transitions at sharp edges are one cell
 * wide.
 */
const minInteriorShare = 0.01;
const slabBytes = 32e6;

/**
 * The labels of a segmented volume, ascending: its few distinct values, as far as cells have six neighbours of the same
 * value. O(cells), but a scan is recognized in its first planes.
 * @returns null for a scan
 */
export async function collectLabels(source: SlabSource, cells: CellBox): Promise<number[] | null> {
  const { from, to } = cells;
  const [nx, ny] = source.grid.dimensions;
  const plane = nx * ny;
  const planes = Math.max(3, Math.floor(slabBytes / (plane * bytesPerVoxel[source.dataType])));
  const found = new Map<number, { all: number; within: number }>();
  // Slabs overlap by two planes, so that every inner plane has its neighbours.
  for (let first = from[2]; first === from[2] || first + 2 < to[2]; first += planes - 2) {
    const last = Math.min(to[2], first + planes);
    const slab = await source.readSlab(first, last);
    for (let z = 0; z < last - first; z++) {
      for (let y = from[1]; y < to[1]; y++) {
        const row = z * plane + y * nx;
        let before = Number.NaN;
        for (let i = row + from[0]; i < row + to[0]; i++) {
          const value = slab[i];
          if (value === before || Number.isNaN(value)) continue;
          before = value;
          if (found.has(value)) continue;
          if (found.size === maxLabels) return null;
          found.set(value, { all: 0, within: 0 });
        }
      }
    }
    for (let z = 1; z + 1 < last - first; z++) {
      for (let y = from[1] + 1; y + 1 < to[1]; y++) {
        const row = z * plane + y * nx;
        let counted: { all: number; within: number } | undefined;
        for (let i = row + from[0] + 1; i + 1 < row + to[0]; i++) {
          const value = slab[i];
          if (!counted || slab[i - 1] !== value) counted = found.get(value);
          if (!counted) continue;
          counted.all++;
          const isWithin =
            slab[i - 1] === value &&
            slab[i + 1] === value &&
            slab[i - nx] === value &&
            slab[i + nx] === value &&
            slab[i - plane] === value &&
            slab[i + plane] === value;
          if (isWithin) counted.within++;
        }
      }
    }
  }
  return [...found]
    .filter(([, { all, within }]) => within > 0 && within >= minInteriorShare * all)
    .map(([value]) => value)
    .sort((a, b) => a - b);
}
