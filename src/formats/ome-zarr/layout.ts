/**
 * How a volume is stored in a byte store: OME-Zarr 0.5 on Zarr v3, readable by other programs.
 *
 *   <key>/zarr.json             the group: axes, levels with scale and translation in mm; written last
 *   <key>/<level>/zarr.json     one array: shape, shard and chunk shape, data type
 *   <key>/<level>/c/<z>/<y>/<x> one shard: a file of chunks, followed by the index of their offsets
 *
 * A chunk is a brick of 64³ voxels: raw little-endian values, x fastest, padded to the chunk's shape. With bricks, a
 * plane along any axis reads few bytes that it does not need; they are raw, because noisy CT grey values do not
 * compress and decoding takes longer than the kernels do. Volumes of earlier versions have chunks of 128³, one file
 * each.
 * Sources: https://ngff.openmicroscopy.org/0.5/, https://zarr-specs.readthedocs.io/en/latest/v3/core/,
 * https://zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed/
 */

import { bytesPerVoxel, type DataType, type Grid, mapVector, type Vector3 } from '#kernels/grid/volume.ts';
import { crc32c } from '../bytes/crc32.ts';

export interface VolumeLevel extends Grid {
  /** voxels of a chunk along x, y, z */
  chunk: Vector3;
  /** voxels of a shard; null when each chunk is a file, as in earlier versions */
  shard: Vector3 | null;
}

type Levels = [VolumeLevel, ...VolumeLevel[]];

export interface VolumeMeta extends Grid {
  dataType: DataType;
  /** axis convention; null in volumes of versions that did not convert positions */
  frame: 'LPS' | null;
  /** finest first; level 0 is the volume itself */
  levels: Levels;
}

/** The coarsest level that is fine enough; otherwise the volume itself. */
export function findLevel(
  { levels }: Pick<VolumeMeta, 'levels'>,
  isFineEnough: (level: VolumeLevel) => boolean,
): { index: number; grid: VolumeLevel } {
  const index = Math.max(0, levels.findLastIndex(isFineEnough));
  return { index, grid: levels[index] ?? levels[0] };
}

const chunkCells = 64;
const shardCells = 256;
/** levels are added until no dimension is larger */
const COARSEST_DIMENSION = 64;

/** @throws RangeError stating what is wrong with the grid */
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
 * The levels of a volume: each halves every dimension above 1 (rounded up). The centre of a coarse voxel is the centre
 * of the voxels it covers, so the origin moves by half a voxel.
 *
 * @param count number of levels; default: until no dimension is above 64
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
  const chunk = mapVector(dimensions, (n) => Math.min(n, chunkCells));
  const shard = mapVector(dimensions, (n, axis) =>
    Math.min(shardCells, Math.ceil(n / chunk[axis]) * chunk[axis]),
  );
  return { dimensions, voxelSizeMm, originMm, directions, chunk, shard };
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

const computeVolume = ([x, y, z]: Readonly<Vector3>): number => x * y * z;
const countAlong = (grid: VolumeLevel, cells: Vector3): Vector3 =>
  mapVector(grid.dimensions, (n, axis) => Math.ceil(n / cells[axis]));

/** Bytes of a chunk including padding. */
export const chunkBytes = ({ chunk }: VolumeLevel, dataType: DataType): number =>
  computeVolume(chunk) * bytesPerVoxel[dataType];

/** Bytes of the voxels of a level, without padding. */
export const levelBytes = ({ dimensions }: VolumeLevel, dataType: DataType): number =>
  computeVolume(dimensions) * bytesPerVoxel[dataType];

/** Bytes of all chunks of all levels, including padding and indices. */
export function storedBytes(meta: Pick<VolumeMeta, 'levels' | 'dataType'>): number {
  let bytes = 0;
  for (const level of meta.levels) {
    bytes += computeVolume(countAlong(level, level.chunk)) * chunkBytes(level, meta.dataType);
    if (level.shard) bytes += computeVolume(countAlong(level, level.shard)) * indexBytes(level);
  }
  return bytes;
}

/** Chunks per shard along each axis: the capacity, and how many of them the volume has. */
interface ShardChunks {
  room: Vector3;
  first: Vector3;
  count: Vector3;
}

function listShardChunks(grid: VolumeLevel, shard: Vector3, at: Vector3): ShardChunks {
  const room = mapVector(shard, (cells, axis) => cells / grid.chunk[axis]);
  const first = mapVector(at, (n, axis) => n * room[axis]);
  const all = countAlong(grid, grid.chunk);
  return { room, first, count: mapVector(all, (n, axis) => Math.min(room[axis], n - first[axis])) };
}

/** The shard of a chunk; the chunk itself when each chunk is a file. */
export const findShard = ({ chunk, shard }: VolumeLevel, at: Vector3): Vector3 =>
  shard ? mapVector(at, (n, axis) => Math.floor((n * chunk[axis]) / shard[axis])) : at;

/**
 * The file of a chunk and its byte offset. Existing chunks are stored in the order z, y, x without gaps, so that the
 * index, which other programs need, does not have to be read.
 *
 * @param at number of the chunk along x, y, z
 */
export function placeChunk(
  key: string,
  meta: VolumeMeta,
  level: number,
  grid: VolumeLevel,
  at: Vector3,
): { key: string; start: number } {
  const file = findShard(grid, at);
  const name = shardKey(key, level, file);
  if (!grid.shard) return { key: name, start: 0 };
  const { first, count } = listShardChunks(grid, grid.shard, file);
  const [x, y, z] = mapVector(at, (n, axis) => n - first[axis]);
  return { key: name, start: ((z * count[1] + y) * count[0] + x) * chunkBytes(grid, meta.dataType) };
}

const indexBytes = ({ chunk, shard }: VolumeLevel): number =>
  shard ? (16 * computeVolume(shard)) / computeVolume(chunk) + 4 : 0;

/**
 * Index at the end of a shard: offset and size of each chunk, u64, in the order z, y, x, all ones for chunks outside
 * the volume; then the CRC-32C of that.
 */
export function shardIndex(grid: VolumeLevel, shard: Vector3, at: Vector3, dataType: DataType): Uint8Array {
  const bytes = new Uint8Array(indexBytes(grid)).fill(255);
  const view = new DataView(bytes.buffer);
  const { room, count } = listShardChunks(grid, shard, at);
  const size = chunkBytes(grid, dataType);
  let stored = 0;
  for (let z = 0; z < count[2]; z += 1)
    for (let y = 0; y < count[1]; y += 1)
      for (let x = 0; x < count[0]; x += 1, stored += 1) {
        const entry = 16 * ((z * room[1] + y) * room[0] + x);
        view.setBigUint64(entry, BigInt(stored * size), true);
        view.setBigUint64(entry + 8, BigInt(size), true);
      }
  const end = bytes.byteLength - 4;
  view.setUint32(end, crc32c(bytes.subarray(0, end)), true);
  return bytes;
}

export const shardKey = (key: string, level: number, [x, y, z]: Vector3): string =>
  `${key}/${level}/c/${z}/${y}/${x}`;
export const groupKey = (key: string): string => `${key}/zarr.json`;
export const arrayKey = (key: string, level: number): string => `${key}/${level}/zarr.json`;

/** Zarr lists axes slowest first. */
const slowestFirst = (v: Vector3): Vector3 => [v[2], v[1], v[0]];

export function arrayMetadata(level: VolumeLevel, dataType: DataType): object {
  // Single-byte values have no byte order, and Zarr then requires it to be omitted.
  const values =
    bytesPerVoxel[dataType] === 1
      ? { name: 'bytes' }
      : { name: 'bytes', configuration: { endian: 'little' } };
  const sharding = {
    name: 'sharding_indexed',
    configuration: {
      chunk_shape: slowestFirst(level.chunk),
      codecs: [values],
      index_codecs: [{ name: 'bytes', configuration: { endian: 'little' } }, { name: 'crc32c' }],
      index_location: 'end',
    },
  };
  return {
    zarr_format: 3,
    node_type: 'array',
    shape: slowestFirst(level.dimensions),
    data_type: dataType,
    chunk_grid: { name: 'regular', configuration: { chunk_shape: slowestFirst(level.shard ?? level.chunk) } },
    chunk_key_encoding: { name: 'default', configuration: { separator: '/' } },
    fill_value: 0,
    codecs: [level.shard ? sharding : values],
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
      // OME-Zarr 0.5 cannot store directions; this stores everything exactly.
      scanwright: { format: 2, ...meta },
    },
  };
}

/**
 * The volume described by a group's metadata.
 *
 * @throws Error when this program did not write it
 */
export function parseGroupMetadata(text: string, key: string): VolumeMeta {
  const attributes = (JSON.parse(text) as { attributes?: { scanwright?: VolumeMeta & { format: number } } })
    .attributes;
  const found = attributes?.scanwright;
  if (
    !found ||
    !(found.format === 1 || found.format === 2) ||
    !(found.dataType in bytesPerVoxel) ||
    !found.levels?.length
  ) {
    throw new Error(`${groupKey(key)} does not describe a volume of this program`);
  }
  const { dimensions, voxelSizeMm, originMm, directions, dataType, frame = null } = found;
  const [finest, ...coarser] = found.levels;
  const levels: Levels = [finest, ...coarser];
  // Format 1 has no shards.
  for (const level of levels) level.shard ??= null;
  return { dimensions, voxelSizeMm, originMm, directions, dataType, levels, frame };
}
