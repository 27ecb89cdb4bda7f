import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { FileStore } from '@tus/file-store';

/** Uploads whose hash is followed at a time: of others the import works it out. */
const mostFollowed = 1000;

/** Keeps uploads as files, and hashes them as they come, so that nobody has to read them for that once they are there. */
export class HashingStore extends FileStore {
  /** of the bytes so far; the oldest first */
  readonly #hashes = new Map<string, { hash: Hash; bytes: number }>();

  override write(readable: Readable, id: string, offset: number): Promise<number> {
    const known = this.#hashes.get(id);
    this.#hashes.delete(id);
    // What came before a restart, or was cut off on its way to the disk, is not in the hash, or is in it twice.
    const followed = known?.bytes === offset ? known : offset === 0 ? newHash() : undefined;
    if (!followed) return super.write(readable, id, offset);
    this.#hashes.set(id, followed);
    const [oldest] = this.#hashes.keys();
    if (this.#hashes.size > mostFollowed && oldest !== undefined) this.#hashes.delete(oldest);
    const onData = (part: Uint8Array) => {
      followed.hash.update(part);
      followed.bytes += part.byteLength;
    };
    readable.on('data', onData);
    return super.write(readable, id, offset).finally(() => readable.off('data', onData));
  }

  /** The hash of an upload of so many bytes, in hex; null where it is not known. */
  takeHash(id: string, sizeBytes: number | null): string | null {
    const known = this.#hashes.get(id);
    this.#hashes.delete(id);
    return known?.bytes === sizeBytes ? known.hash.digest('hex') : null;
  }
}

const newHash = () => ({ hash: createHash('sha256'), bytes: 0 });
