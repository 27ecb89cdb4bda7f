import { createHash } from 'node:crypto';
import type { BlobSource, StoredBlob } from './blob-store.ts';

/** Bytes that are hashed at once: some milliseconds, between which the caller's thread is free. */
const partBytes = 2 * 1024 ** 2;

/** Passes the bytes on while counting and hashing them; `result` is complete when they have passed. */
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
