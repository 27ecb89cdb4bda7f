/**
 * Writes a volume from its planes in order, with all coarser levels. Memory: a layer of chunks per level and the chunks
 * being written (64 planes and some; four thirds of that in total). Planes are copied into chunks as they arrive, and
 * written chunks are reused, because allocating costs more than copying. Shards grow layer by layer. Files are synced
 * once at the end, followed by the metadata, so that a partially written volume, after a crash or a cancellation, is
 * invisible to readers.
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

/** Chunks written concurrently; each is up to 2 MB. */
const PARALLEL_WRITES = 16;

export interface VolumeWriterOptions extends Grid {
  dataType: DataType;
  /** number of levels; default: until no dimension is above 64 */
  levels?: number;
  signal?: AbortSignal;
}

export interface VolumeWriter {
  readonly meta: VolumeMeta;
  /**
   * Appends any number of whole planes, x fastest. Their memory may be reused afterwards.
   *
   * @throws TypeError, RangeError when they do not fit the volume
   */
  append(planes: VoxelArray): Promise<void>;
  /**
   * Writes the remaining planes. From then on those who know `meta` can read the volume; it is invisible to others, and
   * is gone after a crash.
   *
   * @throws RangeError when planes are missing, and errors of the store; a failure leaves nothing behind
   */
  writeRest(): Promise<void>;
  /** Makes the volume visible, calling `writeRest` if necessary; a failure leaves nothing behind. */
  finish(): Promise<{ meta: VolumeMeta; sizeBytes: number }>;
  /** Removes everything that was written. */
  discard(): Promise<void>;
}

/** @param key an unused key of the store */
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

/** The layer of chunks of one level that is being filled. */
interface LevelBuffer {
  index: number;
  level: VolumeLevel;
  /** of the layer, x fastest */
  chunks: Chunk[];
  /** written chunks, for reuse */
  free: ChunkBytes[];
  /** planes in `chunks` */
  filled: number;
  /** chunks along z already written */
  chunkZ: number;
  /** the next coarser level, and the two planes averaged into one of its planes */
  coarser: { buffer: LevelBuffer; pair: VoxelArray; plane: VoxelArray } | undefined;
}

interface Chunk {
  /** position along x and y */
  at: [cx: number, cy: number];
  bytes: ChunkBytes;
}

type ChunkBytes = Uint8Array<ArrayBuffer>;

/** A shard to which chunks are still added. */
interface OpenShard {
  at: Vector3;
  parts: WritableStreamDefaultWriter<Uint8Array>;
  /** the last chunks it received, which may not be written yet */
  taken: ChunkBytes[];
  stored: Promise<void>;
}

class Writer implements VolumeWriter {
  readonly meta: VolumeMeta;
  readonly #store: ByteStore;
  readonly #key: string;
  readonly #signal: AbortSignal | undefined;
  /** the volume itself */
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
      return { index, level, chunks: [], free: [], filled: 0, chunkZ: 0, coarser: undefined };
    };
    const planes = (count: number, { dimensions: [width, height] }: VolumeLevel) =>
      voxelArray(meta.dataType, count * width * height);
    this.#finest = emptyBuffer(finest, 0);
    let last = this.#finest;
    for (const level of coarser) {
      const buffer = emptyBuffer(level, last.index + 1);
      last.coarser = { buffer, pair: planes(2, last.level), plane: planes(1, level) };
      last = buffer;
    }
  }

  async append(planes: VoxelArray): Promise<void> {
    const [width, height, depth] = this.meta.dimensions;
    if (planes.constructor !== voxelArray(this.meta.dataType, 0).constructor) {
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
    if (buffer.filled === 0) this.#takeChunks(buffer);
    placePlane(buffer, plane);
    buffer.coarser?.pair.set(plane, (buffer.filled % 2) * plane.length);
    buffer.filled += 1;
    // A chunk has an even number of planes unless it is the only one, so a pair never spans two chunks.
    if (buffer.filled % 2 === 0) await this.#coarsen(buffer, 2);
    if (buffer.filled === buffer.level.chunk[2]) await this.#writeChunks(buffer);
  }

  #takeChunks(buffer: LevelBuffer): void {
    const { level, free, chunkZ } = buffer;
    const isInside = (axis: 0 | 1 | 2, at: number) => (at + 1) * level.chunk[axis] <= level.dimensions[axis];
    buffer.chunks = listLayer(level).map((at) => {
      const used = free.pop();
      if (!used) return { at, bytes: new Uint8Array(chunkBytes(level, this.meta.dataType)) };
      // Voxels outside the volume are zero.
      if (!(isInside(0, at[0]) && isInside(1, at[1]) && isInside(2, chunkZ))) used.fill(0);
      return { at, bytes: used };
    });
  }

  async #coarsen({ level, coarser }: LevelBuffer, planes: number): Promise<void> {
    if (!coarser) return;
    const [width, height] = level.dimensions;
    meanPlane(coarser.pair, 0, planes, width, height, coarser.plane);
    await this.#add(coarser.buffer, coarser.plane);
  }

  async #writeChunks(buffer: LevelBuffer): Promise<void> {
    const { dimensions, chunk } = buffer.level;
    // The last plane of an odd number of planes has no partner.
    if (buffer.filled % 2 === 1) await this.#coarsen(buffer, 1);
    for (const {
      at: [cx, cy],
      bytes,
    } of buffer.chunks) {
      const shard = this.#openShard(buffer, [cx, cy, buffer.chunkZ]);
      await this.#write(shard, async ({ parts, taken }) => {
        await parts.write(bytes);
        taken.push(bytes);
        // The store has requested this one, so the one two before it is written.
        const written = taken.length > 2 ? taken.shift() : undefined;
        if (written) buffer.free.push(written);
      });
    }
    buffer.chunks = [];
    buffer.chunkZ += 1;
    buffer.filled = 0;
    const { shard } = buffer.level;
    const isLast = buffer.chunkZ * chunk[2] >= dimensions[2];
    if (shard && (isLast || (buffer.chunkZ * chunk[2]) % shard[2] === 0))
      await this.#closeShards(buffer, shard);
  }

  /** The shard of a chunk. Chunks arrive in the order z, y, x. */
  #openShard({ index, level }: LevelBuffer, chunk: Vector3): OpenShard {
    const at = findShard(level, chunk);
    const key = shardKey(this.#key, index, at);
    const found = this.#shards.get(key);
    if (found) return found;
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const stored = this.#store.putPart(key, readable).catch((error: unknown) => {
      this.#failure ??= { error };
    });
    const shard: OpenShard = { at, parts: writable.getWriter(), taken: [], stored };
    this.#shards.set(key, shard);
    return shard;
  }

  /** All shards of a level end with the last layer of chunks. */
  async #closeShards({ index, level, free }: LevelBuffer, cells: Vector3): Promise<void> {
    for (const [key, shard] of this.#shards) {
      if (!key.startsWith(`${this.#key}/${index}/`)) continue;
      await this.#write(shard, async ({ at, parts, taken, stored }) => {
        await parts.write(shardIndex(level, cells, at, this.meta.dataType));
        await parts.close();
        await stored;
        free.push(...taken);
      });
      // Only now: after an earlier failure it must be among those that are discarded.
      this.#shards.delete(key);
    }
  }

  /** Limits the number of concurrent writes. */
  async #write(shard: OpenShard, send: (shard: OpenShard) => Promise<void>): Promise<void> {
    if (this.#failure) throw this.#failure.error;
    // A failing store closes its stream; its own error is the one to report.
    const task: Promise<void> = Promise.race([send(shard), shard.stored])
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
    // Releases memory for counting and judging the stored volume.
    for (let level: LevelBuffer | undefined = this.#finest; level; level = level.coarser?.buffer)
      level.free = [];
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

const json = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value, undefined, 1));

/** Positions of the chunks of a layer along x and y, x fastest. */
function listLayer({ dimensions, chunk }: VolumeLevel): Chunk['at'][] {
  const columns = Math.ceil(dimensions[0] / chunk[0]);
  const rows = Math.ceil(dimensions[1] / chunk[1]);
  return Array.from({ length: columns * rows }, (_, i) => [i % columns, Math.floor(i / columns)]);
}

/**
 * Copies the next plane into the chunks of its layer in memory order; chunk by chunk, or plane by plane for a full
 * layer, takes three times as long.
 */
function placePlane({ level, chunks, filled }: LevelBuffer, plane: VoxelArray): void {
  const [width, height] = level.dimensions;
  const [chunkWidth, chunkHeight] = level.chunk;
  const bytesPerRow = width * plane.BYTES_PER_ELEMENT;
  const chunkRow = chunkWidth * plane.BYTES_PER_ELEMENT;
  const columns = Math.ceil(width / chunkWidth);
  const isWide = [bytesPerRow, chunkRow, plane.byteOffset].every((bytes) => bytes % 4 === 0);
  const copy = isWide ? copyWords(chunks, plane) : copyBytes(chunks, plane);
  for (let y = 0; y < height; y += 1) {
    const first = Math.floor(y / chunkHeight) * columns;
    const to = (filled * chunkHeight + (y % chunkHeight)) * chunkRow;
    for (let column = 0; column < columns; column += 1) {
      const start = column * chunkRow;
      copy(first + column, to, y * bytesPerRow + start, Math.min(chunkRow, bytesPerRow - start));
    }
  }
}

/** Copies bytes of the plane to a chunk. */
type CopyRow = (chunk: number, to: number, from: number, bytes: number) => void;

function copyBytes(chunks: readonly Chunk[], plane: VoxelArray): CopyRow {
  const source = new Uint8Array(plane.buffer, plane.byteOffset, plane.byteLength);
  return (chunk, to, from, bytes) => chunks[chunk]?.bytes.set(source.subarray(from, from + bytes), to);
}

/** Copies four bytes at a time without an object per row, which takes two thirds of the time. */
function copyWords(chunks: readonly Chunk[], plane: VoxelArray): CopyRow {
  const source = new Int32Array(plane.buffer, plane.byteOffset, plane.byteLength / 4);
  const targets = chunks.map(({ bytes }) => new Int32Array(bytes.buffer));
  return (chunk, to, from, bytes) => {
    const target = targets[chunk] as Int32Array;
    const [first, start, words] = [from >> 2, to >> 2, bytes >> 2];
    for (let i = 0; i < words; i += 1) target[start + i] = source[first + i] as number;
  };
}

/** Peak memory of a writer of this volume in bytes, including chunks being written. */
export function writerMemoryBytes(grid: Grid, dataType: DataType): number {
  let bytes = 0;
  for (const level of pyramid(grid)) {
    const [width, height] = level.dimensions;
    const chunks = listLayer(level).length;
    const files = new Set(listLayer(level).map(([cx, cy]) => findShard(level, [cx, cy, 0]).join())).size;
    bytes += (chunks + PARALLEL_WRITES + 2 * files) * chunkBytes(level, dataType);
    // Two planes, and their average.
    bytes += 2.25 * width * height * bytesPerVoxel[dataType];
  }
  return bytes;
}
