/**
 * LRU cache of chunks, limited in bytes. The memory of evicted chunks is reused: allocating it takes longer than
 * reading a file from the system's cache.
 */
import type { VoxelArray } from '#kernels/grid/volume.ts';

interface Kept {
  loading: Promise<VoxelArray>;
  buffer: ArrayBuffer;
  /** number of current readers of its values */
  users: number;
}

export class ChunkCache {
  readonly #maxBytes: number;
  /** least recently used first: a Map keeps insertion order */
  readonly #kept = new Map<string, Kept>();
  /** buffers of evicted chunks; together with the kept ones within the limit */
  #free: ArrayBuffer[] = [];
  /** total size of kept and free buffers */
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  has(key: string): boolean {
    return this.#kept.has(key);
  }

  /**
   * Runs `work` on a cached chunk, or on one from `read`, which is called once for concurrent requests. The values are
   * valid only until `work` has ended; then the memory may be reused.
   *
   * @param read returns values from the bytes that it fills
   */
  async use<Result>(
    key: string,
    bytes: number,
    read: (target: Uint8Array<ArrayBuffer>) => Promise<VoxelArray>,
    work: (chunk: VoxelArray) => Result | Promise<Result>,
  ): Promise<Result> {
    const kept = this.#kept.get(key) ?? this.#begin(bytes, read);
    kept.users += 1;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    try {
      return await work(
        await kept.loading.catch((error: unknown) => {
          // The next request retries; the memory may still be written to.
          if (this.#kept.get(key) === kept) {
            this.#kept.delete(key);
            this.#bytes -= kept.buffer.byteLength;
          }
          throw error;
        }),
      );
    } finally {
      kept.users -= 1;
      this.#makeRoom(0);
    }
  }

  #begin(bytes: number, read: (target: Uint8Array<ArrayBuffer>) => Promise<VoxelArray>): Kept {
    this.#makeRoom(bytes);
    const at = this.#free.findLastIndex(({ byteLength }) => byteLength === bytes);
    let [buffer] = at < 0 ? [] : this.#free.splice(at, 1);
    if (!buffer) {
      buffer = new ArrayBuffer(bytes);
      this.#bytes += bytes;
    }
    return { loading: read(new Uint8Array(buffer)), buffer, users: 0 };
  }

  /** Evicts the least recently used chunks until this many bytes fit, or all are in use. */
  #makeRoom(bytes: number): void {
    if (this.#bytes + bytes <= this.#maxBytes) return;
    // A free buffer of the same size is reused as it is.
    if (bytes > 0 && this.#free.some(({ byteLength }) => byteLength === bytes)) return;
    for (const [key, { buffer, users }] of this.#kept) {
      if (users > 0) continue;
      this.#kept.delete(key);
      if (buffer.byteLength === bytes) {
        this.#free.push(buffer);
        return;
      }
      this.#bytes -= buffer.byteLength;
      if (this.#bytes + bytes <= this.#maxBytes) return;
    }
    for (const { byteLength } of this.#free) this.#bytes -= byteLength;
    this.#free = [];
  }
}
