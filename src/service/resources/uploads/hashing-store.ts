import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { FileStore } from '@tus/file-store';

/** Maximum number of uploads hashed at a time; for others, the import computes the hash. */
const maxTracked = 1000;

/** Stores uploads as files and hashes them as they arrive, so that they need not be read again for it. */
export class HashingStore extends FileStore {
  /** hash state by upload, oldest first */
  readonly #hashes = new Map<string, { hash: Hash; bytes: number }>();

  override write(readable: Readable, id: string, offset: number): Promise<number> {
    const known = this.#hashes.get(id);
    this.#hashes.delete(id);
    // Bytes received before a restart, or lost on the way to the disk, would be missing in the hash or counted twice.
    const followed = known?.bytes === offset ? known : offset === 0 ? newHash() : undefined;
    if (!followed) return super.write(readable, id, offset);
    this.#hashes.set(id, followed);
    const [oldest] = this.#hashes.keys();
    if (this.#hashes.size > maxTracked && oldest !== undefined) this.#hashes.delete(oldest);
    const onData = (part: Uint8Array) => {
      followed.hash.update(part);
      followed.bytes += part.byteLength;
    };
    readable.on('data', onData);
    return super.write(readable, id, offset).finally(() => readable.off('data', onData));
  }

  /** The hash of an upload of so many bytes, in hex; null when unknown. */
  takeHash(id: string, sizeBytes: number | null): string | null {
    const known = this.#hashes.get(id);
    this.#hashes.delete(id);
    return known?.bytes === sizeBytes ? known.hash.digest('hex') : null;
  }
}

const newHash = () => ({ hash: createHash('sha256'), bytes: 0 });
