/** Receives uploads over the tus protocol (https://tus.io/protocols/resumable-upload) into the upload folder. */
import { createReadStream } from 'node:fs';
import { open, rm, stat, statfs } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { EVENTS, Server } from '@tus/server';
import type { ProblemCode } from '#contract/shapes/problem-codes.ts';
import { newBlobKey } from '#storage/blobs/blob-store.ts';
import { describeBlob, registerBlob } from '#storage/blobs/sweep.ts';
import { uploadFile, uploadFolder } from '#storage/data-folder.ts';
import { inTransaction } from '#storage/db/connection.ts';
import { Problem, toProblem } from '../../http/problem.ts';
import type { Services } from '../../services.ts';
import { HashingStore } from './hashing-store.ts';
import * as store from './store.ts';

/** disk space reserved for the database and everything else */
const RESERVED_BYTES = 256 * 1024 * 1024;
/** interval at which the progress of an upload sent in one request is stored */
const NOTED_EVERY_MS = 10_000;
const uploadPath = '/api/v2/uploads';

const problemOfStatus: Record<number, ProblemCode> = {
  400: 'VALIDATION_FAILED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  410: 'NOT_FOUND',
  412: 'PRECONDITION_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  423: 'CONFLICT',
};

/** Handles requests after the access check; the upload's row must exist. */
export interface Receiver {
  handle(request: IncomingMessage, response: ServerResponse, uploadId: string, base: string): Promise<void>;
  /** bytes received */
  arrived(uploadId: string): Promise<number>;
  /** Starts the import of an upload whose last byte was received, if not done yet. */
  finishIfWhole(uploadId: string, sizeBytes: number | null): Promise<void>;
  /** Does so for all uploads, after a restart. */
  recover(): Promise<void>;
  remove(uploadId: string): Promise<void>;
}

/**
 * @param promisedBytes bytes that other running uploads will still need
 * @throws Problem PAYLOAD_TOO_LARGE when the disk has too little space
 */
export async function requireRoom(folder: string, sizeBytes: number, promisedBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize - RESERVED_BYTES - promisedBytes;
  if (sizeBytes > free)
    throw new Problem(
      'PAYLOAD_TOO_LARGE',
      `the disk has room for ${Math.max(0, free)} bytes; the file has ${sizeBytes}`,
    );
}

export function createReceiver(services: Services): Receiver {
  const { config, db, blobs, log } = services;
  const files = new HashingStore({ directory: uploadFolder(config) });
  /** id and base URL for a creating request, chosen before the tus library handles it */
  const creating = new WeakMap<object, { id: string; base: string }>();
  const findCreating = (request: { runtime?: { node?: { req: object } } }) => {
    const raw = request.runtime?.node?.req;
    return raw && creating.get(raw);
  };

  const arrived = (id: string): Promise<number> =>
    stat(uploadFile(config, id)).then(
      ({ size }) => size,
      () => 0,
    );

  /** Moves the upload into the bucket, if there is one, because other hosts can't read this host's folder. */
  async function intoBucket(id: string): Promise<string | null> {
    if (!config.s3) return null;
    const key = newBlobKey('uploads');
    await registerBlob(db, { key, kind: 'object' });
    const stored = await blobs.put(key, createReadStream(uploadFile(config, id), { highWaterMark: 1 << 20 }));
    await describeBlob(db, key, stored);
    return key;
  }

  async function remove(id: string): Promise<void> {
    await rm(uploadFile(config, id), { force: true });
    await rm(`${uploadFile(config, id)}.json`, { force: true });
  }

  async function finish(id: string): Promise<void> {
    const row = await store.readUpload(db, id);
    if (row.status !== 'uploading') return;
    const file = await open(uploadFile(config, id), 'r+');
    await file.sync();
    await file.close();
    const blobKey = await intoBucket(id);
    const sha256 = files.takeHash(id, row.sizeBytes);
    await inTransaction(db, (tx) => store.finishUpload(tx, id, { blobKey, sha256 }));
    if (blobKey !== null) await remove(id);
  }

  const tus = new Server({
    path: uploadPath,
    datastore: files,
    maxSize: config.maxUploadBytes,
    postReceiveInterval: NOTED_EVERY_MS,
    allowedOrigins: config.corsOrigins,
    namingFunction: (request) => {
      const made = findCreating(request);
      if (!made) throw new Error('an upload begins with its row in the database');
      return made.id;
    },
    generateUrl: (request, { id }) => `${findCreating(request)?.base ?? ''}${uploadPath}/${id}`,
    onUploadFinish: async (_request, upload) => {
      await finish(upload.id);
      return {};
    },
    onResponseError: (_request, error) => {
      if ('status_code' in error) {
        const { status_code, body } = error;
        const code = problemOfStatus[status_code] ?? 'INTERNAL';
        return { status_code, body: JSON.stringify({ detail: body.trim(), code }) };
      }
      // The database may be unavailable when the last byte arrives. The bytes are kept, and a retry continues.
      const known = toProblem(error);
      // Log problems such as a full disk for the operator, too.
      if (!known || known.status >= 500) log.error({ err: error }, 'upload failed');
      const problem = known ?? new Problem('INTERNAL', 'the upload failed');
      return { status_code: problem.status, body: JSON.stringify(problem.body()) };
    },
  });

  tus.on(EVENTS.POST_RECEIVE, (_request, { id, offset }) => {
    store.touchUpload(db, id, offset, config.uploadDays).catch((err: unknown) => {
      log.warn({ err, uploadId: id }, 'it could not be noted how much of an upload has arrived');
    });
  });

  return {
    arrived,
    remove,
    async handle(request, response, id, base) {
      creating.set(request, { id, base });
      await tus.handle(request, response);
    },
    async finishIfWhole(id, sizeBytes) {
      if (sizeBytes !== null && (await arrived(id)) === sizeBytes) await finish(id);
    },
    async recover() {
      for (const { id, sizeBytes } of await store.unfinishedUploads(db)) {
        if (sizeBytes === null || sizeBytes === 0 || (await arrived(id)) !== sizeBytes) continue;
        await finish(id);
        log.info({ uploadId: id }, 'upload that had arrived before the restart goes on');
      }
    },
  };
}
