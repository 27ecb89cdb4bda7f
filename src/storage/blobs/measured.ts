import { createHash } from 'node:crypto';
import type { BlobSource, StoredBlob } from './blob-store.ts';

/** Bytes hashed at a time: some milliseconds, after which the thread is free for other work. */
const partBytes = 2 * 1024 ** 2;

/** Passes bytes through while counting and hashing them; `result` is complete at the end of the stream. */
export class MeasuredSource {
  readonly #hash = createHash('sha256');
  readonly #source: BlobSource;
  readonly #signal: AbortSignal | undefined;
  #sizeBytes = 0;

  constructor(source: BlobSource, signal?: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    if (this.#source instanceof Uint8Array) {
      for (let from = 0; from < this.#source.byteLength; from += partBytes) {
        yield this.#measure(this.#source.subarray(from, from + partBytes));
      }
      return;
    }
    for await (const part of this.#source) yield this.#measure(part);
  }

  result(): StoredBlob {
    return { sizeBytes: this.#sizeBytes, sha256: this.#hash.digest('hex') };
  }

  #measure(part: Uint8Array): Uint8Array {
    this.#signal?.throwIfAborted();
    this.#hash.update(part);
    this.#sizeBytes += part.byteLength;
    return part;
  }
}
