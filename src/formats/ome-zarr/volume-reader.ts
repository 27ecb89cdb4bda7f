/** Reads parts of a stored volume: only the chunks, and within them the planes, that are needed. */

import { type ObliquePlane, type ObliqueSampler, samplePlane } from '#kernels/grid/oblique-plane.ts';
import {
  type BoxSource,
  bytesPerVoxel,
  mapVector,
  type SlabSource,
  type StoredBox,
  type Vector3,
  type VoxelArray,
  voxelArray,
} from '#kernels/grid/volume.ts';
import { decodeVoxels } from '../bytes/byte-order.ts';
import type { ByteStore } from '../bytes/byte-store.ts';
import { ChunkCache } from './chunk-cache.ts';
import {
  chunkBytes,
  groupKey,
  parseGroupMetadata,
  placeChunk,
  type VolumeLevel,
  type VolumeMeta,
} from './layout.ts';

const DEFAULT_CACHE_BYTES = 256 * 1024 * 1024;
const PARALLEL_READS = 8;

export type Axis = 'x' | 'y' | 'z';

/** Pixels of a plane: first column and row, and one past the last. */
export type PlaneRect = readonly [left: number, top: number, right: number, bottom: number];

/** The axis normal to a plane, then those along its width and height. */
export const planeAxes = { x: [0, 1, 2], y: [1, 0, 2], z: [2, 0, 1] } as const;

export interface VolumePlane {
  /** row-major: x along the width and y along the height for axis z; x and z for y; y and z for x */
  data: VoxelArray;
  width: number;
  height: number;
}

export interface VolumeReaderOptions {
  /** cache, which several volumes may share; default: 256 MB of its own */
  cache?: ChunkCache;
}

export class VolumeReader {
  readonly meta: VolumeMeta;
  readonly key: string;
  readonly #store: ByteStore;
  readonly #cache: ChunkCache;

  constructor(store: ByteStore, key: string, meta: VolumeMeta, cache = new ChunkCache(DEFAULT_CACHE_BYTES)) {
    this.#store = store;
    this.key = key;
    this.meta = meta;
    this.#cache = cache;
  }

  /** One level as a source of slabs. */
  slabs(level: number): SlabSource & { readonly boxes: BoxSource } {
    const grid = this.#level(level);
    return {
      grid,
      dataType: this.meta.dataType,
      readSlab: (zStart, zEnd, signal) => this.readSlab(level, zStart, zEnd, signal),
      boxes: {
        size: grid.chunk,
        atOnce: PARALLEL_READS,
        read: (min, max, take, signal) => this.#readBoxes(level, min, max, take, signal),
      },
    };
  }

  /** Planes zStart … zEnd−1, whole, x fastest. Bypasses the cache, as sequential readers do not return. */
  readSlab(level: number, zStart: number, zEnd: number, signal?: AbortSignal): Promise<VoxelArray> {
    const [width, height] = this.#level(level).dimensions;
    return this.#readBox(level, [0, 0, zStart], [width, height, zEnd], false, signal);
  }

  /**
   * The plane at `index` along `axis`, or a part of it. Planes across z are read individually, others by whole chunks.
   */
  async readPlane(
    level: number,
    axis: Axis,
    index: number,
    { rect, signal }: { rect?: PlaneRect | undefined; signal?: AbortSignal | undefined } = {},
  ): Promise<VolumePlane> {
    const { dimensions } = this.#level(level);
    const [across, u, v] = planeAxes[axis];
    const min: Vector3 = [0, 0, 0];
    const max: Vector3 = [...dimensions];
    if (rect) [min[u], min[v], max[u], max[v]] = rect;
    min[across] = index;
    max[across] = index + 1;
    const data = await this.#readBox(level, min, max, axis !== 'z', signal);
    return { data, width: max[u] - min[u], height: max[v] - min[v] };
  }

  /** The volume on any plane, trilinear; NaN outside. */
  samplePlane(level: number, plane: ObliquePlane, signal?: AbortSignal): Promise<Float32Array> {
    const grid = this.#level(level);
    const sampler: ObliqueSampler = {
      grid,
      chunk: grid.chunk,
      loadChunk: (at, until) =>
        new Promise((resolve, reject) => {
          const use = async (voxels: VoxelArray) => {
            resolve(voxels);
            await until;
          };
          this.#withChunk(level, at, use).catch(reject);
        }),
    };
    return samplePlane(sampler, plane, signal);
  }

  #level(level: number): VolumeLevel {
    const found = this.meta.levels[level];
    if (!found)
      throw new RangeError(
        `there is no level ${level}: the volume has levels 0 to ${this.meta.levels.length - 1}`,
      );
    return found;
  }

  /** Voxels min … max−1 along each axis, x fastest. */
  async #readBox(
    level: number,
    min: Vector3,
    max: Vector3,
    useWholeChunks: boolean,
    signal?: AbortSignal,
  ): Promise<VoxelArray> {
    const { chunk } = this.#level(level);
    this.#checkBox(level, min, max);
    const size = mapVector(max, (end, axis) => end - min[axis]);
    const target = voxelArray(this.meta.dataType, size[0] * size[1] * size[2]);
    await eachChunk(chunk, min, max, signal, async (at, zFirst, zLast) => {
      const copy = (voxels: VoxelArray, zFirst: number) =>
        copyChunk({ voxels, zFirst }, at, chunk, target, { min, max });
      if (useWholeChunks || this.#cache.has(this.#name(level, at))) {
        signal?.throwIfAborted();
        await this.#withChunk(level, at, (voxels) => copy(voxels, 0));
      } else copy(await this.#readPlanes(level, at, zFirst, zLast, signal), zFirst);
    });
    return target;
  }

  async #readBoxes(
    level: number,
    min: Vector3,
    max: Vector3,
    take: (box: StoredBox) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<void> {
    const { chunk } = this.#level(level);
    const planeBytes = chunk[0] * chunk[1] * bytesPerVoxel[this.meta.dataType];
    this.#checkBox(level, min, max);
    await eachChunk(chunk, min, max, signal, async (at, zFirst, zLast) => {
      const { key, start } = this.#place(level, at);
      await take({
        from: [at[0] * chunk[0], at[1] * chunk[1], at[2] * chunk[2] + zFirst],
        size: [chunk[0], chunk[1], zLast - zFirst],
        load: (target) =>
          this.#store.readInto(target, key, start + zFirst * planeBytes, signal).catch(nameDamage),
      });
    });
  }

  #checkBox(level: number, min: Vector3, max: Vector3): void {
    const { dimensions } = this.#level(level);
    for (const axis of [0, 1, 2] as const) {
      const isInside = Number.isInteger(min[axis]) && Number.isInteger(max[axis]) && min[axis] >= 0;
      if (!isInside || max[axis] <= min[axis] || max[axis] > dimensions[axis]) {
        throw new RangeError(
          `cells ${min[axis]} to ${max[axis]} along ${'xyz'[axis]} are not within 0 to ${dimensions[axis]} of level ${level}`,
        );
      }
    }
  }

  /**
   * Runs `work` on a whole chunk, whose values are valid until `work` has ended. Takes no signal, because several may
   * wait for the same chunk, and aborting one must not affect the others.
   */
  #withChunk(level: number, at: Vector3, work: (voxels: VoxelArray) => void | Promise<void>): Promise<void> {
    const { dataType } = this.meta;
    const { key, start } = this.#place(level, at);
    const read = async (target: Uint8Array<ArrayBuffer>) => {
      await this.#store.readInto(target, key, start).catch(nameDamage);
      return decodeVoxels(target, dataType, 'little');
    };
    return this.#cache.use(this.#name(level, at), chunkBytes(this.#level(level), dataType), read, work);
  }

  #place(level: number, at: Vector3): { key: string; start: number } {
    return placeChunk(this.key, this.meta, level, this.#level(level), at);
  }

  /** Cache key of a chunk. */
  #name(level: number, at: Vector3): string {
    return `${this.key}/${level}/${at.join('/')}`;
  }

  /** Planes zFirst … zLast−1 of a chunk. */
  async #readPlanes(
    level: number,
    at: Vector3,
    zFirst: number,
    zLast: number,
    signal?: AbortSignal,
  ): Promise<VoxelArray> {
    const { chunk } = this.#level(level);
    const planeBytes = chunk[0] * chunk[1] * bytesPerVoxel[this.meta.dataType];
    const { key, start } = this.#place(level, at);
    const range = { start: start + zFirst * planeBytes, end: start + zLast * planeBytes };
    const bytes = await this.#store.read(key, range, signal).catch(nameDamage);
    const missing = range.end - range.start - bytes.byteLength;
    if (missing > 0) throw new Error(`the volume is damaged: ${key} ends ${missing} bytes early`);
    return decodeVoxels(bytes, this.meta.dataType, 'little');
  }
}

/** Distinguishes a truncated file from a missing one. */
function nameDamage(error: unknown): never {
  throw error instanceof RangeError ? new Error(`the volume is damaged: ${error.message}`) : error;
}

/**
 * Opens a finished volume.
 *
 * @throws the store's error when there is none, or it is still being written
 */
export async function openVolumeReader(
  store: ByteStore,
  key: string,
  options: VolumeReaderOptions = {},
): Promise<VolumeReader> {
  const meta = parseGroupMetadata(new TextDecoder().decode(await store.read(groupKey(key))), key);
  return new VolumeReader(store, key, meta, options.cache);
}

/** Runs `work` on every chunk that overlaps min … max−1, with the overlapping planes. */
async function eachChunk(
  chunk: Vector3,
  min: Vector3,
  max: Vector3,
  signal: AbortSignal | undefined,
  work: (at: Vector3, zFirst: number, zLast: number) => Promise<void>,
): Promise<void> {
  const tasks: (() => Promise<void>)[] = [];
  for (let cz = Math.floor(min[2] / chunk[2]); cz * chunk[2] < max[2]; cz += 1) {
    const zFirst = Math.max(0, min[2] - cz * chunk[2]);
    const zLast = Math.min(chunk[2], max[2] - cz * chunk[2]);
    for (let cy = Math.floor(min[1] / chunk[1]); cy * chunk[1] < max[1]; cy += 1) {
      for (let cx = Math.floor(min[0] / chunk[0]); cx * chunk[0] < max[0]; cx += 1) {
        tasks.push(() => work([cx, cy, cz], zFirst, zLast));
      }
    }
  }
  await runAll(tasks, signal);
}

async function runAll(tasks: (() => Promise<void>)[], signal?: AbortSignal): Promise<void> {
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < tasks.length) {
      signal?.throwIfAborted();
      const task = tasks[next];
      next += 1;
      await task?.();
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL_READS, tasks.length) }, run));
}

/** Copies the overlap of a chunk and the box min … max. */
function copyChunk(
  { voxels: source, zFirst: sourceZ }: { voxels: VoxelArray; zFirst: number },
  at: Vector3,
  chunk: Vector3,
  target: VoxelArray,
  { min, max }: { min: Vector3; max: Vector3 },
): void {
  const start = mapVector(at, (index, axis) => Math.max(min[axis], index * chunk[axis]));
  const end = mapVector(at, (index, axis) => Math.min(max[axis], (index + 1) * chunk[axis]));
  const [width, height] = [max[0] - min[0], max[1] - min[1]];
  const length = end[0] - start[0];
  for (let z = start[2]; z < end[2]; z += 1) {
    const plane = z - at[2] * chunk[2] - sourceZ;
    for (let y = start[1]; y < end[1]; y += 1) {
      const from = (plane * chunk[1] + y - at[1] * chunk[1]) * chunk[0] + start[0] - at[0] * chunk[0];
      const to = ((z - min[2]) * height + y - min[1]) * width + start[0] - min[0];
      if (length === 1) target[to] = source[from] ?? 0;
      else target.set(source.subarray(from, from + length), to);
    }
  }
}
