/**
 * Chunks that were read, the least recently used ones dropped when they take more than so many bytes. The memory of a
 * dropped one serves the next: to get it from the system takes longer than to read what the system has of a file.
 */
import type { VoxelArray } from '#kernels/grid/volume.ts';

interface Kept {
  loading: Promise<VoxelArray>;
  buffer: ArrayBuffer;
  /** those who read its values now */
  users: number;
}

export class ChunkCache {
  readonly #maxBytes: number;
  /** in order of use: a Map keeps the order in which keys were set */
  readonly #kept = new Map<string, Kept>();
  /** of chunks that were dropped; with those that are kept, no more than may be kept */
  #free: ArrayBuffer[] = [];
  /** of kept and free ones */
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  has(key: string): boolean {
    return this.#kept.has(key);
  }

  /**
   * Runs `work` on a chunk from memory, or from `read`, once for all who ask meanwhile. Its values are its own until `work`
   * has ended, and then may be another chunk's.
   *
   * @param read makes values of the bytes that it fills
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
          // Whoever asks next tries again; the memory may still be written to.
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

  /** Drops what was not used for longest, until so many bytes more would fit, or everything is being read. */
  #makeRoom(bytes: number): void {
    if (this.#bytes + bytes <= this.#maxBytes) return;
    // One that fits is taken as it is.
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
