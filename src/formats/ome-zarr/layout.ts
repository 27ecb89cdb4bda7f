/**
 * How a volume lies in a byte store: OME-Zarr 0.5 on Zarr v3, so that other programs can open it.
 *
 *   <key>/zarr.json             the group: axes, levels with scale and translation in mm; written last
 *   <key>/<level>/zarr.json     one array: shape, chunk shape, data type
 *   <key>/<level>/c/<z>/<y>/<x> one chunk: raw little-endian values, x fastest, padded to the chunk's shape
 *
 * Raw, because CT grey values are noisy and do not compress while decoding takes longer than the kernels do.
 * Sources: https://ngff.openmicroscopy.org/0.5/, https://zarr-specs.readthedocs.io/en/latest/v3/core/
 */

import { bytesPerVoxel, type DataType, type Grid, mapVector, type Vector3 } from '#kernels/grid/volume.ts';

export interface VolumeLevel extends Grid {
  /** cells of a chunk along x, y, z */
  chunk: Vector3;
}

type Levels = [VolumeLevel, ...VolumeLevel[]];

export interface VolumeMeta extends Grid {
  dataType: DataType;
  /** which way the axes point; null in volumes of versions that kept the positions of each file as they stood */
  frame: 'LPS' | null;
  /** finest first; level 0 is the volume itself */
  levels: Levels;
}

/** The coarsest level that is fine enough; the volume itself where none is. */
export function findLevel(
  { levels }: Pick<VolumeMeta, 'levels'>,
  isFineEnough: (level: VolumeLevel) => boolean,
): { index: number; grid: VolumeLevel } {
  const index = Math.max(0, levels.findLastIndex(isFineEnough));
  return { index, grid: levels[index] ?? levels[0] };
}

export const CHUNK_SIZE = 128;
/** levels are added until none of the three dimensions is larger */
const COARSEST_DIMENSION = 64;

/** @throws RangeError naming what is wrong with the grid */
export function checkGrid(grid: Grid): void {
  if (!grid.dimensions.every((n) => Number.isSafeInteger(n) && n >= 1)) {
    throw new RangeError(
      `dimensions are ${grid.dimensions.join(' × ')}: three whole numbers from 1 are needed`,
    );
  }
  if (!grid.voxelSizeMm.every((mm) => Number.isFinite(mm) && mm > 0)) {
    throw new RangeError(
      `the voxel size is ${grid.voxelSizeMm.join(' × ')} mm: three numbers above 0 are needed`,
    );
  }
  if (!grid.originMm.every(Number.isFinite) || !grid.directions.every(Number.isFinite)) {
    throw new RangeError('origin and directions have to be finite numbers');
  }
}

/**
 * The levels of a volume: each halves every dimension above 1 (rounded up) of the one before.
 * The centre of a coarse cell is the centre of the cells that it stands for, so the origin moves by half a cell.
 *
 * @param count how many; until none of the dimensions is above 64 when not given
 */
export function pyramid(grid: Grid, count?: number): Levels {
  checkGrid(grid);
  let last = withChunk(grid);
  const levels: Levels = [last];
  for (;;) {
    if (count === undefined ? Math.max(...last.dimensions) <= COARSEST_DIMENSION : levels.length >= count)
      return levels;
    if (Math.max(...last.dimensions) === 1) return levels;
    last = withChunk(halved(last));
    levels.push(last);
  }
}

function withChunk(grid: Grid): VolumeLevel {
  const { dimensions, voxelSizeMm, originMm, directions } = grid;
  const chunk = mapVector(dimensions, (n) => Math.min(n, CHUNK_SIZE));
  return { dimensions, voxelSizeMm, originMm, directions, chunk };
}

function halved(grid: Grid): Grid {
  const { dimensions, voxelSizeMm, directions: d } = grid;
  const factors = mapVector(dimensions, (n) => (n > 1 ? 2 : 1));
  const [i, j, k] = mapVector(factors, (factor, axis) => ((factor - 1) / 2) * voxelSizeMm[axis]);
  const [x, y, z] = grid.originMm;
  return {
    dimensions: mapVector(dimensions, (n, axis) => Math.ceil(n / factors[axis])),
    voxelSizeMm: mapVector(voxelSizeMm, (mm, axis) => mm * factors[axis]),
    originMm: [
      x + i * d[0] + j * d[3] + k * d[6],
      y + i * d[1] + j * d[4] + k * d[7],
      z + i * d[2] + j * d[5] + k * d[8],
    ],
    directions: d,
  };
}

/** Bytes of all chunks of all levels, padding included. */
export function storedBytes(meta: Pick<VolumeMeta, 'levels' | 'dataType'>): number {
  let voxels = 0;
  for (const { dimensions, chunk } of meta.levels) {
    const [x, y, z] = mapVector(dimensions, (n, axis) => Math.ceil(n / chunk[axis]) * chunk[axis]);
    voxels += x * y * z;
  }
  return voxels * bytesPerVoxel[meta.dataType];
}

export const chunkKey = (key: string, level: number, cz: number, cy: number, cx: number): string =>
  `${key}/${level}/c/${cz}/${cy}/${cx}`;
export const groupKey = (key: string): string => `${key}/zarr.json`;
export const arrayKey = (key: string, level: number): string => `${key}/${level}/zarr.json`;

/** Zarr counts its axes slowest first. */
const slowestFirst = (v: Vector3): Vector3 => [v[2], v[1], v[0]];

export function arrayMetadata(level: VolumeLevel, dataType: DataType): object {
  return {
    zarr_format: 3,
    node_type: 'array',
    shape: slowestFirst(level.dimensions),
    data_type: dataType,
    chunk_grid: { name: 'regular', configuration: { chunk_shape: slowestFirst(level.chunk) } },
    chunk_key_encoding: { name: 'default', configuration: { separator: '/' } },
    fill_value: 0,
    // Values of one byte have no order of bytes, and Zarr then wants none to be named.
    codecs: [
      bytesPerVoxel[dataType] === 1
        ? { name: 'bytes' }
        : { name: 'bytes', configuration: { endian: 'little' } },
    ],
    dimension_names: ['z', 'y', 'x'],
    attributes: {},
  };
}

export function groupMetadata(meta: VolumeMeta): object {
  const datasets = meta.levels.map((level, index) => ({
    path: String(index),
    coordinateTransformations: [
      { type: 'scale', scale: slowestFirst(level.voxelSizeMm) },
      { type: 'translation', translation: slowestFirst(level.originMm) },
    ],
  }));
  return {
    zarr_format: 3,
    node_type: 'group',
    attributes: {
      ome: {
        version: '0.5',
        multiscales: [
          {
            name: 'volume',
            type: 'mean',
            axes: ['z', 'y', 'x'].map((name) => ({ name, type: 'space', unit: 'millimeter' })),
            datasets,
          },
        ],
      },
      // OME-Zarr 0.5 has no place for directions; what we need is here once more, exactly.
      scanwright: { format: 1, ...meta },
    },
  };
}

/**
 * The volume that a group's metadata describes.
 *
 * @throws Error when it isn't one that this program wrote
 */
export function parseGroupMetadata(text: string, key: string): VolumeMeta {
  const attributes = (JSON.parse(text) as { attributes?: { scanwright?: VolumeMeta & { format: number } } })
    .attributes;
  const found = attributes?.scanwright;
  if (found?.format !== 1 || !(found.dataType in bytesPerVoxel) || !found.levels?.length) {
    throw new Error(`${groupKey(key)} does not describe a volume of this program`);
  }
  const { dimensions, voxelSizeMm, originMm, directions, dataType, levels, frame = null } = found;
  return { dimensions, voxelSizeMm, originMm, directions, dataType, levels, frame };
}
