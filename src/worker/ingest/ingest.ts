/** An upload becomes data of its project: recognised, checked, read piece by piece, hashed and kept. */
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { and, eq } from 'drizzle-orm';
import type { RetryInput } from '#contract/shapes/operation.ts';
import { holdsRadiographs } from '#formats/radiographs/open-radiographs.ts';
import { recognise } from '#formats/recognise.ts';
import { uploads } from '#storage/db/schema-work.ts';
import type { StoredFile, WorkResult } from '../results/write-results.ts';
import { WorkFailure } from '../work/describe-failure.ts';
import type { OperationWork } from '../work/work.ts';
import { importCad } from './import-cad.ts';
import { readHints } from './import-hints.ts';
import { importMesh } from './import-mesh.ts';
import { importRadiographs } from './import-radiographs.ts';
import { importVolume } from './import-volume.ts';
import type { Imported } from './imported.ts';
import { openUpload, type UploadedFile } from './upload-source.ts';

/** Where in the progress the contents have been read and the copy of the source begins. */
const READING = 0.8;
const plainKinds = ['report', 'other'] as const;

/**
 * Carries out the operation `ingest`.
 *
 * @throws FormatError for files that can't be read or lack something, WorkFailure, the reason of the run's signal
 */
export async function ingest(work: OperationWork): Promise<WorkResult> {
  const { row: operation, context, run, blobs } = work;
  run.report(0, 'Recognising the file');
  const upload = await openUpload(context, operation.uploadId);
  try {
    const hints = readHints(upload.row.metadata, operation.parameters);
    const plain = plainKinds.find((kind) => kind === upload.row.metadata['kind']);
    const imported = plain
      ? keepAsIs(plain)
      : await importContent(work, upload, hints).catch((error: unknown) => {
          if (!(error instanceof RangeError)) throw error;
          context.log.warn({ err: error }, 'a file asked for more than a program can hold');
          throw new WorkFailure(
            'UNSUPPORTED',
            `${upload.row.fileName} can’t be read: it is nested too deeply, or has a list that is too long. Export it again in parts.`,
          );
        });
    run.report(READING, 'Keeping the source');
    const source = await keepSource(work, upload);
    const { describe, files, volume, thumbnailPng, warnings } = imported;
    const thumbnail = thumbnailPng && (await blobs.put('thumbnails', thumbnailPng.bytes, 'image/png'));
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
      thumbnail: thumbnail && { key: thumbnail.key, onlyWhenNone: thumbnailPng.onlyWhenNone },
      afterwards: () => forgetUpload(work, upload),
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

async function importContent(
  work: OperationWork,
  upload: UploadedFile,
  hints: RetryInput,
): Promise<Imported> {
  const kind = upload.row.metadata['kind'];
  // What lies beside a geometry is radiographs, unless somebody says otherwise.
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

/** The source itself as the first file of the data object, with its hash. */
async function keepSource({ blobs, run, context }: OperationWork, upload: UploadedFile): Promise<StoredFile> {
  const { row, source, blob, path } = upload;
  const mediaType = row.mediaType ?? 'application/octet-stream';
  const fileName = row.fileName;
  if (blob?.sha256) {
    return { fileName, mediaType, sizeBytes: source.size, sha256: blob.sha256, blobKey: blob.key };
  }
  const bytes = path
    ? createReadStream(path, { highWaterMark: 1 << 20 })
    : await context.store.get(blob?.key ?? '', undefined, run.signal);
  const stored = await blobs.put('files', counted(bytes, source.size, run.report.bind(run)), mediaType);
  return { fileName, mediaType, sizeBytes: stored.sizeBytes, sha256: stored.sha256, blobKey: stored.key };
}

async function* counted(
  bytes: AsyncIterable<Uint8Array>,
  size: number,
  report: (fraction: number) => void,
): AsyncGenerator<Uint8Array> {
  let passed = 0;
  for await (const part of bytes) {
    passed += part.byteLength;
    report(READING + (0.99 - READING) * (passed / Math.max(1, size)));
    yield part;
  }
}

/** The data object has the bytes now. */
async function forgetUpload({ context, row: operation }: OperationWork, upload: UploadedFile): Promise<void> {
  await context.db
    .update(uploads)
    .set({ blobKey: null })
    .where(and(eq(uploads.id, upload.row.id), eq(uploads.operationId, operation.id)));
  if (!upload.path) return;
  await rm(upload.path, { force: true });
  await rm(`${upload.path}.json`, { force: true });
}
