import { createHash } from 'node:crypto';
import type { BlobSource, StoredBlob } from './blob-store.ts';

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
      yield this.#measure(this.#source);
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
