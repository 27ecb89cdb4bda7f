/** Chunks that were read, the least recently used ones dropped when they take more than so many bytes. */
import type { VoxelArray } from '#kernels/grid/volume.ts';

export class ChunkCache {
  readonly #maxBytes: number;
  /** in order of use: a Map keeps the order in which keys were set */
  readonly #chunks = new Map<string, VoxelArray>();
  readonly #loading = new Map<string, Promise<VoxelArray>>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): VoxelArray | undefined {
    const found = this.#chunks.get(key);
    if (found) {
      this.#chunks.delete(key);
      this.#chunks.set(key, found);
    }
    return found;
  }

  /** The chunk from memory, or from `read`, once for all who ask meanwhile. */
  async load(key: string, read: () => Promise<VoxelArray>): Promise<VoxelArray> {
    const found = this.get(key);
    if (found) return found;
    const loading = this.#loading.get(key);
    if (loading) return loading;
    const task = read()
      .then((chunk) => {
        this.#keep(key, chunk);
        return chunk;
      })
      .finally(() => this.#loading.delete(key));
    this.#loading.set(key, task);
    return task;
  }

  #keep(key: string, chunk: VoxelArray): void {
    if (chunk.byteLength > this.#maxBytes) return;
    this.#chunks.set(key, chunk);
    this.#bytes += chunk.byteLength;
    for (const [oldest, { byteLength }] of this.#chunks) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#chunks.delete(oldest);
      this.#bytes -= byteLength;
    }
  }
}
