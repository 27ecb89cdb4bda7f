import { inArray } from 'drizzle-orm';
import {
  type BlobRoom,
  type BlobSource,
  type BlobStore,
  newBlobKey,
  type StoredBlob,
} from '#storage/blobs/blob-store.ts';
import { describeBlob, registerBlob } from '#storage/blobs/sweep.ts';
import { type Database, inTransaction } from '#storage/db/connection.ts';
import { blobDeletions, blobs } from '#storage/db/schema-projects.ts';

export interface WrittenBlob extends StoredBlob {
  key: string;
}

/**
 * The blobs that one piece of work writes. Each is known to the database before its first byte; when the work
 * does not end well `discard` takes all of them away again, and what a killed process leaves the sweep finds.
 */
export class WorkBlobs {
  readonly #db: Database;
  readonly #store: BlobStore;
  readonly #signal: AbortSignal;
  readonly #made: { key: string; kind: 'object' | 'volume' }[] = [];

  constructor(db: Database, store: BlobStore, signal: AbortSignal) {
    this.#db = db;
    this.#store = store;
    this.#signal = signal;
  }

  /** Writes one blob of any size; throws the signal's reason when it is aborted meanwhile. */
  async put(room: BlobRoom, source: BlobSource, mediaType: string): Promise<WrittenBlob> {
    const key = await this.#register(room, 'object');
    const stored = await this.#store.put(key, source, { mediaType, signal: this.#signal });
    await describeBlob(this.#db, key, stored);
    return { key, ...stored };
  }

  /** A key under which a volume can be written. */
  newVolumeKey(): Promise<string> {
    return this.#register('volumes', 'volume');
  }

  async describe(key: string, known: { sizeBytes: number; sha256?: string }): Promise<void> {
    await describeBlob(this.#db, key, known);
  }

  async discard(): Promise<void> {
    const made = this.#made.splice(0);
    if (made.length === 0) return;
    const keys = made.map(({ key }) => key);
    await inTransaction(this.#db, async (tx) => {
      await tx.insert(blobDeletions).values(made).onConflictDoNothing();
      await tx.delete(blobs).where(inArray(blobs.key, keys));
    });
    for (const { key, kind } of made) {
      if (kind === 'volume') await this.#store.deleteAll(`${key}/`);
      else await this.#store.delete(key);
    }
    await this.#db.delete(blobDeletions).where(inArray(blobDeletions.key, keys));
  }

  async #register(room: BlobRoom, kind: 'object' | 'volume'): Promise<string> {
    const key = newBlobKey(room);
    await registerBlob(this.#db, { key, kind });
    this.#made.push({ key, kind });
    return key;
  }
}
