/** Stores blobs in a bucket of an S3-compatible store. The SDK is loaded only when such a store is opened. */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { arrayBuffer } from 'node:stream/consumers';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import type { S3Settings } from '../config.ts';
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

/** `partSizeBytes`: size of the parts of a large blob; at least 5 MiB. */
type StoreSettings = S3Settings & { partSizeBytes?: number };

/** larger blobs are sent in parts */
const DEFAULT_PART_BYTES = 16 * 1024 * 1024;
const PARALLEL_PARTS = 3;
const PARALLEL_DELETES = 8;

const readStatus = (error: unknown): number | undefined =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;

const clientConfig = (settings: StoreSettings): S3ClientConfig => ({
  ...(settings.endpoint === undefined ? {} : { endpoint: settings.endpoint }),
  region: settings.region,
  forcePathStyle: settings.forcePathStyle,
  credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
  // The newer checksums are sent as trailers, which several compatible stores refuse.
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
});

/** Copies parts whose memory the caller reuses while they are being sent. */
async function* copied(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const part of parts) yield part.slice();
}

export async function openS3Store(settings: StoreSettings): Promise<BlobStore> {
  const [sdk, upload] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
  const client = new sdk.S3Client(clientConfig(settings));
  const Bucket = settings.bucket;
  const partSize = settings.partSizeBytes ?? DEFAULT_PART_BYTES;

  const store: BlobStore = {
    async put(key: string, source: BlobSource, options: PutOptions = {}): Promise<StoredBlob> {
      checkKey(key);
      options.signal?.throwIfAborted();
      const measured = new MeasuredSource(source, options.signal);
      const sent = new upload.Upload({
        client,
        params: { Bucket, Key: key, Body: Readable.from(measured), ContentType: options.mediaType },
        partSize,
        queueSize: PARALLEL_PARTS,
        // Deletes the parts of an upload that fails or is aborted.
        leavePartsOnError: false,
      });
      const stop = () => void sent.abort();
      options.signal?.addEventListener('abort', stop, { once: true });
      try {
        await sent.done();
      } catch (error) {
        options.signal?.throwIfAborted();
        throw error;
      } finally {
        options.signal?.removeEventListener('abort', stop);
      }
      return measured.result();
    },

    putFile: (key, file, options) =>
      store.put(key, createReadStream(file, { highWaterMark: 1 << 20 }), options),

    async putPart(key, source) {
      await store.put(key, source instanceof Uint8Array ? source : copied(source));
    },

    async get(key: string, range?: ByteRange, signal?: AbortSignal): Promise<Readable> {
      checkKey(key);
      if (range) checkRange(range);
      // HTTP can't express an empty range.
      if (range?.end !== undefined && range.end === range.start) {
        if (!(await store.head(key))) throw new BlobNotFound(key);
        return Readable.from([]);
      }
      const Range = range && `bytes=${range.start}-${range.end === undefined ? '' : range.end - 1}`;
      try {
        const answer = await client.send(new sdk.GetObjectCommand({ Bucket, Key: key, Range }), {
          abortSignal: signal,
        });
        return deferErrors(answer.Body as Readable);
      } catch (error) {
        if (readStatus(error) === 404) throw new BlobNotFound(key);
        if (readStatus(error) === 416)
          throw new RangeError(`byte ${range?.start} is beyond the end of ${key}`);
        throw error;
      }
    },

    async read(key: string, range?: ByteRange, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
      return new Uint8Array(await arrayBuffer(await store.get(key, range, signal)));
    },

    async readInto(target: Uint8Array, key: string, start: number, signal?: AbortSignal): Promise<void> {
      let at = 0;
      for await (const part of await store.get(key, { start, end: start + target.byteLength }, signal)) {
        target.set(part as Uint8Array, at);
        at += (part as Uint8Array).byteLength;
      }
      checkFilled(at, target, key);
    },

    async head(key: string): Promise<BlobInfo | undefined> {
      checkKey(key);
      try {
        const answer = await client.send(new sdk.HeadObjectCommand({ Bucket, Key: key }));
        return { key, sizeBytes: answer.ContentLength ?? 0, modifiedAt: answer.LastModified ?? new Date(0) };
      } catch (error) {
        if (readStatus(error) === 404) return undefined;
        throw error;
      }
    },

    async *list(prefix: string): AsyncIterable<BlobInfo> {
      checkPrefix(prefix);
      let ContinuationToken: string | undefined;
      do {
        const answer = await client.send(
          new sdk.ListObjectsV2Command({ Bucket, Prefix: prefix, ContinuationToken }),
        );
        for (const { Key, Size, LastModified } of answer.Contents ?? []) {
          if (Key) yield { key: Key, sizeBytes: Size ?? 0, modifiedAt: LastModified ?? new Date(0) };
        }
        ContinuationToken = answer.IsTruncated ? answer.NextContinuationToken : undefined;
      } while (ContinuationToken);
    },

    async delete(key: string): Promise<void> {
      checkKey(key);
      await client.send(new sdk.DeleteObjectCommand({ Bucket, Key: key }));
    },

    /** Deletes one by one, because some compatible stores lack the request for many. */
    async deleteAll(prefix: string): Promise<void> {
      if (!prefix.endsWith('/')) {
        throw new RangeError(`${JSON.stringify(prefix)} is no folder of blobs: it has to end in "/"`);
      }
      const running = new Set<Promise<void>>();
      for await (const { key } of store.list(prefix)) {
        const task: Promise<void> = store.delete(key).finally(() => running.delete(task));
        running.add(task);
        if (running.size >= PARALLEL_DELETES) await Promise.race(running);
      }
      await Promise.all(running);
    },

    /** Nothing to do: the store responds to a PUT only when the blob is durable. */
    flush: async () => undefined,

    close: async () => client.destroy(),
  };
  return store;
}
