import {
  type BlobRoom,
  type BlobSource,
  type BlobStore,
  newBlobKey,
  type StoredBlob,
} from '#storage/blobs/blob-store.ts';
import { describeBlob, discardWorkBlobs, finishDeletions, registerBlob } from '#storage/blobs/sweep.ts';
import { type Database, inTransaction } from '#storage/db/connection.ts';

export interface WrittenBlob extends StoredBlob {
  key: string;
}

/**
 * Blobs written by one piece of work. The database registers each with its owner before the first byte: if the work
 * fails they are deleted, whoever writes its end.
 */
export class WorkBlobs {
  readonly #db: Database;
  readonly #store: BlobStore;
  readonly #workId: string;
  readonly #signal: AbortSignal;

  constructor(db: Database, store: BlobStore, workId: string, signal: AbortSignal) {
    this.#db = db;
    this.#store = store;
    this.#workId = workId;
    this.#signal = signal;
  }

  /** Writes one blob of any size; throws the signal's reason when aborted. */
  async put(room: BlobRoom, source: BlobSource, mediaType: string): Promise<WrittenBlob> {
    const key = await this.#register(room, 'object');
    const stored = await this.#store.put(key, source, { mediaType, signal: this.#signal });
    await describeBlob(this.#db, key, stored);
    return { key, ...stored };
  }

  /** Registers a key for a volume. */
  newVolumeKey(): Promise<string> {
    return this.#register('volumes', 'volume');
  }

  async describe(key: string, known: { sizeBytes: number; sha256?: string }): Promise<void> {
    await describeBlob(this.#db, key, known);
  }

  /** Deletes all of them, for work that is not ended in the database. */
  async discard(): Promise<void> {
    await inTransaction(this.#db, (tx) => discardWorkBlobs(tx, this.#workId));
    await finishDeletions(this.#db, this.#store);
  }

  async #register(room: BlobRoom, kind: 'object' | 'volume'): Promise<string> {
    const key = newBlobKey(room);
    await registerBlob(this.#db, { key, kind, writtenBy: this.#workId });
    return key;
  }
}
