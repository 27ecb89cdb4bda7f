/**
 * Writes a volume from its planes in order, with all coarser levels, in memory of at most 64 planes a level
 * (four thirds of 64 planes of the volume in all). A file of chunks grows with the planes, layer by layer of its chunks.
 * The files are synced once at the end, and the metadata follows them, so that a volume which is half written, by a crash
 * or a cancel, is not there for any reader.
 */

import { meanPlane } from '#kernels/grid/mean-plane.ts';
import {
  bytesPerVoxel,
  type DataType,
  type Grid,
  type Vector3,
  type VoxelArray,
  voxelArray,
} from '#kernels/grid/volume.ts';
import type { ByteStore } from '../bytes/byte-store.ts';
import {
  arrayKey,
  arrayMetadata,
  chunkBytes,
  findShard,
  groupKey,
  groupMetadata,
  pyramid,
  shardIndex,
  shardKey,
  storedBytes,
  type VolumeLevel,
  type VolumeMeta,
} from './layout.ts';

/** Chunks that are being written at a time; each holds up to 2 MB. */
const PARALLEL_WRITES = 16;

export interface VolumeWriterOptions extends Grid {
  dataType: DataType;
  /** number of levels; until none of the dimensions is above 64 when not given */
  levels?: number;
  signal?: AbortSignal;
}

export interface VolumeWriter {
  readonly meta: VolumeMeta;
  /**
   * Takes the next planes: whole ones, x fastest, as many as one likes. They may be reused afterwards.
   *
   * @throws TypeError, RangeError when they don't fit the volume
   */
  append(planes: VoxelArray): Promise<void>;
  /**
   * Writes what is left of the planes. From now on who knows `meta` can read them; nobody else does, and after a crash
   * nothing is there.
   *
   * @throws RangeError when planes are missing, and the store's errors; what fails leaves nothing
   */
  writeRest(): Promise<void>;
  /** Makes the volume visible, after `writeRest` if that was not called; what fails leaves nothing. */
  finish(): Promise<{ meta: VolumeMeta; sizeBytes: number }>;
  /** Removes all that was written. */
  discard(): Promise<void>;
}

/** @param key a key of the store under which nothing is yet */
export function createVolumeWriter(
  store: ByteStore,
  key: string,
  options: VolumeWriterOptions,
): VolumeWriter {
  const levels = pyramid(options, options.levels);
  const { dimensions, voxelSizeMm, originMm, directions, dataType } = options;
  return new Writer(
    store,
    key,
    { dimensions, voxelSizeMm, originMm, directions, dataType, levels, frame: 'LPS' },
    options.signal,
  );
}

/** The planes of one level that do not fill a chunk yet. */
interface LevelBuffer {
  index: number;
  level: VolumeLevel;
  voxels: VoxelArray;
  /** planes in `voxels` */
  filled: number;
  /** chunks along z written already */
  chunkZ: number;
  /** the next level, and what receives the next plane of it */
  coarser: { buffer: LevelBuffer; plane: VoxelArray } | undefined;
}

/** A file that chunks are still added to. */
interface OpenShard {
  at: Vector3;
  parts: WritableStreamDefaultWriter<Uint8Array>;
  stored: Promise<void>;
}

class Writer implements VolumeWriter {
  readonly meta: VolumeMeta;
  readonly #store: ByteStore;
  readonly #key: string;
  readonly #signal: AbortSignal | undefined;
  /** of the volume itself */
  readonly #finest: LevelBuffer;
  readonly #writing = new Set<Promise<void>>();
  readonly #shards = new Map<string, OpenShard>();
  #failure: { error: unknown } | undefined;
  #planes = 0;

  constructor(store: ByteStore, key: string, meta: VolumeMeta, signal: AbortSignal | undefined) {
    this.meta = meta;
    this.#store = store;
    this.#key = key;
    this.#signal = signal;
    const [finest, ...coarser] = meta.levels;
    const emptyBuffer = (level: VolumeLevel, index: number): LevelBuffer => {
      const [width, height] = level.dimensions;
      const voxels = voxelArray(meta.dataType, width * height * heldPlanes(level));
      return { index, level, voxels, filled: 0, chunkZ: 0, coarser: undefined };
    };
    this.#finest = emptyBuffer(finest, 0);
    let last = this.#finest;
    for (const level of coarser) {
      const [width, height] = level.dimensions;
      const buffer = emptyBuffer(level, last.index + 1);
      last.coarser = { buffer, plane: voxelArray(meta.dataType, width * height) };
      last = buffer;
    }
  }

  async append(planes: VoxelArray): Promise<void> {
    const { voxels } = this.#finest;
    const [width, height, depth] = this.meta.dimensions;
    if (planes.constructor !== voxels.constructor) {
      throw new TypeError(`planes are ${planes.constructor.name}, the volume holds ${this.meta.dataType}`);
    }
    const planeSize = width * height;
    const count = planes.length / planeSize;
    if (!Number.isInteger(count) || this.#planes + count > depth) {
      throw new RangeError(
        `${planes.length} values after ${this.#planes} planes do not fit: ` +
          `a plane has ${width} × ${height} values and the volume ${depth} planes`,
      );
    }
    for (let i = 0; i < count; i += 1) {
      this.#signal?.throwIfAborted();
      await this.#add(this.#finest, planes.subarray(i * planeSize, (i + 1) * planeSize));
      this.#planes += 1;
    }
  }

  async #add(buffer: LevelBuffer, plane: VoxelArray): Promise<void> {
    if (heldPlanes(buffer.level) === 0) buffer.voxels = plane;
    else buffer.voxels.set(plane, buffer.filled * plane.length);
    buffer.filled += 1;
    // A chunk has an even number of planes unless it is the only one, so a pair never lies in two of them.
    if (buffer.filled % 2 === 0) await this.#coarsen(buffer, 2);
    if (buffer.filled === buffer.level.chunk[2]) await this.#writeChunks(buffer);
  }

  async #coarsen({ level, voxels, filled, coarser }: LevelBuffer, planes: number): Promise<void> {
    if (!coarser) return;
    const [width, height] = level.dimensions;
    meanPlane(voxels, (filled - planes) * width * height, planes, width, height, coarser.plane);
    await this.#add(coarser.buffer, coarser.plane);
  }

  async #writeChunks(buffer: LevelBuffer): Promise<void> {
    const { dimensions, chunk } = buffer.level;
    // The plane without a partner at the end of an odd number of planes.
    if (buffer.filled % 2 === 1) await this.#coarsen(buffer, 1);
    for (let cy = 0; cy * chunk[1] < dimensions[1]; cy += 1) {
      for (let cx = 0; cx * chunk[0] < dimensions[0]; cx += 1) {
        const voxels = cutChunk(buffer, cy, cx, this.meta.dataType);
        await this.#write(this.#openShard(buffer, [cx, cy, buffer.chunkZ]), (parts) =>
          parts.write(new Uint8Array(voxels.buffer, voxels.byteOffset, voxels.byteLength)),
        );
      }
    }
    buffer.chunkZ += 1;
    buffer.filled = 0;
    const { shard } = buffer.level;
    const isLast = buffer.chunkZ * chunk[2] >= dimensions[2];
    if (shard && (isLast || (buffer.chunkZ * chunk[2]) % shard[2] === 0))
      await this.#closeShards(buffer, shard);
  }

  /** The file that takes a chunk. Chunks come to it in the order z, y, x. */
  #openShard({ index, level }: LevelBuffer, chunk: Vector3): OpenShard {
    const at = findShard(level, chunk);
    const key = shardKey(this.#key, index, at);
    const found = this.#shards.get(key);
    if (found) return found;
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const stored = this.#store.putPart(key, readable).catch((error: unknown) => {
      this.#failure ??= { error };
    });
    const shard = { at, parts: writable.getWriter(), stored };
    this.#shards.set(key, shard);
    return shard;
  }

  /** All files of a level end with the layer of chunks that was written last. */
  async #closeShards({ index, level }: LevelBuffer, cells: Vector3): Promise<void> {
    for (const [key, shard] of this.#shards) {
      if (!key.startsWith(`${this.#key}/${index}/`)) continue;
      await this.#write(shard, async (parts) => {
        await parts.write(shardIndex(level, cells, shard.at, this.meta.dataType));
        await parts.close();
        await shard.stored;
      });
      // Only now: where writing has failed before, it is among those that are given up.
      this.#shards.delete(key);
    }
  }

  /** Lets so many parts be on their way and waits when there are more. */
  async #write(shard: OpenShard, send: (parts: OpenShard['parts']) => Promise<void>): Promise<void> {
    if (this.#failure) throw this.#failure.error;
    // A store that fails takes no more parts: what it says counts, not that its stream is closed.
    const task: Promise<void> = Promise.race([send(shard.parts), shard.stored])
      .catch(() => shard.stored)
      .finally(() => this.#writing.delete(task));
    this.#writing.add(task);
    if (this.#writing.size >= PARALLEL_WRITES) await Promise.race(this.#writing);
  }

  async writeRest(): Promise<void> {
    const depth = this.meta.dimensions[2];
    if (this.#planes !== depth)
      throw new RangeError(`the volume has ${depth} planes and only ${this.#planes} were given`);
    await this.#leaveNothing(() => this.#writeChunksLeft());
  }

  async finish(): Promise<{ meta: VolumeMeta; sizeBytes: number }> {
    await this.writeRest();
    await this.#leaveNothing(() => this.#describe());
    return { meta: this.meta, sizeBytes: storedBytes(this.meta) };
  }

  async #leaveNothing(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      await this.discard();
      throw error;
    }
  }

  async #writeChunksLeft(): Promise<void> {
    for (let level: LevelBuffer | undefined = this.#finest; level; level = level.coarser?.buffer)
      if (level.filled > 0) await this.#writeChunks(level);
    await Promise.all(this.#writing);
    if (this.#failure) throw this.#failure.error;
    this.#signal?.throwIfAborted();
  }

  async #describe(): Promise<void> {
    for (const [index, level] of this.meta.levels.entries()) {
      await this.#store.putPart(arrayKey(this.#key, index), json(arrayMetadata(level, this.meta.dataType)));
    }
    await this.#store.flush(`${this.#key}/`);
    this.#signal?.throwIfAborted();
    await this.#store.put(groupKey(this.#key), json(groupMetadata(this.meta)));
  }

  async discard(): Promise<void> {
    const ended = new Error('the volume is given up');
    for (const { parts } of this.#shards.values()) void parts.abort(ended).catch(() => undefined);
    await Promise.all([...this.#writing, ...[...this.#shards.values()].map(({ stored }) => stored)]);
    this.#shards.clear();
    await this.#store.deleteAll(`${this.#key}/`);
  }
}

/** Planes that a level keeps until they fill a chunk; the only plane of a level is written from where it came. */
const heldPlanes = ({ chunk }: VolumeLevel): number => (chunk[2] === 1 ? 0 : chunk[2]);

const json = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value, undefined, 1));

/** A copy of one chunk, padded with zeros where it reaches beyond the volume. */
function cutChunk(buffer: LevelBuffer, cy: number, cx: number, dataType: DataType): VoxelArray {
  const { dimensions, chunk } = buffer.level;
  const [width, height] = dimensions;
  const [xStart, yStart] = [cx * chunk[0], cy * chunk[1]];
  const xCount = Math.min(chunk[0], width - xStart);
  const yCount = Math.min(chunk[1], height - yStart);
  const voxels = voxelArray(dataType, chunk[0] * chunk[1] * chunk[2]);
  for (let z = 0; z < buffer.filled; z += 1) {
    for (let y = 0; y < yCount; y += 1) {
      const from = (z * height + yStart + y) * width + xStart;
      voxels.set(buffer.voxels.subarray(from, from + xCount), (z * chunk[1] + y) * chunk[0]);
    }
  }
  return voxels;
}

/** Bytes that a writer of this volume holds in memory at most, chunks under way included. */
export function writerMemoryBytes(grid: Grid, dataType: DataType): number {
  let bytes = 0;
  for (const [index, level] of pyramid(grid).entries()) {
    // Each level but the finest has the next plane of it besides.
    const planes = heldPlanes(level) + (index > 0 ? 1 : 0);
    bytes += level.dimensions[0] * level.dimensions[1] * planes * bytesPerVoxel[dataType];
    bytes += PARALLEL_WRITES * chunkBytes(level, dataType);
  }
  return bytes;
}
