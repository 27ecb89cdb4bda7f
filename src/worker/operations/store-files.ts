import type { ResultFile } from '#analyses/analysis.ts';
import type { StoredFile } from '../results/write-results.ts';
import type { WorkBlobs } from '../work/work-blobs.ts';

/** Writes the files of a data object; their rows are written at the end of the work. */
export async function storeFiles(files: readonly ResultFile[], blobs: WorkBlobs): Promise<StoredFile[]> {
  const stored: StoredFile[] = [];
  for (const { fileName, mediaType, parts } of files) {
    const { key, sizeBytes, sha256 } = await blobs.put('files', sendParts(parts), mediaType);
    stored.push({ fileName, mediaType, sizeBytes, sha256, blobKey: key });
  }
  return stored;
}

/** Bytes of shared memory copied at once: parts of the blob stores do not accept shared memory. */
const copiedAtOnce = 4 * 1024 ** 2;

/** Parts of a file for a store, without copying the whole. */
export async function* sendParts(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part.buffer instanceof ArrayBuffer) yield part;
    else {
      for (let from = 0; from < part.length; from += copiedAtOnce)
        yield new Uint8Array(part.subarray(from, from + copiedAtOnce));
    }
  }
}
