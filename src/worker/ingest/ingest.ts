/** Imports an upload into its project: recognises, checks, reads, hashes and stores it. */
import { rm } from 'node:fs/promises';
import { and, eq } from 'drizzle-orm';
import { ScanQuality } from '#contract/metadata/scan-quality.ts';
import type { RetryInput } from '#contract/shapes/operation.ts';
import { holdsRadiographs } from '#formats/radiographs/open-radiographs.ts';
import { recognise } from '#formats/recognise.ts';
import { newBlobKey } from '#storage/blobs/blob-store.ts';
import { describeBlob, registerBlob } from '#storage/blobs/sweep.ts';
import { uploadFile } from '#storage/data-folder.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { uploads } from '#storage/db/schema-work.ts';
import { WorkLost } from '#storage/work/life.ts';
import {
  addMetadata,
  completeWith,
  type StoredFile,
  type WorkResult,
  writeBeforeEnd,
} from '../results/write-results.ts';
import { judgeStored } from '../scan-quality.ts';
import { WorkFailure } from '../work/describe-failure.ts';
import { type Done, NeedsPlace, type OperationWork, type Outcome } from '../work/work.ts';
import { importCad } from './import-cad.ts';
import { readHints } from './import-hints.ts';
import { importMesh } from './import-mesh.ts';
import { importRadiographs } from './import-radiographs.ts';
import { importVolume } from './import-volume.ts';
import type { Imported } from './imported.ts';
import { openUpload, type UploadedFile } from './upload-source.ts';

/** Progress at which the contents have been read and copying the source begins. */
const READING = 0.6;
/** Progress at which copying ends. */
const JUDGING = 0.7;
const plainKinds = ['report', 'other'] as const;

/**
 * Runs the operation `ingest`. A volume becomes visible before it is judged, because judging takes as long as reading.
 * Judging uses a slot of its own, so that other imports do not wait for it, and whoever takes it up continues from
 * there.
 *
 * @throws FormatError for files that are unreadable or incomplete, WorkFailure, NeedsPlace, the reason of the run's
 * signal
 */
export async function ingest(work: OperationWork): Promise<Outcome> {
  const [shownId] = work.row.outputDataObjectIds;
  if (shownId !== undefined) {
    if (work.place !== 'judge') throw new NeedsPlace('judge');
    return judgeShown(work, shownId);
  }
  const made = await importUpload(work);
  const done = completeWith(work, made);
  if (!made.dataObjects.some(({ kind }) => kind === 'volume')) return done;
  await writeBeforeEnd(work, done);
  throw new NeedsPlace('judge');
}

async function importUpload(work: OperationWork): Promise<WorkResult> {
  const { row: operation, context, run } = work;
  run.report(0, 'Recognising the file');
  const upload = await openUpload(context, operation.uploadId);
  try {
    const hints = readHints(upload.row.metadata, operation.parameters);
    const plain = plainKinds.find((kind) => kind === upload.row.metadata['kind']);
    const imported = plain
      ? keepAsIs(plain)
      : await importContent(work, upload, hints).catch((error: unknown) => {
          if (!(error instanceof RangeError)) throw error;
          context.log.warn({ err: error }, 'a file needs more than a process can hold');
          throw new WorkFailure(
            'UNSUPPORTED',
            `${upload.row.fileName} can’t be read: it is nested too deeply, or has a list that is too long. Export it again in parts.`,
          );
        });
    run.report(READING, 'Keeping the source');
    const { describe, files, volume, thumbnailPng, warnings } = imported;
    // Both wait for the disk. If one fails, the other must not continue.
    const [keeping, putting] = await Promise.allSettled([
      keepSource(work, upload),
      thumbnailPng && keepThumbnail(work, thumbnailPng),
    ]);
    if (keeping.status === 'rejected') throw keeping.reason;
    if (putting.status === 'rejected') throw putting.reason;
    const source = keeping.value;
    return {
      dataObjects: [
        {
          ...describe({ sourceFileName: source.fileName, sourceSha256: source.sha256 }),
          name: upload.row.fileName.replace(/\.(nii\.gz|raw\.gz|[a-z0-9]{1,5})$/i, '') || upload.row.fileName,
          files: [source, ...files],
          ...(volume ? { volume } : {}),
        },
      ],
      warnings: warnings.map((message) => ({ code: 'IMPORT', message, measures: [] })),
      thumbnail: putting.value,
      afterwards: () => forgetUpload(work),
      provenance: {
        inputs: [],
        parameters: { ...operation.parameters, ...hints, sourceSha256: source.sha256 },
        algorithms: imported.algorithms,
        version: context.version,
        seconds: run.seconds,
        peakMemoryBytes: run.peakMemoryBytes,
      },
    };
  } finally {
    await upload.close();
  }
}

/** Adds the quality to a volume that is in its project already. */
async function judgeShown(work: OperationWork, id: string): Promise<Done> {
  const { run, project, context } = work;
  run.report(JUDGING, 'Checking the scan quality');
  const [scan] = await context.db.select().from(dataObjects).where(eq(dataObjects.id, id));
  if (!scan) throw new WorkLost(`data object ${id} is gone with its project`);
  const quality = await judgeStored(context.store, scan, run.signal);
  // Invalid metadata must never be stored.
  ScanQuality.nullable().parse(quality);
  return {
    write: (tx) => addMetadata(tx, project, id, { quality }),
    afterwards: () => forgetUpload(work),
  };
}

async function importContent(
  work: OperationWork,
  upload: UploadedFile,
  hints: RetryInput,
): Promise<Imported> {
  const kind = upload.row.metadata['kind'];
  // Files with a geometry are radiographs, unless stated otherwise.
  if (kind === 'radiographs' || (!kind && (await holdsRadiographs([upload.source])))) {
    return importRadiographs(work, upload, hints, READING);
  }
  const { content, format, sources } = await recognise([upload.source], hints);
  if (content === 'volume') return importVolume(work, upload.source, hints, READING);
  if (content === 'mesh') return importMesh(work, upload, hints);
  return importCad(work, upload, sources[0], format, hints);
}

const keepAsIs = (kind: (typeof plainKinds)[number]): Imported => ({
  describe: (source) => ({ kind, metadata: source }),
  files: [],
  algorithms: {},
  warnings: [],
});

/** Stores the source as the first file of the data object, with its hash. */
async function keepSource(work: OperationWork, upload: UploadedFile): Promise<StoredFile> {
  const { blobs, run, context } = work;
  const { row, source, blob, path } = upload;
  const mediaType = row.mediaType ?? 'application/octet-stream';
  const fileName = row.fileName;
  if (blob?.sha256) {
    return { fileName, mediaType, sizeBytes: source.size, sha256: blob.sha256, blobKey: blob.key };
  }
  if (path !== undefined) {
    const { key, ...stored } = await takeFile(work, path, { mediaType, sha256: row.sha256 });
    return { fileName, mediaType, ...stored, blobKey: key };
  }
  const bytes = await context.store.get(blob?.key ?? '', undefined, run.signal);
  const stored = await blobs.put('files', counted(bytes, source.size, run.report.bind(run)), mediaType);
  return { fileName, mediaType, sizeBytes: stored.sizeBytes, sha256: stored.sha256, blobKey: stored.key };
}

async function keepThumbnail(
  { blobs }: OperationWork,
  { bytes, onlyWhenNone }: NonNullable<Imported['thumbnailPng']>,
) {
  const { key } = await blobs.put('thumbnails', bytes, 'image/png');
  return { key, onlyWhenNone };
}

/** Turns a local file into a blob of the work, which is deleted if the work fails. */
async function takeFile(
  { context: { db, store }, row: { id }, run }: OperationWork,
  path: string,
  known: { mediaType: string; sha256: string | null },
) {
  const key = newBlobKey('files');
  await registerBlob(db, { key, kind: 'object', writtenBy: id });
  const stored = await store.putFile(key, path, { ...known, signal: run.signal });
  await describeBlob(db, key, stored);
  return { key, ...stored };
}

async function* counted(
  bytes: AsyncIterable<Uint8Array>,
  size: number,
  report: (fraction: number) => void,
): AsyncGenerator<Uint8Array> {
  let passed = 0;
  for await (const part of bytes) {
    passed += part.byteLength;
    report(READING + (JUDGING - READING) * (passed / Math.max(1, size)));
    yield part;
  }
}

/** Deletes the upload, whose bytes now belong to the data object. */
async function forgetUpload({
  context: { config, db },
  row: { id, uploadId },
}: OperationWork): Promise<void> {
  if (uploadId === null) return;
  await db
    .update(uploads)
    .set({ blobKey: null })
    .where(and(eq(uploads.id, uploadId), eq(uploads.operationId, id)));
  const path = uploadFile(config, uploadId);
  await rm(path, { force: true });
  await rm(`${path}.json`, { force: true });
}
