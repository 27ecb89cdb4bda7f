import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, open, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type S3TestServer, startS3Server } from '../testing/s3-server.ts';
import { BlobNotFound, type BlobStore, newBlobKey } from './blob-store.ts';
import { openDiskStore } from './disk-store.ts';
import { openS3Store } from './s3-store.ts';

let directory: string;
let server: S3TestServer;
const stores: Record<string, BlobStore> = {};
const bytesOf = (text: string) => new TextEncoder().encode(text);

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'scanwright-blobs-'));
  server = await startS3Server('scans', 'access');
  stores['disk'] = await openDiskStore(directory);
  stores['S3'] = await openS3Store({
    endpoint: server.endpoint,
    bucket: 'scans',
    accessKeyId: 'access',
    secretAccessKey: 'secret',
    region: 'us-east-1',
    forcePathStyle: true,
    partSizeBytes: 5 * 1024 * 1024,
  });
});
afterAll(async () => {
  for (const store of Object.values(stores)) await store.close();
  await server.close();
  await rm(directory, { recursive: true, force: true });
});

async function keysBelow(store: BlobStore, prefix: string): Promise<string[]> {
  const keys = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys.sort();
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe.each(['disk', 'S3'])('the blob store on %s', (kind) => {
  it('returns a stored blob with its size and SHA-256', async () => {
    const store = stores[kind];
    const key = newBlobKey('files');
    const content = bytesOf('a casting');
    const stored = await store.put(key, content, { mediaType: 'text/plain' });
    expect(stored).toEqual({ sizeBytes: 9, sha256: createHash('sha256').update(content).digest('hex') });
    expect(Buffer.from(await store.read(key)).toString()).toBe('a casting');
    expect(await store.head(key)).toMatchObject({ key, sizeBytes: 9 });
  });

  it('stores a stream of unknown length that is larger than a part', async () => {
    const store = stores[kind];
    const content = randomBytes(11 * 1024 * 1024);
    const stored = await store.put('files/large', pieces(content, 700_001));
    expect(stored).toEqual({
      sizeBytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    });
    const hash = createHash('sha256');
    for await (const part of await store.get('files/large')) hash.update(part as Uint8Array);
    expect(hash.digest('hex')).toBe(stored.sha256);
  });

  it('takes over a file, whose original name may be deleted, and computes an unknown SHA-256', async () => {
    const store = stores[kind];
    const sha256 = createHash('sha256').update('a file').digest('hex');
    for (const known of [null, sha256]) {
      const file = path.join(directory, `.arrived-${kind}`);
      await writeFile(file, 'a file');
      const key = newBlobKey('files');
      expect(await store.putFile(key, file, { sha256: known })).toEqual({ sizeBytes: 6, sha256 });
      await rm(file);
      expect(Buffer.from(await store.read(key)).toString()).toBe('a file');
    }
    await expect(store.putFile('files/none', path.join(directory, '.none'))).rejects.toThrow('ENOENT');
    expect(await store.head('files/none')).toBeUndefined();
  });

  it('reads ranges excluding their end, clipped at the end of the blob', async () => {
    const store = stores[kind];
    await store.put('files/range', bytesOf('0123456789'));
    const read = async (start: number, end?: number) =>
      Buffer.from(await store.read('files/range', { start, end })).toString();
    expect([await read(2, 5), await read(7), await read(8, 99), await read(4, 4)]).toEqual([
      '234',
      '789',
      '89',
      '',
    ]);
    const parts = [];
    for await (const part of await store.get('files/range', { start: 3, end: 6 }))
      parts.push(part as Uint8Array);
    expect(Buffer.concat(parts).toString()).toBe('345');
    await expect(store.read('files/range', { start: 11 })).rejects.toThrow(RangeError);
    const shared = new Uint8Array(new SharedArrayBuffer(8), 2, 4);
    await store.readInto(shared, 'files/range', 5);
    expect(Buffer.from(shared).toString()).toBe('5678');
    await expect(store.readInto(shared, 'files/range', 7)).rejects.toThrow('files/range ends 1 bytes early');
  });

  it('has consumed a part of a volume’s file before the second next one is requested', async () => {
    const store = stores[kind];
    const used = [new Uint8Array(700_001), new Uint8Array(700_001)];
    const passing = async function* () {
      for (let n = 0; n < 20; n++) yield used[n % 2].fill(n);
    };
    await store.putPart('volumes/anew/c/0', passing());
    const stored = Buffer.from(await store.read('volumes/anew/c/0'));
    expect(stored.byteLength).toBe(20 * 700_001);
    const whole = (n: number) => stored.subarray(n * 700_001, (n + 1) * 700_001).every((byte) => byte === n);
    expect(Array.from({ length: 20 }, (_, n) => whole(n))).not.toContain(false);
  });

  it('names the missing blob', async () => {
    const store = stores[kind];
    await expect(store.get('files/none')).rejects.toThrow(new BlobNotFound('files/none'));
    await expect(store.read('files/none')).rejects.toThrow(BlobNotFound);
    await expect(store.readInto(new Uint8Array(1), 'files/none', 0)).rejects.toThrow(BlobNotFound);
    expect(await store.head('files/none')).toBeUndefined();
    await store.delete('files/none');
  });

  it('lists and deletes only blobs below a prefix', async () => {
    const store = stores[kind];
    for (const name of ['v1/a', 'v1/c/0/0', 'v1/c/0/1', 'v1/c/1/0', 'v1/d', 'v11/a'])
      await store.put(`list/${name}`, bytesOf(name));
    expect(await keysBelow(store, 'list/v1/c/')).toEqual(['list/v1/c/0/0', 'list/v1/c/0/1', 'list/v1/c/1/0']);
    expect(await keysBelow(store, 'list/v1')).toHaveLength(6);
    await store.deleteAll('list/v1/');
    expect(await keysBelow(store, 'list/')).toEqual(['list/v11/a']);
    expect(await keysBelow(store, 'nothing/')).toEqual([]);
    await expect(store.deleteAll('list/v1')).rejects.toThrow(RangeError);
  });

  it('leaves nothing under the key when the source fails or writing is aborted', async () => {
    const store = stores[kind];
    const failing = async function* () {
      yield randomBytes(6 * 1024 * 1024);
      throw new Error('the sender went away');
    };
    await expect(store.put('files/failing', failing())).rejects.toThrow('the sender went away');
    const abort = new AbortController();
    const stopped = async function* () {
      yield randomBytes(6 * 1024 * 1024);
      abort.abort(new Error('cancelled'));
      yield randomBytes(100);
    };
    await expect(store.put('files/stopped', stopped(), { signal: abort.signal })).rejects.toThrow(
      'cancelled',
    );
    expect([await store.head('files/failing'), await store.head('files/stopped')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('fails only the reader of a stream aborted before it was read', async () => {
    await stores[kind].put('files/unread', randomBytes(100_000));
    const stopped = AbortSignal.abort(new Error('cancelled'));
    const readLater = async () => {
      const stream = await stores[kind].get('files/unread', undefined, stopped);
      await new Promise(setImmediate);
      return stream.toArray();
    };
    await expect(readLater()).rejects.toThrow(/abort|cancelled/i);
  });

  it.each(['', '/a', 'a//b', 'a/../b', '.hidden', 'a/.', 'a\\b', 'a b', 'a/\0', 'ä'])(
    'refuses the key %j',
    async (key) => {
      await expect(stores[kind].put(key, bytesOf('x'))).rejects.toThrow(/is no key of a blob/);
      await expect(stores[kind].read(key)).rejects.toThrow(/is no key of a blob/);
    },
  );
});

describe('the blob store on disk', () => {
  it('removes files left by a killed writer after a day, not earlier', async () => {
    const unfinished = path.join(directory, '.unfinished');
    for (const name of ['old', 'young']) await writeFile(path.join(unfinished, name), 'half');
    const twoDaysAgo = new Date(Date.now() - 48 * 3600 * 1000);
    await utimes(path.join(unfinished, 'old'), twoDaysAgo, twoDaysAgo);
    await openDiskStore(directory);
    expect(await readdir(unfinished)).toEqual(['young']);
    await rm(path.join(unfinished, 'young'));
  });

  it('takes over a file without copying it', async () => {
    const file = path.join(directory, '.arrived');
    await writeFile(file, 'a file');
    await stores['disk'].putFile('files/same', file);
    expect((await stat(path.join(directory, 'files', 'same'))).ino).toBe((await stat(file)).ino);
    await rm(file);
  });

  it('reports a failed sync of a part, even if a second sync would seem to succeed', async () => {
    const handle = await open(directory);
    const failing = vi.spyOn(Object.getPrototypeOf(handle), 'sync').mockRejectedValueOnce(new Error('EIO'));
    await handle.close();
    await stores['disk'].putPart('volumes/torn/c/0', bytesOf('grey values'));
    await stores['disk'].putPart('volumes/whole/c/0', bytesOf('grey values'));
    await expect(stores['disk'].flush('volumes/torn/')).rejects.toThrow('EIO');
    await stores['disk'].flush('volumes/whole/');
    failing.mockRestore();
  });

  it('syncs all parts concurrently when a caller waits for them', async () => {
    const handle = await open(directory);
    const prototype = Object.getPrototypeOf(handle);
    await handle.close();
    const { sync } = prototype;
    // The first sync, in the background, ends only after another has begun.
    const another = Promise.withResolvers<void>();
    const syncing = vi
      .spyOn(prototype, 'sync')
      .mockImplementation(function (this: unknown) {
        another.resolve();
        return sync.call(this);
      })
      .mockImplementationOnce(() => another.promise);
    await stores['disk'].putPart('volumes/waited/c/0', bytesOf('grey values'));
    await stores['disk'].putPart('volumes/waited/c/1', bytesOf('grey values'));
    await stores['disk'].flush('volumes/waited/');
    syncing.mockRestore();
  });

  it('copies a file from another disk', async () => {
    const other = await mkdtemp('/dev/shm/scanwright-blobs-');
    await writeFile(path.join(other, 'arrived'), 'a file');
    await stores['disk'].putFile('files/copied', path.join(other, 'arrived'));
    await rm(other, { recursive: true });
    expect(Buffer.from(await stores['disk'].read('files/copied')).toString()).toBe('a file');
  });
});

describe('the blob store on S3', () => {
  it('sends a large blob in parts, and aborts the upload when it fails', () => {
    expect(server.requests.filter((line) => line === 'POST /scans/files/large')).toHaveLength(2);
    expect(server.requests).toContain('DELETE /scans/files/failing');
    expect(server.openUploads()).toBe(0);
  });
});
