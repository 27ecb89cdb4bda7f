/** Removes rings from scans, for measurements on single cells. */
import type { DataType, SlabSource } from '../grid/volume.ts';
import { readDeepMeans } from './deep-means.ts';
import { findRingAxis } from './ring-axis.ts';
import { findRingField, mapColumns, type RingField, sectors } from './ring-field.ts';

export interface RingSearch {
  /** grey level between air and material, and contrast of material to air */
  level: number;
  contrast: number;
  /** standard deviation of the edges, in cells */
  blur: number;
}

/** Distance in cells from an edge beyond which its blur is not visible. */
const findDepth = (blur: number) => Math.max(3, Math.ceil(0.8 + 2.5 * blur));

/**
 * Finds rings about an axis along z, wherever it is. Reads the volume once. O(cells). Not found are rings of which too
 * little lies deep in solid material, one or two isolated rings, and structures wider than eight cells or as strong as
 * a void.
 * @returns null when there are none that can be distinguished from the part
 */
export async function findRings(
  source: SlabSource,
  { level, contrast, blur }: RingSearch,
): Promise<RingField | null> {
  const [nx, ny] = source.grid.dimensions;
  const groups = await readDeepMeans(source, { level, depth: findDepth(blur) });
  const all = new Float32Array(nx * ny);
  const counts = new Float32Array(nx * ny);
  for (const group of groups) {
    for (let i = 0; i < all.length; i++) {
      if (group.counts[i] === 0) continue;
      all[i] += group.counts[i] * group.means[i];
      counts[i] += group.counts[i];
    }
  }
  const axis = findRingAxis(
    all.map((sum, i) => sum / counts[i]),
    nx,
    ny,
  );
  return axis && findRingField(groups, axis, nx, ny, contrast);
}

const ends: Partial<Record<DataType, [number, number]>> = {
  uint8: [0, 255],
  int8: [-128, 127],
  uint16: [0, 65_535],
  int16: [-32_768, 32_767],
  uint32: [0, 2 ** 32 - 1],
  int32: [-(2 ** 31), 2 ** 31 - 1],
};

/** The volume minus its rings, computed on reading; integer types are rounded. */
export function withoutRings(source: SlabSource, field: RingField): SlabSource {
  const [nx, ny] = source.grid.dimensions;
  const { radius, sector } = mapColumns(field.axis, nx, ny);
  const { planes, bins, heights } = field;
  const [low, high] = ends[source.dataType] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const isWhole = Number.isFinite(high);
  const image = new Float32Array(nx * ny);
  return {
    grid: source.grid,
    dataType: source.dataType,
    readSlab: async (zStart, zEnd) => {
      const values = await source.readSlab(zStart, zEnd);
      for (let group = 0; group + 1 < planes.length; group++) {
        const [from, to] = [Math.max(zStart, planes[group]), Math.min(zEnd, planes[group + 1])];
        if (from >= to) continue;
        for (let at = 0; at < image.length; at++) {
          const bin = Math.floor(radius[at]);
          const base = (group * sectors + sector[at]) * bins + bin;
          image[at] = heights[base] + (radius[at] - bin) * (heights[base + 1] - heights[base]);
        }
        for (let z = from; z < to; z++) {
          const begin = (z - zStart) * image.length;
          for (let at = 0; at < image.length; at++) {
            if (image[at] === 0) continue;
            const value = values[begin + at] - image[at];
            values[begin + at] = isWhole ? Math.max(low, Math.min(high, Math.round(value))) : value;
          }
        }
      }
      return values;
    },
  };
}
