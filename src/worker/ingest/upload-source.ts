import { stat } from 'node:fs/promises';
import { eq } from 'drizzle-orm';
import { type ByteSource, buffered } from '#formats/bytes/byte-source.ts';
import { openFileSource } from '#formats/bytes/file-source.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import type { Config } from '#storage/config.ts';
import { uploadFile } from '#storage/data-folder.ts';
import type { Database } from '#storage/db/connection.ts';
import { blobs } from '#storage/db/schema-projects.ts';
import { uploads } from '#storage/db/schema-work.ts';
import { WorkFailure } from '../work/describe-failure.ts';

type UploadRow = typeof uploads.$inferSelect;

/** A complete upload, wherever its bytes are stored. */
export interface UploadedFile {
  row: UploadRow;
  source: ByteSource;
  /** set when the bytes are already a blob; with its hash if known */
  blob: { key: string; sha256: string | null } | undefined;
  /** set when the bytes are a file in the upload folder */
  path: string | undefined;
  close(): Promise<void>;
}

/**
 * Opens the bytes of an upload for random access.
 *
 * @throws WorkFailure when they are missing
 */
export async function openUpload(
  { config, db, store }: { config: Config; db: Database; store: BlobStore },
  uploadId: string | null,
): Promise<UploadedFile> {
  const [row] = uploadId ? await db.select().from(uploads).where(eq(uploads.id, uploadId)) : [];
  if (!row)
    throw new WorkFailure(
      'UPLOAD_GONE',
      'The upload that this import was for is gone; upload the file again.',
    );
  if (row.blobKey) {
    const [known] = await db.select().from(blobs).where(eq(blobs.key, row.blobKey));
    const source = await blobByteSource(store, row.blobKey, row.fileName);
    return {
      row,
      source,
      blob: { key: row.blobKey, sha256: known?.sha256 ?? row.sha256 },
      path: undefined,
      close: async () => undefined,
    };
  }
  const path = uploadFile(config, row.id);
  const found = await stat(path).catch(() => undefined);
  if (!found) {
    throw new WorkFailure('UPLOAD_GONE', `The bytes of ${row.fileName} are gone; upload the file again.`);
  }
  if (row.sizeBytes !== null && found.size !== row.sizeBytes) {
    throw new WorkFailure(
      'UPLOAD_INCOMPLETE',
      `${found.size} of the ${row.sizeBytes} bytes of ${row.fileName} have arrived; finish the upload first.`,
    );
  }
  const source = await openFileSource(path, row.fileName);
  return { row, source, blob: undefined, path, close: () => source.close() };
}

/** A stored blob as a source; neighbouring small reads are combined into one request. */
export async function blobByteSource(store: BlobStore, key: string, name: string): Promise<ByteSource> {
  const info = await store.head(key);
  if (!info) throw new WorkFailure('UPLOAD_GONE', `The bytes of ${name} are gone; upload the file again.`);
  const size = info.sizeBytes;
  return buffered({
    name,
    size,
    read: async (offset, length) => {
      const end = Math.min(size, offset + length);
      return end <= offset ? new Uint8Array(0) : store.read(key, { start: offset, end });
    },
  });
}
