/** Stores blobs as files below one folder: written under a temporary name, synced, then renamed. */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, link, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import {
  type BlobInfo,
  BlobNotFound,
  type BlobSource,
  type BlobStore,
  type ByteRange,
  checkFilled,
  checkKey,
  checkPrefix,
  checkRange,
  deferErrors,
  type PutOptions,
  type StoredBlob,
} from './blob-store.ts';
import { MeasuredSource } from './measured.ts';
import { type OpenFile, OpenFiles } from './open-files.ts';

/** Starts with a dot, unlike any key. */
const UNFINISHED = '.unfinished';
const STALE_AFTER_MS = 24 * 3600 * 1000;
const PARALLEL_SYNCS = 8;

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Whether hard-linking failed because the file is on another disk, or its file system has no hard links. */
const isUnlinkable = (error: unknown): boolean =>
  ['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  );

const readFileIn = (file: string) => createReadStream(file, { highWaterMark: 1 << 20 });

/** Name prefix of this process's unfinished files. */
const own = `${hostname()}.${process.pid}.`;

/** Whether the file was written by a process on this machine that no longer exists. */
function isWriterGone(name: string): boolean {
  const [pid = ''] = name.slice(hostname().length + 1).split('.');
  if (!name.startsWith(`${hostname()}.`) || !/^\d+$/.test(pid)) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Opens the store: creates the folder, and removes unfinished files of dead processes and those older than a day. */
export async function openDiskStore(directory: string): Promise<BlobStore> {
  const root = path.resolve(directory);
  const unfinished = path.join(root, UNFINISHED);
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  for await (const entry of await opendir(unfinished)) {
    const file = path.join(unfinished, entry.name);
    const found = await stat(file).catch(() => undefined);
    const isStale = found && Date.now() - found.mtimeMs > STALE_AFTER_MS;
    if (isStale || isWriterGone(entry.name)) await rm(file, { force: true });
  }
  return new DiskStore(root);
}

class DiskStore implements BlobStore {
  readonly #root: string;
  readonly #files = new OpenFiles();
  /** background sync of written parts */
  #syncing = Promise.resolve();
  /** Parts whose sync failed, recorded because a second sync of the same file would report success. */
  readonly #failed = new Map<string, unknown>();

  constructor(root: string) {
    this.#root = root;
  }

  #place(key: string): string {
    checkKey(key);
    return path.join(this.#root, ...key.split('/'));
  }

  async put(key: string, source: BlobSource, options: PutOptions = {}): Promise<StoredBlob> {
    const measured = new MeasuredSource(source, options.signal);
    const place = await this.#write(key, measured, (file) => file.sync(), options.signal);
    await this.#syncFolders(path.dirname(place));
    return measured.result();
  }

  async putFile(
    key: string,
    file: string,
    { sha256, ...options }: PutOptions & { sha256?: string | null } = {},
  ): Promise<StoredBlob> {
    const place = this.#place(key);
    await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
    try {
      await link(file, place);
    } catch (error) {
      if (!isUnlinkable(error)) throw error;
      return this.put(key, readFileIn(file), options);
    }
    try {
      await sync(place);
      await this.#syncFolders(path.dirname(place));
      if (sha256) return { sizeBytes: (await stat(place)).size, sha256 };
      const measured = new MeasuredSource(readFileIn(place), options.signal);
      for await (const _ of measured);
      return measured.result();
    } catch (error) {
      await this.delete(key);
      throw error;
    }
  }

  async putPart(key: string, source: BlobSource): Promise<void> {
    const parts = source instanceof Uint8Array ? [source] : source;
    const place = await this.#write(key, parts);
    // Syncs in the background, so that `flush` has less to do; one at a time, because each occupies an I/O thread.
    this.#syncing = this.#syncing
      .then(() => sync(place))
      .catch((error) => {
        if (!isMissing(error)) this.#failed.set(key, error);
      });
  }

  async #write(
    key: string,
    parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    finish?: (file: FileHandle) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<string> {
    const place = this.#place(key);
    const temporary = path.join(this.#root, UNFINISHED, own + randomUUID());
    try {
      const file = await open(temporary, 'wx', 0o600);
      try {
        // A part is written while the next one is fetched and hashed.
        let writing = Promise.resolve();
        try {
          for await (const part of parts) {
            await writing;
            writing = writeWhole(file, part);
            // Reported at the next await; until then nothing handles the rejection.
            writing.catch(() => undefined);
          }
        } finally {
          await writing;
        }
        await finish?.(file);
      } finally {
        await file.close();
      }
      signal?.throwIfAborted();
      await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
      await rename(temporary, place);
      this.#files.forget(place);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    return place;
  }

  /** Syncs a folder and its parents, because the name of each is stored in the folder above. */
  async #syncFolders(folder: string): Promise<void> {
    for (let at = folder; at.startsWith(this.#root); at = path.dirname(at)) await sync(at);
  }

  async get(key: string, range?: ByteRange, signal?: AbortSignal): Promise<Readable> {
    const { sizeBytes } = await this.#sized(key, range);
    const end = Math.min(range?.end ?? sizeBytes, sizeBytes);
    const start = range?.start ?? 0;
    if (end <= start) return Readable.from([]);
    // `end` of createReadStream is inclusive.
    return deferErrors(
      createReadStream(this.#place(key), { start, end: end - 1, highWaterMark: 256 * 1024, signal }),
    );
  }

  async read(key: string, range?: ByteRange, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    return this.#withFile(key, signal, async ({ file, size }) => {
      if (range) checkWithin(range, size, key);
      const start = range?.start ?? 0;
      // Not zero-filled, which would take as long as reading the file from the page cache.
      const { buffer } = Buffer.allocUnsafeSlow(Math.min(range?.end ?? size, size) - start);
      const bytes = new Uint8Array(buffer);
      checkFilled(await fill(bytes, file, start), bytes, key);
      return bytes;
    });
  }

  readInto(target: Uint8Array, key: string, start: number, signal?: AbortSignal): Promise<void> {
    return this.#withFile(key, signal, async ({ file }) => {
      checkFilled(await fill(target, file, start), target, key);
    });
  }

  async #withFile<Result>(
    key: string,
    signal: AbortSignal | undefined,
    work: (opened: OpenFile) => Promise<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted();
    const place = this.#place(key);
    try {
      return await this.#files.use(place, work);
    } catch (error) {
      throw isMissing(error) ? new BlobNotFound(key) : error;
    }
  }

  async #sized(key: string, range?: ByteRange): Promise<BlobInfo> {
    const info = await this.head(key);
    if (!info) throw new BlobNotFound(key);
    if (range) checkWithin(range, info.sizeBytes, key);
    return info;
  }

  async head(key: string): Promise<BlobInfo | undefined> {
    try {
      const found = await stat(this.#place(key));
      return found.isFile() ? { key, sizeBytes: found.size, modifiedAt: found.mtime } : undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async *list(prefix: string): AsyncIterable<BlobInfo> {
    checkPrefix(prefix);
    // The part after the last slash may be an incomplete name.
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    for await (const info of this.#walk(folder)) if (info.key.startsWith(prefix)) yield info;
  }

  async *#walk(folder: string): AsyncGenerator<BlobInfo> {
    const entries = await opendir(path.join(this.#root, folder)).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    for await (const entry of entries) {
      if (entry.name.startsWith('.')) continue;
      const key = folder + entry.name;
      if (entry.isDirectory()) yield* this.#walk(`${key}/`);
      else {
        const info = await this.head(key);
        if (info) yield info;
      }
    }
  }

  async delete(key: string): Promise<void> {
    const place = this.#place(key);
    await rm(place, { force: true });
    this.#files.forget(place);
  }

  async deleteAll(prefix: string): Promise<void> {
    if (!prefix.endsWith('/'))
      throw new RangeError(`${JSON.stringify(prefix)} is no folder of blobs: it has to end in "/"`);
    const folder = this.#place(prefix.slice(0, -1));
    await rm(folder, { recursive: true, force: true });
    this.#files.forget(folder);
  }

  async flush(prefix: string): Promise<void> {
    const folders = new Set<string>();
    await syncEach(this.#listBelow(prefix, folders));
    // Background syncs are awaited only after these concurrent ones, because the caller is waiting.
    await this.#syncing;
    for (const [key, error] of this.#failed) if (key.startsWith(prefix)) throw error;
    await syncEach(folders);
  }

  /** Files below a prefix; their parent folders are added to `folders`. */
  async *#listBelow(prefix: string, folders: Set<string>): AsyncGenerator<string> {
    for await (const { key } of this.list(prefix)) {
      const place = this.#place(key);
      for (let at = path.dirname(place); at.startsWith(this.#root); at = path.dirname(at)) folders.add(at);
      yield place;
    }
  }

  async close(): Promise<void> {
    this.#files.forget(this.#root);
  }
}

function checkWithin(range: ByteRange, sizeBytes: number, key: string): void {
  checkRange(range);
  if (range.start > sizeBytes)
    throw new RangeError(`byte ${range.start} is beyond the end of ${key}, which has ${sizeBytes}`);
}

async function writeWhole(file: FileHandle, part: Uint8Array): Promise<void> {
  let done = 0;
  while (done < part.byteLength) done += (await file.write(part, done)).bytesWritten;
}

async function sync(place: string): Promise<void> {
  const handle = await open(place, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Syncs several files concurrently, which takes little longer than one. */
async function syncEach(places: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const running = new Set<Promise<void>>();
  for await (const place of places) {
    const task = sync(place).finally(() => running.delete(task));
    running.add(task);
    if (running.size >= PARALLEL_SYNCS) await Promise.race(running);
  }
  await Promise.all(running);
}

/** Reads from byte `start` on. @returns the number of bytes read */
async function fill(target: Uint8Array, file: FileHandle, start: number): Promise<number> {
  let done = 0;
  while (done < target.byteLength) {
    const { bytesRead } = await file.read(target, done, target.byteLength - done, start + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}
